"""`CodeHost` on GitHub: each method is one request, unless it says otherwise, and a conversion."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from github.Issue import Issue as GitHubIssue
from github.IssueComment import IssueComment
from github.PaginatedList import PaginatedList
from github.PullRequest import PullRequest as GitHubPullRequest
from github.Reaction import Reaction as GitHubReaction
from github.Repository import Repository

from bot.core.errors import Refused, UsageError
from bot.core.host import (
    Actor,
    Call,
    Comment,
    CommitRange,
    Gate,
    Head,
    Issue,
    PermissionRole,
    Proposal,
    PullRequest,
    Reaction,
    Role,
)
from bot.github import answers, calls, trees
from bot.github.auth import Accounts
from bot.github.errors import NotFound, understood
from bot.github.gates import CheckRuns, Statuses
from bot.github.reading import (
    branch_sha,
    list_folder,
    list_proposals,
    list_touching,
    list_tree,
    read_blobs,
    read_files,
)
from bot.github.session import Session

COMMITS_LISTED = 250


class GitHubHost:
    """One repository, and the one where the bot pushes: the same, or a fork of another owner."""

    def __init__(self, repository: str, push_repository: str, accounts: Accounts) -> None:
        owners = {name.partition("/")[0].lower() for name in (repository, push_repository)}
        if repository != push_repository and len(owners) == 1:
            raise UsageError(
                f"`{push_repository}` and `{repository}` have one owner; GitHub tells forks by their owners",
                hint="push to the repository itself, or to a fork of another account",
            )
        self.repository = repository
        self.push_repository = push_repository
        self._accounts = accounts
        self._base_seen: tuple[str, Head] | None = None
        self._synced: Head | None = None
        self._ungated: set[str] = set()

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

    # Commits

    @understood("a branch")
    def base_head(self, branch: str) -> Head | None:
        """Return the head of a branch of the repository, or None if there is no such branch.

        Where the branch is missing, a second request proves that the repository is not.
        """
        try:
            found = self._base.get_branch(branch)
        except NotFound:
            self._opener.requestJsonAndCheck("GET", f"/repos/{self.repository}")
            return None
        self._refuse_renamed(found.commit.url)
        head = answers.head(found.commit)
        self._base_seen = (branch, head)
        return head

    def _refuse_renamed(self, url: str) -> None:
        # GitHub sends requests for an old name on to the new one, and drops their questions on the way.
        name = "/".join(urlsplit(url).path.partition("/repos/")[2].split("/")[:2])
        if name and name.lower() != self.repository.lower():
            raise Refused(f"`{self.repository}` is now `{name}`", hint="use the new name in the bump recipe")

    def bot_head(self, branch: str) -> str | None:
        """Return the sha of the head of a branch where the bot pushes, or None."""
        return branch_sha(self._push, branch)

    def mirror_head(self, number: int) -> str | None:
        """Return the sha of `pull-request/<number>`, the branch that copy-pr-bot moves, or None."""
        return branch_sha(self._base, f"pull-request/{number}")

    @understood("a comparison")
    def commits(self, base: str, head: str) -> CommitRange:
        """Return what `head` adds to `base`, up to 250 commits; a request for each hundred."""
        # Completed at once: a list that is taken from an incomplete comparison asks for its first page again.
        found = self._base.compare(base, self._as_head(head)).complete()
        listed = tuple(answers.commit(it) for it in islice(found.commits, COMMITS_LISTED))
        merge_base = answers.head(found.merge_base_commit)
        return CommitRange(merge_base, listed, complete=found.total_commits == len(listed))

    def read(self, sha: str, paths: Sequence[str]) -> Mapping[str, bytes | None]:
        """Return each file's exact bytes at a commit, None where there is no such file.

        A request for each hundred files, and one more for each file that GraphQL cannot give exactly.
        """
        places = {self.repository: self._base, self.push_repository: self._push}
        return read_files(self._opener, places, sha, paths)

    @understood("a folder")
    def list_files(self, sha: str, folder: str) -> tuple[str, ...]:
        """Return the paths of the files below a folder at a commit, sorted.

        A request for the commit, one for the folders on the way, and one for all that is below.
        """
        tree = self._base.get_git_commit(sha).tree.sha
        return list_folder(self._opener, self._base, self.repository, tree, folder)

    def tree_id(self, base_tree: str, files: Mapping[str, bytes]) -> str:
        """Return the id of the tree that `write_tree` would make; nothing is written."""
        return trees.root_id(self._listing(base_tree, tuple(files)), files)

    def write_tree(self, base_tree: str, files: Mapping[str, bytes]) -> str:
        """Create the tree that is `base_tree` with other files in it, and return its sha.

        One request reads the modes of the files, one writes each megabyte of text, and one each file that
        is no text. A fork is first brought up to the base branch, if it is built on that.
        """
        self._sync_fork(base_tree)
        entries = trees.entries(self._listing(base_tree, tuple(files)), files)
        for data in (files[entry["path"]] for entry in entries if "sha" in entry):
            self._send(self._committer, calls.create_blob(self.push_repository, data))
        tree = base_tree
        for batch in trees.batches(entries):
            call = calls.create_tree(self.push_repository, tree, batch)
            tree = answers.sha(self._send(self._committer, call))
        return tree

    def _listing(self, tree: str, paths: Sequence[str]) -> trees.Listing:
        # Until a fork is brought up to the base branch, only the repository itself knows its tree.
        if self._base_seen is not None and self._base_seen[1].tree == tree:
            return list_tree(self._opener, self._base, self.repository, tree, paths)
        return list_tree(self._committer, self._push, self.push_repository, tree, paths)

    def _sync_fork(self, base_tree: str) -> None:
        if self.push_repository == self.repository or self._base_seen is None:
            return
        branch, head = self._base_seen
        if head.tree == base_tree and head != self._synced:
            self._send(self._committer, calls.sync_fork(self.push_repository, branch))
            self._synced = head

    def write_commit(self, tree: str, parent: str, message: str) -> str:
        """Create a commit and return its sha; no branch points to it yet."""
        call = calls.create_commit(self.push_repository, tree, parent, message)
        sha = answers.sha(self._send(self._committer, call))
        self._ungated.add(sha)
        return sha

    def create_branch(self, branch: str, sha: str) -> None:
        """Point a new branch to `sha`. Raises Refused when the branch is there already."""
        self._send(self._committer, calls.create_branch(self.push_repository, branch, sha))

    def advance_branch(self, branch: str, sha: str) -> None:
        """Move a branch forward to `sha`, never by force. Raises Refused when that is no fast-forward."""
        self._send(self._committer, calls.advance_branch(self.push_repository, branch, sha))

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

    # How

    @property
    def _committer(self) -> Session:
        return self._session("commit", self.push_repository)

    @property
    def _opener(self) -> Session:
        return self._session("pull_request", self.repository)

    @property
    def _commenter(self) -> Session:
        return self._session("comment", self.repository)

    def _session(self, role: Role, place: str) -> Session:
        return self._accounts.session(self._accounts.credentials.kind(role), place)

    @cached_property
    def _base(self) -> Repository:
        return Repository(self._opener, url=f"/repos/{self.repository}")

    @cached_property
    def _push(self) -> Repository:
        return Repository(self._committer, url=f"/repos/{self.push_repository}")

    def _as_head(self, name: str) -> str:
        """Return how the repository's API calls a branch or commit where the bot pushes."""
        owner = self.push_repository.partition("/")[0]
        return name if self.push_repository == self.repository else f"{owner}:{name}"

    def _send(self, session: Session, call: Call) -> Any:
        """Make a write and return what GitHub answers; a dry run has another way."""
        return session.send(call)
