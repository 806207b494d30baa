"""What the service remembers of its own work, in memory: the newest of each thing, for whoever asks."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from bot.core.board import Event
from bot.core.standing import BumpStanding, Heartbeat, Pause, ReleaseSeen, ServiceState
from bot.service_ports import BoardWriter


class Notebook:
    """Implements `bot.service_ports.Standing`; every method may be called by any thread.

    `now` returns the present moment with its zone, `interval` is how often all of a repository is looked at.
    `board` is what the page shows.
    """

    def __init__(self, now: Callable[[], datetime], interval: timedelta, board: BoardWriter) -> None:
        self.board = board
        self._now = now
        self._interval = interval
        self._lock = threading.Lock()
        self._hearts: dict[str, Heartbeat] = {}
        self._bumps: dict[tuple[str, str, str], BumpStanding] = {}
        self._releases: dict[tuple[str, str], ReleaseSeen] = {}
        self._pauses: dict[str, Pause] = {}

    def state(self) -> ServiceState:
        with self._lock:
            return ServiceState(
                tuple(self._hearts[key] for key in sorted(self._hearts)),
                tuple(self._bumps[key] for key in sorted(self._bumps)),
                tuple(self._releases[key] for key in sorted(self._releases)),
                dict(self._pauses),
            )

    def watches(self, repository: str) -> None:
        """Begin to expect a heartbeat of a repository."""
        with self._lock:
            self._hearts[repository.lower()] = Heartbeat(repository, self._now(), self._interval)
        self.board.saw_repository(repository)

    def beat(self, repository: str, problem: str = "") -> None:
        """Note that everything of a repository was looked at, and by what that failed, if it did."""
        key, now = repository.lower(), self._now()
        with self._lock:
            heart = replace(self._hearts[key], last_tick=now, problem=problem)
            self._hearts[key] = heart if problem else replace(heart, last_success=now)
            is_failing = any(it.problem for it in self._hearts.values())
        self.board.ticked(now, failed=is_failing)

    def bump(self, standing: BumpStanding) -> None:
        """Note how a bump stands, in place of what was known of that track."""
        key = (standing.repository.lower(), standing.base, standing.track)
        with self._lock:
            self._bumps[key] = standing

    def only_bumps(self, repository: str, tracks: frozenset[tuple[str, str]]) -> None:
        """Forget the bumps of a repository onto other (base, track) than these: they have ended."""
        with self._lock:
            for key in [it for it in self._bumps if it[0] == repository.lower() and it[1:] not in tracks]:
                del self._bumps[key]

    def standing(self, repository: str, number: int) -> BumpStanding | None:
        """Return what is known of the bump of a pull request."""
        with self._lock:
            ours = (it for it in self._bumps.values() if it.repository.lower() == repository.lower())
            return next((it for it in ours if it.number == number), None)

    def release(self, seen: ReleaseSeen) -> None:
        """Note the newest release of a track."""
        key = (seen.repository.lower(), seen.track)
        with self._lock:
            before = self._releases.get(key)
            self._releases[key] = seen
        if before is None or before.tag != seen.tag:
            self.board.saw_release(seen.first_seen)
        for alert in seen.alerts if before is None or before.alerts != seen.alerts else ():
            self.board.happened(Event(self._now(), seen.repository, alert))

    def pause(self, repository: str, pause: Pause | None) -> None:
        """Note that a repository is paused, or that it is not."""
        with self._lock:
            self._pauses.pop(repository.lower(), None)
            if pause is not None:
                self._pauses[repository.lower()] = pause
        said = f"{pause.by} in #{pause.number}" if pause else None
        self.board.saw_repository(repository, paused=said)
