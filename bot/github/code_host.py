"""`CodeHost` on GitHub: each method is one request, unless it says otherwise, and a conversion."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Literal, get_args

from github.Issue import Issue as GitHubIssue
from github.IssueComment import IssueComment
from github.PaginatedList import PaginatedList
from github.PullRequest import PullRequest as GitHubPullRequest
from github.Reaction import Reaction as GitHubReaction

from bot.core.errors import Refused
from bot.core.host import (
    Actor,
    Comment,
    Gate,
    Issue,
    PermissionRole,
    Proposal,
    PullRequest,
    Reaction,
    Role,
    Standing,
)
from bot.github import answers, calls
from bot.github.commits import GitHubCommits
from bot.github.errors import NotFound, understood
from bot.github.gates import CheckRuns, Statuses
from bot.github.lookups import discussed
from bot.github.reading import (
    list_proposals,
    list_touching,
    read_blobs,
)


class GitHubHost(GitHubCommits):
    """Commits as well as everything that people talk in: pull requests, issues, comments, gates."""

    # Who

    def actor(self, role: Role) -> Actor:
        """Return the identity that writes in `role`; asked for once, with an App in two requests."""
        return self._accounts.actor(self._accounts.credentials.kind(role))

    @understood("a collaborator")
    def permission(self, login: str) -> PermissionRole:
        """Return the `role_name` of a user on the repository; `unknown` for an owner's own role."""
        try:
            role = self._base.get_collaborator_role_name(login)
        except NotFound:
            return "none"
        known: tuple[PermissionRole, ...] = get_args(PermissionRole)
        return next((name for name in known if name == role), "unknown")

    # Pull requests

    @understood("pull requests")
    def pull_requests(self, branch: str) -> tuple[PullRequest, ...]:
        """Return the pull requests, open or closed, whose head is the bot's `branch`."""
        owner = self.push_repository.partition("/")[0]
        # GitHub filters by the owner's name; that the branch is the bot's is looked at here.
        listed = self._base.get_pulls(state="all", head=f"{owner}:{branch}")
        places = {self.repository.lower(), self.push_repository.lower()}
        return tuple(
            pull
            for pull in map(answers.pull_request, listed)
            if pull.head_branch == branch and (pull.head_repository or "").lower() in places
        )

    @understood("a pull request")
    def pull_request_head(self, number: int) -> str | None:
        """Return the sha of a pull request's head, anybody's, or None if there is no such pull request."""
        try:
            return answers.pull_request(self._base.get_pull(number)).head_sha
        except NotFound:
            return None

    @understood("a pull request")
    def standing(self, number: int) -> Standing | None:
        """Return anybody's pull request and how it stands, or None if there is no such pull request."""
        try:
            return answers.standing(self._base.get_pull(number))
        except NotFound:
            return None

    def proposals(self, base: str, paths: Sequence[str]) -> tuple[Proposal, ...]:
        """Return the newest thousand open pull requests onto `base`; a request for each hundred."""
        return list_proposals(self._opener, self.repository, base, paths)

    def contents(self, ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the bytes of files by their ids, as `read` does."""
        return read_blobs(self._opener, self._base, self.repository, ids)

    def touching(self, numbers: Sequence[int], paths: Sequence[str]) -> frozenset[int]:
        """Return which of the pull requests change one of `paths`, or more than a hundred files."""
        return list_touching(self._opener, self.repository, numbers, paths)

    @understood("a pull request")
    def open_pull_request(self, branch: str, base: str, title: str, body: str) -> PullRequest:
        """Open a draft. Raises Refused when there is one already or nothing differs.

        Where the owner's plan has no drafts, GitHub refuses and a second request opens it without.
        """
        draft = calls.open_pull_request(self.repository, self._as_head(branch), base, title, body)
        try:
            document = self._send(self._opener, draft)
        except Refused as refusal:
            if "draft pull requests are not supported" not in refusal.message.lower():
                raise
            document = self._send(self._opener, replace(draft, body={**(draft.body or {}), "draft": False}))
        return answers.pull_request(GitHubPullRequest(self._opener, {}, document, completed=True))

    def edit_pull_request(self, number: int, body: str) -> None:
        """Replace the text of a pull request."""
        self._send(self._opener, calls.edit_pull_request(self.repository, number, body))

    def close_pull_request(self, number: int) -> None:
        """Close a pull request; its branch stays."""
        self._send(self._opener, calls.close_pull_request(self.repository, number))

    def mark_ready(self, number: int) -> None:
        """Say that a draft is ready for review; one request finds its id in GraphQL, and one says it."""
        pull = self._base.get_pull(number).complete()
        if pull.draft:
            self._send(self._opener, calls.mark_ready(pull.node_id))

    def add_labels(self, number: int, labels: Sequence[str]) -> None:
        """Add labels; the labels that are there stay."""
        self._send(self._opener, calls.add_labels(self.repository, number, labels))

    # Issues

    @understood("an issue")
    def issue(self, number: int) -> Issue | None:
        """Return anybody's issue, or None where there is none or it is a pull request."""
        try:
            found = self._base.get_issue(number).complete()
        except NotFound:
            return None
        return answers.issue(found) if found.pull_request is None else None

    @understood("issues")
    def bot_issues(self) -> tuple[Issue, ...]:
        """Return every issue that the identity for comments opened, the newest first; a request a hundred.

        GitHub filters by the login; that the account is the bot's is looked at here.
        """
        bot = self.actor("comment")
        wanted = {"creator": bot.login, "state": "all", "sort": "created", "direction": "desc"}
        path = f"/repos/{self.repository}/issues"
        listed = PaginatedList(GitHubIssue, self._commenter, path, wanted)
        found = (answers.issue(it) for it in listed if it.pull_request is None)
        return tuple(it for it in found if it.author.id == bot.id)

    def labels_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return those of the labels that the repository has; a request for each."""
        return tuple(name for name in names if self._has_label(name))

    def _has_label(self, name: str) -> bool:
        try:
            self._base.get_label(name).complete()
        except NotFound:
            return False
        return True

    @understood("an issue")
    def open_issue(self, title: str, body: str, labels: Sequence[str]) -> Issue:
        """Open an issue; labels that the repository lacks would be made."""
        document = self._send(self._commenter, calls.open_issue(self.repository, title, body, labels))
        return answers.issue(GitHubIssue(self._commenter, {}, document, completed=True))

    def edit_issue(self, number: int, body: str) -> None:
        """Replace the text of an issue."""
        self._send(self._commenter, calls.edit_issue(self.repository, number, body))

    def set_issue_state(self, number: int, state: Literal["open", "closed"]) -> None:
        """Close an issue, or open it again."""
        self._send(self._commenter, calls.set_issue_state(self.repository, number, state))

    # Comments

    @understood("comments")
    def comments(self, number: int) -> tuple[Comment, ...]:
        """Return every comment, oldest first; a request for each hundred."""
        return tuple(map(answers.comment, self._base.get_issue(number).get_comments()))

    def discussed_since(self, moment: datetime) -> Mapping[int, datetime]:
        """Return what was commented on since a moment, with the newest moments; a request a hundred."""
        return discussed(self._base, moment)

    @understood("reactions")
    def thumbs_up(self, comment: int) -> tuple[Actor, ...]:
        """Return who has given a comment a thumbs-up."""
        path = f"/repos/{self.repository}/issues/comments/{comment}/reactions"
        found = PaginatedList(GitHubReaction, self._opener, path, {"content": "+1"})
        return tuple(answers.actor(it.user) for it in found)

    @understood("a comment")
    def write_comment(self, number: int, body: str) -> Comment:
        """Write a new comment."""
        document = self._send(self._commenter, calls.write_comment(self.repository, number, body))
        return answers.comment(IssueComment(self._commenter, {}, document, completed=True))

    def edit_comment(self, comment: int, body: str) -> None:
        """Replace the text of the bot's own comment."""
        self._send(self._commenter, calls.edit_comment(self.repository, comment, body))

    def react(self, comment: int, reaction: Reaction) -> None:
        """Put a reaction below a comment; one that is there already stays."""
        self._send(self._commenter, calls.react(self.repository, comment, reaction))

    # Gates

    @understood("a gate")
    def gate(self, sha: str, name: str) -> Gate | None:
        """Return the newest gate of this name that the bot set on a commit."""
        return self._gates.find(sha, name)

    @understood("a gate")
    def set_gate(self, sha: str, gate: Gate) -> None:
        """Set a gate: a check run with an App, else a commit status.

        One request looks for a check run to change, but not on a commit that was just made.
        """
        if sha in self._ungated:
            self._ungated.discard(sha)
            self._send(self._gates.session, self._gates.create(sha, gate))
        else:
            self._send(self._gates.session, self._gates.write(sha, gate))

    @cached_property
    def _gates(self) -> CheckRuns | Statuses:
        app = self._accounts.credentials.app_id
        if app is not None:
            return CheckRuns(self._accounts.session("app", self.repository), self.repository, app)
        session = self._accounts.session("user", self.repository)
        return Statuses(session, self.repository, self._accounts.actor("user").id)
