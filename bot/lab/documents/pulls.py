"""Pull requests as JSON documents."""

from bot.lab.documents.issues import association, label_document
from bot.lab.documents.people import user_document
from bot.lab.documents.repository import repository_document
from bot.lab.documents.site import WEB, Document, Site, node_id, timestamp
from bot.lab.model import Issue, PullRequest, Repository


def pull_document(site: Site, repository: Repository, issue: Issue, pull: PullRequest) -> Document:
    """A "pull request simple": what lists show."""
    url = f"{site.api}/repos/{repository.full_name}"
    own, talk = f"{url}/pulls/{issue.number}", f"{url}/issues/{issue.number}"
    page = f"{WEB}/{repository.full_name}/pull/{issue.number}"
    links = {
        "html": page,
        "issue": talk,
        "comments": f"{talk}/comments",
        "review_comments": f"{own}/comments",
        "review_comment": f"{url}/pulls/comments{{/number}}",
        "commits": f"{own}/commits",
        "statuses": f"{url}/statuses/{pull.head_sha}",
    }
    return {
        "url": own,
        "id": pull.id,
        "node_id": node_id("PR", pull.id),
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        **{f"{name}_url": address for name, address in links.items() if name != "html"},
        "number": issue.number,
        "state": issue.state,
        "locked": False,
        "title": issue.title,
        "user": user_document(site, issue.author),
        "body": issue.body,
        "labels": [label_document(site, repository, label) for label in issue.labels],
        "milestone": None,
        "active_lock_reason": None,
        "created_at": timestamp(issue.created_at),
        "updated_at": timestamp(issue.updated_at),
        "closed_at": timestamp(issue.closed_at),
        "merged_at": timestamp(pull.merged_at),
        "merge_commit_sha": pull.merge_commit_sha,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "head": _side(site, pull.head_repository, pull.head_branch, pull.read_head()),
        "base": _side(site, repository, pull.base_branch, pull.base_sha),
        "_links": {name: {"href": address} for name, address in {"self": own, **links}.items()},
        "author_association": association(repository, issue.author),
        "auto_merge": None,
        "draft": pull.draft,
    }


def full_pull_document(site: Site, repository: Repository, issue: Issue, pull: PullRequest) -> Document:
    """A "pull request" with what git says about it."""
    git, is_open = repository.git, issue.state == "open"
    base = (repository.branch(pull.base_branch) if is_open else None) or pull.base_sha
    changes = git.diff(git.merge_base(base, pull.head_sha) or base, pull.head_sha)
    mergeable = _mergeable(site, repository, pull, base) if is_open else None
    state = {True: "draft" if pull.draft else "clean", False: "dirty", None: "unknown"}
    return pull_document(site, repository, issue, pull) | {
        "merged": pull.merged_at is not None,
        "mergeable": mergeable,
        "rebaseable": mergeable,
        "mergeable_state": state[mergeable],
        "merged_by": user_document(site, pull.merged_by) if pull.merged_by else None,
        "comments": len(issue.comments),
        "review_comments": 0,
        "maintainer_can_modify": pull.maintainer_can_modify,
        "commits": len(git.commits(pull.head_sha, f"^{base}")),
        "additions": sum(change.additions for change in changes),
        "deletions": sum(change.deletions for change in changes),
        "changed_files": len(changes),
    }


def _mergeable(site: Site, repository: Repository, pull: PullRequest, base: str) -> bool | None:
    records, asked = site.records, (pull.id, base, pull.head_sha)
    if records.computes_mergeability_later and asked not in records.mergeability_asked:
        records.mergeability_asked.add(asked)
        return None
    return repository.git.merged_tree(base, pull.head_sha) is not None


def _side(site: Site, repository: Repository, branch: str, sha: str) -> Document:
    is_there = repository.full_name.lower() in site.records.repositories
    return {
        "label": f"{repository.owner.login}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": user_document(site, repository.owner),
        "repo": repository_document(site, repository) if is_there else None,
    }
