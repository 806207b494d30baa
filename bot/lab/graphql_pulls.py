"""Pull requests as GitHub's GraphQL shows them: those of a base branch, and the files of one."""

from collections.abc import Callable, Sequence
from typing import Any

from graphql import GraphQLError

from bot.lab.model import Issue, PullRequest, Repository

TYPES = """
    enum PullRequestState { CLOSED MERGED OPEN }
    enum IssueOrderField { COMMENTS CREATED_AT UPDATED_AT }
    enum OrderDirection { ASC DESC }
    input IssueOrder { field: IssueOrderField! direction: OrderDirection! }
    type PageInfo { hasNextPage: Boolean! endCursor: String }
    type Actor { login: String! }
    type PullRequestConnection { totalCount: Int! pageInfo: PageInfo! nodes: [PullRequest] }
    type PullRequest {
        number: Int!
        url: String!
        title: String!
        isDraft: Boolean!
        author: Actor
        baseRefName: String!
        headRefName: String!
        headRefOid: GitObjectID!
        headRepository: Repository
        commits(first: Int, last: Int): PullRequestCommitConnection!
        files(first: Int): PullRequestChangedFileConnection
    }
    type PullRequestCommitConnection { nodes: [PullRequestCommit] }
    type PullRequestCommit { commit: Commit! }
    type PullRequestChangedFileConnection { pageInfo: PageInfo! nodes: [PullRequestChangedFile] }
    type PullRequestChangedFile { path: String! }
"""
_MOST = 100
_WEB = "https://github.com"

Wrap = Callable[[Repository], object]
"""Makes of a repository what resolves its fields."""

Node = dict[str, Any]


def connection(
    repository: Repository,
    wrap: Wrap,
    *,
    states: Sequence[str] | None = None,
    base: str | None = None,
    first: int | None = None,
    after: str | None = None,
    order: dict[str, str] | None = None,
) -> Node:
    """Return a page of pull requests, the oldest first unless `order` says otherwise."""
    _refuse_size(first)
    found = [issue for issue in repository.issues.values() if issue.pull and _is_wanted(issue, states, base)]
    if order and order["direction"] == "DESC":
        found.reverse()
    start = int(after) if after else 0
    end = start + (first or 0)
    return {
        "totalCount": len(found),
        "pageInfo": {"hasNextPage": end < len(found), "endCursor": str(end)},
        "nodes": [node(repository, issue, wrap) for issue in found[start:end]],
    }


def _is_wanted(issue: Issue, states: Sequence[str] | None, base: str | None) -> bool:
    pull = issue.pull
    if pull is None or base not in {None, pull.base_branch}:
        return False
    return states is None or ("MERGED" if pull.merged_at else issue.state.upper()) in states


def node(repository: Repository, issue: Issue, wrap: Wrap) -> Node:
    """Return a pull request; its lists are made when they are asked for."""
    pull = issue.pull
    if pull is None:
        raise GraphQLError(f"Could not resolve to a PullRequest with the number of {issue.number}.")

    def commits(_info: object, first: int | None = None, last: int | None = None) -> Node:
        _refuse_size(first or last)
        shas = _own_commits(repository, pull)
        kept = shas[: first or 0] if first else shas[-(last or 0) :]
        return {"nodes": [{"commit": _Commit(repository, sha)} for sha in kept]}

    def files(_info: object, first: int | None = None) -> Node:
        _refuse_size(first)
        paths = [change.path for change in _changes(repository, pull)]
        page = {"hasNextPage": len(paths) > (first or 0), "endCursor": None}
        return {"pageInfo": page, "nodes": [{"path": path} for path in paths[:first]]}

    return {
        "number": issue.number,
        "url": f"{_WEB}/{repository.full_name}/pull/{issue.number}",
        "title": issue.title,
        "isDraft": pull.draft,
        "author": {"login": issue.author.login.removesuffix("[bot]")},
        "baseRefName": pull.base_branch,
        "headRefName": pull.head_branch,
        "headRefOid": pull.head_sha,
        "headRepository": wrap(pull.head_repository),
        "commits": commits,
        "files": files,
    }


class _Commit:
    """A commit whose files can be asked for by their paths."""

    def __init__(self, repository: Repository, sha: str) -> None:
        self._git = repository.git
        self.oid = sha

    def file(self, _info: object, path: str) -> Node | None:
        """Return the entry of a path, or None if nothing is there."""
        found = self._git.resolve(f"{self.oid}:{path}")
        return {"oid": found, "type": self._git.kind(found), "path": path} if found else None


def _own_commits(repository: Repository, pull: PullRequest) -> tuple[str, ...]:
    base = repository.branch(pull.base_branch) or pull.base_sha
    return repository.git.commits(pull.head_sha, f"^{base}")


def _changes(repository: Repository, pull: PullRequest) -> Sequence[Any]:
    git, base = repository.git, repository.branch(pull.base_branch) or pull.base_sha
    return git.diff(git.merge_base(base, pull.head_sha) or base, pull.head_sha)


def _refuse_size(size: int | None) -> None:
    """GitHub wants to be told how much, and gives a hundred at most."""
    if size is None or not 1 <= size <= _MOST:
        raise GraphQLError(f"You must provide a `first` or `last` value between 1 and {_MOST}.")
