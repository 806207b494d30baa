"""What the service alone needs from outside, as Protocols: its queue, its log of commands, its page."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

from bot.core.board import Board, Bump, Event, Track
from bot.core.command_log import CommandState
from bot.core.goldens.trajectory import Panel
from bot.core.standing import Pause, ServiceState
from bot.core.work import Again, Key, WorkState

WorkHandler = Callable[[Key], Again | None]
"""Looks at a key. Anything it does is safe to be done once more."""


class WorkQueue(Protocol):
    """Keyed work: a handler looks at a key, in one lane at one key at a time, until nothing asks any more.

    Whatever is poked is looked at afterwards, by a run that begins after the poke: no poke is lost, and
    any number of pokes before that run is one piece of work. A poke during a run of its key causes exactly
    one further run. A run that fails is tried again after a pause that grows, and that no poke shortens.
    """

    def poke(self, key: Key, *, after: float = 0.0) -> None:
        """Ask for a look at `key`, not before `after` seconds have passed. Never waits for the work."""
        ...

    def every(self, seconds: float, key: Key) -> None:
        """Poke `key` now and then each `seconds`; ticks that were missed are not made up for."""
        ...

    def start(self, handler: "WorkHandler") -> None:
        """Begin to work. `handler` may return `Again`, and whatever it raises is a failure."""
        ...

    def stop(self, grace: float) -> tuple[Key, ...]:
        """Begin nothing more, let what runs end within `grace` seconds, and return what is left undone.

        A key whose run has not ended by then is among what is left.
        """
        ...

    def state(self) -> WorkState:
        """Return how much there is to do; cheap enough for every health check."""
        ...


class CommandLog(Protocol):
    """How far the bot got with the commands of comments. Commands count from 0 in their comment.

    What is recorded outlives the process. Repositories are told apart without case.
    """

    def comments_read(self, repository: str) -> datetime | None:
        """Return up to which moment the comments of a repository have been read (UTC), None at first."""
        ...

    def read_comments(self, repository: str, until: datetime) -> None:
        """Record that all comments up to a moment have been read; an earlier moment changes nothing."""
        ...

    def command_state(self, repository: str, comment: int, position: int) -> CommandState | None:
        """Return how far the bot got with a command, None where it has not begun."""
        ...

    def begin_command(self, repository: str, comment: int, position: int, verb: str, author: int) -> None:
        """Record a command before anything is done for it; one that has begun stays as it is."""
        ...

    def decide_command(self, repository: str, comment: int, position: int, outcome: str) -> str:
        """Record the outcome of a command that has begun, and return the first one: it stands."""
        ...

    def aim_command(self, repository: str, comment: int, position: int, aim: str) -> str:
        """Record on what a command that has begun is carried out, and return the first such: it stands."""
        ...

    def given_since(self, repository: str, author: int, verb: str, since: datetime) -> tuple[datetime, ...]:
        """Return when a person (by numeric id) gave a command, from `since` on, the first time first."""
        ...

    def answer_of(self, repository: str, comment: int) -> int | None:
        """Return the id of the comment that answers a comment, None while there is none."""
        ...

    def answered(self, repository: str, comment: int, answer: int) -> None:
        """Record the comment that answers a comment; the first one stands."""
        ...


class BoardReader(Protocol):
    """What the service knows, for the page."""

    def snapshot(self) -> Board:
        """Return it as it is now; cheap enough for every look at the page, and never a question outside."""
        ...


class BoardWriter(Protocol):
    """Takes what the service saw, for the page; any thread may write."""

    def ticked(self, at: datetime, *, failed: bool = False) -> None:
        """Record that the service has looked around, and whether something failed."""
        ...

    def saw_release(self, at: datetime) -> None:
        """Record that a release was seen for the first time."""
        ...

    def saw_repository(self, name: str, *, paused: str | None = None) -> None:
        """Record a repository that the bot looks after, and who or what has paused it."""
        ...

    def saw_track(self, repository: str, track: Track) -> None:
        """Record what the pins of a track say and what its newest release is."""
        ...

    def saw_bump(self, bump: Bump) -> None:
        """Record how a bump stands after a look at it."""
        ...

    def happened(self, event: Event) -> None:
        """Record something for the list of events."""
        ...


class PageFiles(Protocol):
    """Pages for people, rendered from a template by name, and the files that they name."""

    def render(self, template: str, **values: object) -> str:
        """Return the page; every value is escaped."""
        ...

    def asset(self, name: str) -> bytes:
        """Return a file by its name."""
        ...


class ChartImages(Protocol):
    """Draws charts of golden values for pages."""

    def svg(self, file: str, panels: tuple[Panel, ...]) -> bytes:
        """Return a chart of at least one panel for a golden file, as an SVG; safe for threads."""
        ...


class Discussions(Protocol):
    """The conversations of one repository on a code host."""

    def discussed_since(self, moment: datetime) -> Mapping[int, datetime]:
        """Return the issues and pull requests with comments that were written or edited since a moment.

        For each number it is the moment (UTC) of the newest one. Raises what a `CodeHost` raises.
        """
        ...


class Pauses(Protocol):
    """The repositories in which the bot does nothing for now. What is recorded outlives the process.

    Repositories are told apart without case; every method raises ServiceError when the database fails.
    """

    def paused(self, repository: str) -> Pause | None:
        """Return who has paused a repository, None for one in which the bot works."""
        ...

    def pause(self, repository: str, by: str, number: int) -> None:
        """Pause a repository on a person's word in conversation `number`; the first pause stays."""
        ...

    def resume(self, repository: str) -> None:
        """End a pause; where there is none nothing changes."""
        ...


class Standing(Protocol):
    """What the service knows of its own work; cheap enough for every request of a page."""

    def state(self) -> ServiceState:
        """Return everything as it was when the bot last looked."""
        ...


class Meter(Protocol):
    """Numbers for whoever watches the service. Nothing here ever fails."""

    def looked(self, kind: str, seconds: float, *, ok: bool) -> None:
        """Count a look at a key of a kind, such as `resync`, and how long it took."""
        ...

    def released(self, track: str, seconds: float) -> None:
        """Note how long after the first sight of a release its bump began."""
        ...

    def wrote(self, what: str) -> None:
        """Count a step of a bump that was written, such as `approval`."""
        ...

    def ready(self, seconds: float) -> None:
        """Note how long after the first sight of a release its pull request was ready for review."""
        ...

    def judged(self, kind: str, number: int) -> None:
        """Count verdicts of a kind."""
        ...
