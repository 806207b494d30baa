"""GitHub's documents, as PyGithub reads them, turned into the values of the core.

Only fields are touched that the documents of these calls hold: any other would cost a request.
"""

from github.Commit import Commit as GitHubCommit
from github.GitAuthor import GitAuthor
from github.Issue import Issue as GitHubIssue
from github.IssueComment import IssueComment
from github.NamedUser import NamedUser
from github.Organization import Organization
from github.PullRequest import PullRequest as GitHubPullRequest
from github.Repository import Repository

from bot.core.host import Actor, Comment, Commit, Head, Issue, PullRequest

_GHOST = Actor(10137, "ghost")
"""Whom GitHub shows in place of a deleted account (https://github.com/ghost)."""


def actor(user: NamedUser | Organization | None) -> Actor:
    """Return an author; `type` tells Apps from people."""
    return _GHOST if user is None else Actor(user.id, user.login, is_app=user.type == "Bot")


def head(commit: GitHubCommit) -> Head:
    """Return a commit and its tree."""
    return Head(commit.sha, commit.commit.tree.sha)


def commit(found: GitHubCommit) -> Commit:
    """Return a commit of a comparison; its author is the one that git knows, who may have no account."""
    author: GitAuthor | None = found.commit.author
    return Commit(
        sha=found.sha,
        tree=found.commit.tree.sha,
        parents=tuple(parent.sha for parent in found.parents),
        author="" if author is None else author.name,
        subject=found.commit.message.partition("\n")[0],
    )


def pull_request(found: GitHubPullRequest) -> PullRequest:
    """Return a pull request of a list, of a single look-up, or just opened."""
    repository: Repository | None = found.head.repo
    return PullRequest(
        number=found.number,
        url=found.html_url,
        title=found.title,
        body=found.body or "",
        state="open" if found.state == "open" else "closed",
        # Lists do not hold `merged`.
        merged=found.merged_at is not None,
        draft=bool(found.draft),
        author=actor(found.user),
        base=found.base.ref,
        head_branch=found.head.ref,
        head_sha=found.head.sha,
        head_repository=None if repository is None else repository.full_name,
        labels=tuple(label.name for label in found.labels),
    )


def issue(found: GitHubIssue) -> Issue:
    """Return an issue of a list, of a single look-up, or just opened."""
    return Issue(
        number=found.number,
        url=found.html_url,
        title=found.title,
        body=found.body or "",
        state="open" if found.state == "open" else "closed",
        author=actor(found.user),
        created_at=found.created_at,
        labels=tuple(label.name for label in found.labels),
    )


def comment(found: IssueComment) -> Comment:
    """Return a comment."""
    return Comment(found.id, actor(found.user), found.body or "", found.created_at)
