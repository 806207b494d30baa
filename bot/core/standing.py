"""What the service knows of its own work, as values: for health checks, metrics and pages."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.core.host import PullRequest

MISSED = 3
"""After so many intervals without a whole look the heartbeat is missed."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A repository in which the bot does nothing until it is told to resume.

    `by` is the login of who asked for that, `number` the conversation in which it was said.
    """

    by: str
    number: int
    since: datetime


@dataclass(frozen=True, slots=True)
class ReleaseSeen:
    """The newest release of a track that the registry shows, and since when the bot knows it (UTC).

    `decision` says in words what the schedule makes of it; `alerts` are tags that were pushed again.
    """

    repository: str
    track: str
    tag: str
    first_seen: datetime
    decision: str = ""
    alerts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BumpStanding:
    """How a bump stood when the bot last looked at it.

    `state` is `waiting`, `asking`, `ready` or `stopped`, `sentences` say why; `at` is that moment (UTC).
    `number` is that of its pull request, 0 where none is known; `pull_request` is None for one that is
    stopped. `approval` is `none`, `asked`, `taken` or `late`.
    """

    repository: str
    base: str
    track: str
    tag: str
    state: str
    at: datetime
    sentences: tuple[str, ...] = ()
    number: int = 0
    pull_request: PullRequest | None = None
    head: str = ""
    approval: str = "none"
    run_url: str | None = None
    verdicts: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """When the service last looked at everything of a repository, whether well or not (UTC).

    `interval` is how often it means to; `problem` is what the last look failed by.
    """

    repository: str
    started_at: datetime
    interval: timedelta
    last_tick: datetime | None = None
    last_success: datetime | None = None
    problem: str = ""

    def is_missed(self, now: datetime) -> bool:
        """Return whether no whole look has ended well for too long; a clock set back proves nothing."""
        since = max(self.started_at, self.last_success or self.started_at)
        return now - since > MISSED * self.interval


@dataclass(frozen=True, slots=True)
class ServiceState:
    """Everything at once; each tuple is ordered by repository."""

    heartbeats: tuple[Heartbeat, ...] = ()
    bumps: tuple[BumpStanding, ...] = ()
    releases: tuple[ReleaseSeen, ...] = ()
    pauses: dict[str, Pause] = field(default_factory=dict)
