"""The times in a log → the silence before a moment: how long it was, and after which line."""

import re
from dataclasses import dataclass
from datetime import datetime

from bot.core.triage.lines import STAMP, said, shortened, time_of

_STAMPED = re.compile(rb"^" + STAMP.pattern, re.MULTILINE)

_SHORTEST = 60
"""Seconds below which nobody asks about a silence; recipes count it in minutes."""

_KEPT = 4096
"""Bytes that are kept of the last line."""

_LAST_WORDS = 30
"""Seconds in which a cancelled process may still speak: the runner interrupts it, and kills it 10 s later
(https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-cancellation)."""


@dataclass(frozen=True, slots=True)
class Silence:
    """A stretch of a log without a line, in seconds, and the line before it."""

    seconds: float
    line: int
    text: str


class Clock:
    """Is shown a log from the first line to the last, and remembers its newest long silence."""

    def __init__(self) -> None:
        self._number = 1
        self._last: _Stamped | None = None
        self._newest: tuple[Silence, datetime] | None = None

    def watch(self, block: bytes, start: int, end: int) -> None:
        """Look at the lines of a block that begin in `start`..`end`; no line is left out between calls."""
        minute, before = b"", -1
        for stamp in _STAMPED.finditer(block, start, end):
            # Most lines are of the minute of the line before: nothing is to be done for them.
            if stamp[1][:16] != minute:
                minute = stamp[1][:16]
                if before >= 0:
                    start = self._note(block, start, before)
                start = self._note(block, start, stamp.start())
            before = stamp.start()
        if before >= 0:
            start = self._note(block, start, before)
        self._number += block.count(b"\n", start, end)

    def _note(self, block: bytes, counted: int, start: int) -> int:
        """Remember the line at `start`, and return where lines are counted from now on."""
        self._number += block.count(b"\n", counted, start)
        if now := time_of(block, start):
            if self._last and self._last.seconds_to(now) >= _SHORTEST:
                self._newest = self._last.silence(now), now
            end = block.find(b"\n", start)
            line = block[start : end if end >= 0 else len(block)][:_KEPT]
            self._last = _Stamped(now, self._number, line)
        return start

    def silence(self, now: datetime) -> Silence | None:
        """Return how long nothing had been written at a moment that stands after all lines watched so far."""
        if self._newest and (now - self._newest[1]).total_seconds() <= _LAST_WORDS:
            return self._newest[0]
        return self._last.silence(now) if self._last else None


@dataclass(frozen=True, slots=True)
class _Stamped:
    time: datetime
    number: int
    line: bytes

    def seconds_to(self, now: datetime) -> float:
        return (now - self.time).total_seconds()

    def silence(self, now: datetime) -> Silence:
        return Silence(self.seconds_to(now), self.number, shortened(said(self.line)))
