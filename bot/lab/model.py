"""What GitHub keeps, as plain values that the world changes in place."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from bot.lab.git import Git

RoleName = str
"""`read`, `triage`, `write`, `maintain`, `admin`, `none`, or the name of a custom role."""

PERMISSION_OF_ROLE = {
    "none": "none",
    "read": "read",
    "triage": "read",
    "write": "write",
    "maintain": "write",
    "admin": "admin",
}
"""The legacy `permission` that GitHub derives from a role; custom roles come with their base role."""


@dataclass(eq=False, slots=True)
class User:
    """An account. Two users are the same one if they are the same object."""

    id: int
    login: str
    kind: Literal["User", "Bot", "Organization"]
    created_at: datetime

    @property
    def email(self) -> str:
        """The address by which GitHub knows its own commits again."""
        return f"{self.id}+{self.login}@users.noreply.github.com"


@dataclass(eq=False, slots=True)
class App:
    """A GitHub App; `bot` is the account under which its installations act."""

    id: int
    slug: str
    owner: User
    bot: User
    permissions: dict[str, str]
    public_key: str
    created_at: datetime

    @property
    def client_id(self) -> str:
        """What may stand as issuer of its JSON web tokens instead of the id."""
        return f"lab-client-{self.id}"


@dataclass(eq=False, slots=True)
class Installation:
    """An App on an account; `repositories` are the full names that it may touch."""

    id: int
    app: App
    account: User
    repositories: set[str]
    created_at: datetime


@dataclass(eq=False, slots=True)
class Label:
    """A label of a repository."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass(eq=False, slots=True)
class Reaction:
    """Somebody's reaction to a comment."""

    id: int
    user: User
    content: str
    created_at: datetime


@dataclass(eq=False, slots=True)
class Comment:
    """A comment; `app` is the App through which it was written."""

    id: int
    author: User
    body: str
    created_at: datetime
    updated_at: datetime
    app: App | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class PullRequest:
    """What a pull request has beyond its issue.

    `heads` is every commit that was its head, newest last; `base_sha` is the base branch's commit
    when the newest head came, and falls behind when the base moves.
    """

    id: int
    head_repository: "Repository"
    head_branch: str
    base_branch: str
    base_sha: str
    heads: list[str]
    draft: bool
    maintainer_can_modify: bool
    merged_at: datetime | None = None
    merged_by: User | None = None
    merge_commit_sha: str | None = None
    stale_reads: int = 0

    def read_head(self) -> str:
        """Return the head that the next reader is shown: for `stale_reads` more times the one before."""
        if self.stale_reads > 0 and len(self.heads) > 1:
            self.stale_reads -= 1
            return self.heads[-2]
        return self.head_sha

    @property
    def head_sha(self) -> str:
        """The commit that the branch had last while the pull request was open."""
        return self.heads[-1]


@dataclass(eq=False, slots=True)
class Issue:
    """An issue, or the conversation of a pull request."""

    id: int
    number: int
    author: User
    title: str
    body: str | None
    created_at: datetime
    updated_at: datetime
    state: Literal["open", "closed"] = "open"
    closed_at: datetime | None = None
    labels: list[Label] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    pull: PullRequest | None = None


@dataclass(eq=False, slots=True)
class Status:
    """A commit status."""

    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: User
    created_at: datetime


@dataclass(eq=False, slots=True)
class CheckRun:
    """A check run; `output` holds title, summary and text."""

    id: int
    app: App
    sha: str
    name: str
    status: str
    conclusion: str | None
    started_at: datetime
    completed_at: datetime | None
    details_url: str | None
    external_id: str
    output: dict[str, str | None]


@dataclass(eq=False, slots=True)
class Repository:
    """A repository; forks share `git` with their parent, each under refs of its own."""

    id: int
    owner: User
    name: str
    default_branch: str
    private: bool
    git: Git
    created_at: datetime
    parent: "Repository | None" = None
    roles: dict[int, RoleName] = field(default_factory=dict)
    base_of_custom_roles: dict[str, str] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    statuses: list[Status] = field(default_factory=list)
    check_runs: list[CheckRun] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner.login}/{self.name}"

    def ref(self, name: str) -> str:
        """Return where git keeps the ref that the API calls `refs/heads/main`."""
        return f"refs/repositories/{self.id}/{name.removeprefix('refs/')}"

    def branch(self, name: str) -> str | None:
        """Return the commit that a branch points to, or None."""
        return self.git.ref(self.ref(f"refs/heads/{name}"))


@dataclass(frozen=True, slots=True)
class RefMove:
    """A branch that was created (`old` is None), moved or deleted (`new` is None), and by whom."""

    repository: Repository
    branch: str
    old: str | None
    new: str | None
    by: User
    fast_forward: bool


@dataclass(frozen=True, slots=True)
class CommentEvent:
    """A comment that was `created` or `edited` by somebody."""

    action: Literal["created", "edited"]
    repository: Repository
    issue: Issue
    comment: Comment
    by: User
