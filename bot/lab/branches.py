"""Branches: who may point where, and what a moved branch does to the pull requests on it."""

from collections.abc import Mapping

from bot.lab.answers import conflict, unprocessable
from bot.lab.git import Signature
from bot.lab.model import RefMove, Repository, User
from bot.lab.records import Records


def create(records: Records, repository: Repository, branch: str, sha: str, by: User) -> None:
    """Point a new branch to a commit; 422 if it exists, its name is bad or there is no such commit."""
    name = repository.ref(f"refs/heads/{branch}")
    if not repository.git.is_ref_name(name):
        raise unprocessable("Reference name is not valid")
    if repository.git.ref(name):
        raise unprocessable("Reference already exists")
    if repository.git.kind(sha) != "commit":
        raise unprocessable("Object does not exist")
    _point(records, repository, branch, sha, by)


def move(records: Records, repository: Repository, branch: str, sha: str, by: User, *, force: bool) -> None:
    """Move a branch; 422 if it does not exist, or if it would lose commits and `force` is false."""
    old = repository.branch(branch)
    if old is None:
        raise unprocessable("Reference does not exist")
    if repository.git.kind(sha) != "commit":
        raise unprocessable("Object does not exist")
    if not force and not repository.git.is_ancestor(old, sha):
        raise unprocessable("Update is not a fast forward")
    _point(records, repository, branch, sha, by)


def delete(records: Records, repository: Repository, branch: str, by: User) -> None:
    """Delete a branch and close the open pull requests from it."""
    old = repository.branch(branch)
    if old is None:
        raise unprocessable("Reference does not exist")
    repository.git.delete_ref(repository.ref(f"refs/heads/{branch}"))
    _tell(records, RefMove(repository, branch, old, None, by, fast_forward=False))
    for base in list(records.repositories.values()):
        for issue in base.issues.values():
            pull = issue.pull
            if pull is None or issue.state == "closed":
                continue
            if (pull.head_repository, pull.head_branch) == (repository, branch):
                issue.state, issue.closed_at = "closed", records.now()


def push(
    records: Records,
    repository: Repository,
    branch: str,
    files: Mapping[str, str | bytes | None],
    *,
    author: User,
    message: str,
) -> str:
    """Commit files on top of a branch, or of the default branch where it is new, and return the sha."""
    git, parent = repository.git, repository.branch(branch) or repository.branch(repository.default_branch)
    entries = []
    for path, content in files.items():
        content_bytes = content.encode() if isinstance(content, str) else content
        sha = None if content_bytes is None else git.write_blob(content_bytes)
        entries.append((path, "100755" if path.endswith(".sh") else "100644", sha))
    tree = git.write_tree(parent and f"{parent}^{{tree}}", entries)
    signature = Signature(author.login, author.email, records.now())
    sha = git.write_commit(tree, [parent] if parent else [], message, signature, signature)
    _point(records, repository, branch, sha, author)
    return sha


def follow_parent(records: Records, fork: Repository, branch: str, by: User) -> tuple[str, str]:
    """Bring a fork's branch up to its parent's, and return (message, `merge_type`).

    409 if they conflict; 422 if there is nothing to follow.
    """
    parent = fork.parent
    theirs = parent.branch(branch) if parent else None
    if parent is None or theirs is None:
        raise unprocessable("Branch could not be synced: there is no such branch upstream")
    ours = fork.branch(branch)
    upstream = f"{parent.owner.login}:{branch}"
    if ours and fork.git.is_ancestor(theirs, ours):
        return f"This branch is not behind the upstream {upstream}.", "none"
    if ours is None or fork.git.is_ancestor(ours, theirs):
        _point(records, fork, branch, theirs, by)
        return f"Successfully fetched and fast-forwarded from upstream {upstream}.", "fast-forward"
    tree = fork.git.merged_tree(ours, theirs)
    if tree is None:
        raise conflict("There are merge conflicts")
    signature = Signature(by.login, by.email, records.now())
    merge = fork.git.write_commit(tree, [ours, theirs], f"Merge branch '{upstream}'", signature, signature)
    _point(records, fork, branch, merge, by)
    return f"Successfully fetched and merged from upstream {upstream}.", "merge"


def _point(records: Records, repository: Repository, branch: str, sha: str, by: User) -> None:
    old = repository.branch(branch)
    repository.git.set_ref(repository.ref(f"refs/heads/{branch}"), sha)
    forward = old is None or repository.git.is_ancestor(old, sha)
    for base in records.repositories.values():
        _follow(records, base, repository, branch, sha)
    _tell(records, RefMove(repository, branch, old, sha, by, fast_forward=forward))


def _tell(records: Records, move: RefMove) -> None:
    records.ref_moves.append(move)
    for listener in list(records.ref_listeners):
        listener(move)


def _follow(records: Records, base: Repository, head: Repository, branch: str, sha: str) -> None:
    for issue in base.issues.values():
        pull = issue.pull
        if pull is None or issue.state == "closed":
            continue
        if pull.head_repository is head and pull.head_branch == branch and pull.head_sha != sha:
            pull.heads.append(sha)
            pull.stale_reads = records.lag
            pull.base_sha = base.branch(pull.base_branch) or pull.base_sha
            issue.updated_at = records.now()
            base.git.set_ref(base.ref(f"refs/pull/{issue.number}/head"), sha)
