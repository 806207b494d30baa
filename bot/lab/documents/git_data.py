"""Commits, trees, blobs and differences as JSON documents."""

import re
from base64 import encodebytes
from collections.abc import Sequence
from urllib.parse import quote

from bot.lab.documents.people import user_document
from bot.lab.documents.site import WEB, Document, Site, node_id, timestamp
from bot.lab.git import CommitObject, FileChange, Signature, TreeEntry
from bot.lab.model import Repository, User

_MOST_FILES = 300
"""How many files a comparison or a commit lists at most."""


def _urls(site: Site, repository: Repository) -> tuple[str, str]:
    return f"{site.api}/repos/{repository.full_name}", f"{WEB}/{repository.full_name}"


def blob_document(site: Site, repository: Repository, sha: str, content: bytes) -> Document:
    """A "blob", in base64 with line breaks."""
    return {
        "sha": sha,
        "node_id": node_id("B", sha),
        "size": len(content),
        "url": f"{_urls(site, repository)[0]}/git/blobs/{sha}",
        "content": encodebytes(content).decode(),
        "encoding": "base64",
    }


def tree_document(site: Site, repository: Repository, sha: str, entries: tuple[TreeEntry, ...]) -> Document:
    """A "git tree", never cut short."""
    url = f"{_urls(site, repository)[0]}/git"
    return {
        "sha": sha,
        "url": f"{url}/trees/{sha}",
        "tree": [_tree_entry(url, entry) for entry in entries],
        "truncated": False,
    }


def _tree_entry(url: str, entry: TreeEntry) -> Document:
    document: Document = {"path": entry.path, "mode": entry.mode, "type": entry.kind, "sha": entry.sha}
    if entry.size is not None:
        document["size"] = entry.size
    return document | {"url": f"{url}/{entry.kind}s/{entry.sha}"}


def git_commit_document(site: Site, repository: Repository, sha: str) -> Document:
    """A "git commit": the object as it is stored."""
    commit = repository.git.commit(sha)
    url, web = _urls(site, repository)
    return {
        "sha": sha,
        "node_id": node_id("C", sha),
        "url": f"{url}/git/commits/{sha}",
        "html_url": f"{web}/commit/{sha}",
        "author": _signature(commit.author),
        "committer": _signature(commit.committer),
        "tree": {"sha": commit.tree, "url": f"{url}/git/trees/{commit.tree}"},
        "message": commit.message,
        "parents": [
            {"sha": parent, "url": f"{url}/git/commits/{parent}", "html_url": f"{web}/commit/{parent}"}
            for parent in commit.parents
        ],
        "verification": _verification(site, commit),
    }


def commit_document(site: Site, repository: Repository, sha: str) -> Document:
    """A "commit": the object, and the accounts behind its author and committer."""
    commit = repository.git.commit(sha)
    url, web = _urls(site, repository)
    return {
        "url": f"{url}/commits/{sha}",
        "sha": sha,
        "node_id": node_id("C", sha),
        "html_url": f"{web}/commit/{sha}",
        "comments_url": f"{url}/commits/{sha}/comments",
        "commit": {
            "url": f"{url}/git/commits/{sha}",
            "author": _signature(commit.author),
            "committer": _signature(commit.committer),
            "message": commit.message,
            "comment_count": 0,
            "tree": {"sha": commit.tree, "url": f"{url}/git/trees/{commit.tree}"},
            "verification": _verification(site, commit),
        },
        "author": _account(site, commit.author),
        "committer": _account(site, commit.committer),
        "parents": [
            {"sha": parent, "url": f"{url}/commits/{parent}", "html_url": f"{web}/commit/{parent}"}
            for parent in commit.parents
        ],
    }


def full_commit_document(site: Site, repository: Repository, sha: str) -> Document:
    """A "commit" with what it changed against its first parent."""
    parents = repository.git.commit(sha).parents
    changes = repository.git.diff(parents[0], sha) if parents else ()
    additions = sum(change.additions for change in changes)
    deletions = sum(change.deletions for change in changes)
    return commit_document(site, repository, sha) | {
        "stats": {"additions": additions, "deletions": deletions, "total": additions + deletions},
        "files": [file_document(site, repository, change, sha) for change in changes[:_MOST_FILES]],
    }


