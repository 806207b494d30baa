"""GitHub's documents, as PyGithub reads them, turned into the values of the core.

Only fields are touched that the documents of these calls hold: any other would cost a request. A value that
is missing where GitHub promises one raises TypeError, which the callers explain with `understood`.
"""

from typing import Any, TypeVar

from github.Commit import Commit as GitHubCommit
from github.GitAuthor import GitAuthor
from github.Issue import Issue as GitHubIssue
from github.IssueComment import IssueComment
from github.NamedUser import NamedUser
from github.Organization import Organization
from github.PullRequest import PullRequest as GitHubPullRequest
from github.Repository import Repository

from bot.core.errors import ServiceError
from bot.core.host import Actor, Comment, Commit, Head, Issue, PullRequest, Standing

_GHOST = Actor(10137, "ghost")
"""Whom GitHub shows in place of a deleted account (https://github.com/ghost)."""

T = TypeVar("T")


def _given(value: T | None) -> T:
    # PyGithub makes None of a key that is missing.
    if value is None:
        raise TypeError("a value is missing")
    return value


def actor(user: NamedUser | Organization | None) -> Actor:
    """Return an author; `type` tells Apps from people."""
    return _GHOST if user is None else Actor(_given(user.id), _given(user.login), is_app=user.type == "Bot")


def head(commit: GitHubCommit) -> Head:
    """Return a commit and its tree."""
    return Head(_given(commit.sha), _given(commit.commit.tree.sha))


def commit(found: GitHubCommit) -> Commit:
    """Return a commit of a comparison; its author is the one that git knows, who may have no account."""
    author: GitAuthor | None = found.commit.author
    return Commit(
        sha=_given(found.sha),
        tree=_given(found.commit.tree.sha),
        parents=tuple(parent.sha for parent in found.parents),
        author="" if author is None else author.name,
        subject=found.commit.message.partition("\n")[0],
    )


def pull_request(found: GitHubPullRequest) -> PullRequest:
    """Return a pull request of a list, of a single look-up, or just opened."""
    repository: Repository | None = found.head.repo
    return PullRequest(
        number=_given(found.number),
        url=_given(found.html_url),
        title=_given(found.title),
        body=found.body or "",
        state="open" if found.state == "open" else "closed",
        # Lists do not hold `merged`.
        merged=found.merged_at is not None,
        draft=bool(found.draft),
        author=actor(found.user),
        base=_given(found.base.ref),
        head_branch=_given(found.head.ref),
        head_sha=_given(found.head.sha),
        head_repository=None if repository is None else repository.full_name,
        labels=tuple(label.name for label in found.labels),
    )


def issue(found: GitHubIssue) -> Issue:
    """Return an issue of a list, of a single look-up, or just opened."""
    return Issue(
        number=_given(found.number),
        url=_given(found.html_url),
        title=_given(found.title),
        body=found.body or "",
        state="open" if found.state == "open" else "closed",
        author=actor(found.user),
        created_at=_given(found.created_at),
        labels=tuple(label.name for label in found.labels),
    )


def standing(found: GitHubPullRequest) -> Standing:
    """Return a pull request of a single look-up: lists do not hold `mergeable`, null until it is computed."""
    mergeable: bool | None = found.mergeable
    return Standing(pull_request(found), found.base.sha, None if mergeable is None else not mergeable)


def comment(found: IssueComment) -> Comment:
    """Return a comment."""
    created, updated = _given(found.created_at), _given(found.updated_at)
    return Comment(_given(found.id), actor(found.user), found.body or "", created, edited=updated > created)


def sha(document: Any) -> str:
    """Return the sha of what a write has made. Raises ServiceError where there is none."""
    if not (isinstance(document, dict) and isinstance(document.get("sha"), str)):
        raise ServiceError("GitHub's answer does not name what it made")
    return str(document["sha"])
