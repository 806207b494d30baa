"""The board of one process: keeps what each look of the service saw, for whoever looks at the page.

Nothing is kept on disk: after a restart the next looks fill it again, and timelines begin anew.
"""

import threading
from collections import deque
from dataclasses import replace
from datetime import datetime, timedelta

from bot.core.board import Board, Bump, Event, GoldenChange, Heartbeat, Repository, Track, followed
from bot.core.testrecipes.tracking import Listed

EVENTS = 200
"""Events that are kept; the oldest go first."""

_OLD_BUMPS = 6
"""Bumps of one track that are kept; the oldest go first."""

_TrackKey = tuple[str, str, str]


class MemoryBoard:
    """Implements `bot.service_ports.BoardReader`, and takes what the service saw; safe for threads.

    `interval` is how often the service means to look around.
    """

    def __init__(self, mode: str, interval: timedelta) -> None:
        self._lock = threading.Lock()
        self._mode = mode
        self._heartbeat = Heartbeat(interval)
        self._repositories: dict[str, Repository] = {}
        self._tracks: dict[_TrackKey, Track] = {}
        self._bumps: dict[_TrackKey, dict[str, Bump]] = {}
        self._events: deque[Event] = deque(maxlen=EVENTS)

    def ticked(self, at: datetime, *, failed: bool = False) -> None:
        """Record that the service has looked around, and whether something failed."""
        with self._lock:
            success = self._heartbeat.success if failed else at
            self._heartbeat = replace(self._heartbeat, tick=at, success=success)

    def saw_release(self, at: datetime) -> None:
        """Record that a release was seen for the first time."""
        with self._lock:
            self._heartbeat = replace(self._heartbeat, release=at)

    def saw_repository(self, name: str, *, paused: str | None = None) -> None:
        """Record a repository that the bot looks after, and who or what has paused it."""
        with self._lock:
            self._repositories[name.lower()] = replace(self._repository(name), paused=paused)

    def saw_track(self, repository: str, track: Track) -> None:
        """Record what the pins of a track say and what its newest release is; bumps are recorded apart."""
        with self._lock:
            self._repositories.setdefault(repository.lower(), Repository(repository))
            self._tracks[repository.lower(), track.base, track.name] = track

    def saw_bump(self, bump: Bump) -> None:
        """Record how a bump stands after a look at it; its timeline goes on from the last one."""
        with self._lock:
            bumps = self._bumps.setdefault(bump.key[:3], {})
            bumps[bump.tag] = followed(bumps.pop(bump.tag, None), bump)
            for tag in list(bumps)[:-_OLD_BUMPS]:
                del bumps[tag]

    def saw_goldens(self, bump: Bump, changes: tuple[GoldenChange, ...]) -> None:
        """Record the goldens that a bump changes; of a bump that is not known nothing is kept."""
        with self._lock:
            bumps = self._bumps.get(bump.key[:3], {})
            if bump.tag in bumps:
                bumps[bump.tag] = replace(bumps[bump.tag], goldens=changes)

    def saw_quarantines(self, repository: str, quarantines: tuple[Listed, ...]) -> None:
        """Record every quarantine of a repository."""
        with self._lock:
            found = replace(self._repository(repository), quarantines=quarantines)
            self._repositories[repository.lower()] = found

    def happened(self, event: Event) -> None:
        """Record something for the list of events."""
        with self._lock:
            self._events.appendleft(event)

    def snapshot(self) -> Board:
        with self._lock:
            repositories = tuple(self._complete(name, it) for name, it in sorted(self._repositories.items()))
            return Board(self._mode, self._heartbeat, repositories, tuple(self._events))

    def _repository(self, name: str) -> Repository:
        return self._repositories.get(name.lower(), Repository(name))

    def _complete(self, name: str, repository: Repository) -> Repository:
        keys = sorted({key for key in (*self._tracks, *self._bumps) if key[0] == name})
        return replace(repository, tracks=tuple(self._track(key) for key in keys))

    def _track(self, key: _TrackKey) -> Track:
        _, base, name = key
        track = self._tracks.get(key) or Track(base, name, None, in_sync=False, pins=())
        newest_first = sorted(self._bumps.get(key, {}).values(), key=lambda it: it.at, reverse=True)
        return replace(track, bumps=tuple(newest_first))