def file_document(site: Site, repository: Repository, change: FileChange, sha: str) -> Document:
    """A "diff entry"; `sha` is the commit after the change."""
    url, web = _urls(site, repository)
    path = quote(change.path)
    document: Document = {
        "sha": change.sha,
        "filename": change.path,
        "status": change.status,
        "additions": change.additions,
        "deletions": change.deletions,
        "changes": change.additions + change.deletions,
        "blob_url": f"{web}/blob/{sha}/{path}",
        "raw_url": f"{web}/raw/{sha}/{path}",
        "contents_url": f"{url}/contents/{path}?ref={sha}",
    }
    return document if change.patch is None else document | {"patch": change.patch}


def comparison_document(
    site: Site, repository: Repository, base: str, head: str, *, shown: Sequence[str], total: int
) -> Document:
    """A "commit comparison" of two commits that share history; `shown` are the commits of this page."""
    git = repository.git
    url, web = _urls(site, repository)
    merge_base = git.merge_base(base, head) or base
    behind = len(git.commits(base, f"^{head}"))
    status = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}
    changes = git.diff(merge_base, head)
    return {
        "url": f"{url}/compare/{base}...{head}",
        "html_url": f"{web}/compare/{base}...{head}",
        "permalink_url": f"{web}/compare/{base[:7]}...{head[:7]}",
        "diff_url": f"{web}/compare/{base}...{head}.diff",
        "patch_url": f"{web}/compare/{base}...{head}.patch",
        "base_commit": commit_document(site, repository, base),
        "merge_base_commit": commit_document(site, repository, merge_base),
        "status": status.get((total > 0, behind > 0), "diverged"),
        "ahead_by": total,
        "behind_by": behind,
        "total_commits": total,
        "commits": [commit_document(site, repository, sha) for sha in shown],
        "files": [file_document(site, repository, change, head) for change in changes[:_MOST_FILES]],
    }


def content_document(
    site: Site,
    repository: Repository,
    entry: TreeEntry,
    path: str,
    *,
    revision: str,
    content: bytes | None = None,
) -> Document:
    """A "content file", or a line of a "content directory" when there is no `content`."""
    url, web = _urls(site, repository)
    kind = {"blob": "file", "tree": "dir", "commit": "submodule"}[entry.kind]
    own = f"{url}/contents/{quote(path)}?ref={revision}"
    page = f"{web}/{'tree' if kind == 'dir' else 'blob'}/{revision}/{quote(path)}"
    git_url = f"{url}/git/{entry.kind}s/{entry.sha}"
    raw = f"https://raw.githubusercontent.com/{repository.full_name}/{revision}/{quote(path)}"
    document: Document = {
        "type": kind,
        "size": entry.size or 0,
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": entry.sha,
        "url": own,
        "git_url": git_url,
        "html_url": page,
        "download_url": raw if kind == "file" else None,
        "_links": {"self": own, "git": git_url, "html": page},
    }
    if content is None:
        return document
    # Above one megabyte the API names the file and leaves its content out.
    inline = len(content) <= 1024 * 1024
    text = encodebytes(content).decode() if inline else ""
    return document | {"encoding": "base64" if inline else "none", "content": text}


def _signature(signature: Signature) -> Document:
    return {"name": signature.name, "email": signature.email, "date": timestamp(signature.at)}


def _verification(site: Site, commit: CommitObject) -> Document:
    if commit.sha not in site.records.signed:
        unsigned = {"verified": False, "reason": "unsigned"}
        return unsigned | {"signature": None, "payload": None, "verified_at": None}
    return {
        "verified": True,
        "reason": "valid",
        "signature": "signed by the web flow",
        "payload": f"tree {commit.tree}\n",
        "verified_at": timestamp(commit.committer.at),
    }


def _account(site: Site, signature: Signature) -> Document | None:
    found = account_of(site, signature.email)
    return user_document(site, found) if found else None


def account_of(site: Site, email: str) -> User | None:
    """Return the account that GitHub shows beside a commit; an address can be written by anybody."""
    if email == "noreply@github.com":
        return site.records.github
    known = re.fullmatch(r"(?:[0-9]+\+)?(.+)@users\.noreply\.github\.com", email)
    return site.records.users.get(known[1].lower()) if known else None
