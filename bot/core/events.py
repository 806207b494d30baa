"""What happened outside, as values: an event only says where to look again, never what to believe."""

from dataclasses import dataclass

from bot.core.host import Actor


@dataclass(frozen=True, slots=True)
class CommentCreated:
    """A comment on an issue or pull request `number` of `repository` (`owner/name`).

    `comment` is its id; edited and deleted comments are no events.
    """

    repository: str
    number: int
    comment: int
    author: Actor
    body: str
    on_pull_request: bool


@dataclass(frozen=True, slots=True)
class RunCompleted:
    """A run of a workflow has ended. `pull_requests` are the numbers that the host connects with it."""

    repository: str
    run: int
    branch: str
    sha: str
    conclusion: str | None
    pull_requests: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PullRequestChanged:
    """A pull request was opened, closed, pushed to, labelled or the like; `head_branch` is its branch."""

    repository: str
    number: int
    action: str
    head_branch: str


@dataclass(frozen=True, slots=True)
class IssueChanged:
    """An issue was closed or reopened: it may be the tracking issue of a quarantine."""

    repository: str
    number: int
    action: str


@dataclass(frozen=True, slots=True)
class CheckRequested:
    """A person asked for a check of the bot once more, on the pull requests of that commit."""

    repository: str
    sha: str
    pull_requests: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BranchPushed:
    """A branch moved to the commit `sha`."""

    repository: str
    branch: str
    sha: str


@dataclass(frozen=True, slots=True)
class PipelineFinished:
    """A pipeline of a GitLab project (`group/name`) has ended, for a branch and commit."""

    project: str
    pipeline: int
    branch: str
    sha: str
    status: str


@dataclass(frozen=True, slots=True)
class TagSeen:
    """A registry shows a new tag for a track of `repository`."""

    repository: str
    track: str
    tag: str


Event = (
    CommentCreated
    | RunCompleted
    | PullRequestChanged
    | IssueChanged
    | CheckRequested
    | BranchPushed
    | PipelineFinished
    | TagSeen
)
"""Everything that can make the bot look again."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A genuine delivery that cannot concern the bot, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unauthentic:
    """A delivery that nobody who knows the secret has sent; nothing of it was parsed."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A genuine delivery whose body is not what its sender documents."""

    reason: str


Delivery = Event | Ignored | Unauthentic | Unreadable
"""What a delivery of a webhook turns out to be."""
