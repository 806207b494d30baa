"""The log of a job, piece by piece → the few facts that its lines state, each with its line.

It is read once and never held: memory is bounded by what is kept of a line, of an attempt and of a log.
"""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.triage.clock import Clock, Silence
from bot.core.triage.harness import TELLTALE, Kind, stated
from bot.core.triage.lines import LONGEST, said, shortened, time_of

_WINDOW = 256 * 1024
"""Bytes that are looked at in one go."""
_EACH = 40
"""Facts of one kind that are kept of an attempt; the launcher repeats itself, and so do eight ranks."""
_ATTEMPTS = 12
"""Attempts that are kept, the newest ones; GitHub's launcher makes three, GitLab's nine."""
_LOOKED_AT = 4096

_OF_THE_RUNNER = frozenset({Kind.STEP, Kind.STEP_FAILED, Kind.CANCELLED})
_OF_A_TEST_THAT_BEGAN = frozenset({Kind.JOB_FAILED, Kind.CHECK_BEGAN, Kind.RESTART})
_OF_THE_RESUME_CHECK = {Kind.METRICS_FAILED: Kind.RESUME_FAILED}
_OF_THE_GOLDEN_CHECK = frozenset({Kind.EXACT_FAILED, Kind.APPROXIMATE_FAILED, Kind.APPROXIMATE_PASSED})
"""The second run is compared with the first by the same code: what it says there is not about the golden."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a line states; `check` counts the golden comparisons of the attempt that had begun by then."""

    kind: Kind
    line: int
    text: str
    subject: str = ""
    check: int = 0


Attempt = tuple[Fact, ...]
"""What one attempt of the launcher stated, in the order of the lines."""


@dataclass(frozen=True, slots=True)
class LogFacts:
    """What a log states. `source` names it; `attempts` are the launcher's, the oldest first.

    `runner` holds what the runner itself said: a step that failed or was cancelled, after the line with
    which it began. `silence` is the longest that ended in a cancellation. `began` says whether the test
    was started at all, `lines` how many there are; an empty log has none.
    """

    source: str
    lines: int
    began: bool
    attempts: tuple[Attempt, ...]
    runner: tuple[Fact, ...]
    silence: Silence | None

    def of(self, *kinds: Kind) -> tuple[Fact, ...]:
        """Return the facts of these kinds in all attempts, the oldest attempt first."""
        return tuple(fact for attempt in self.attempts for fact in attempt if fact.kind in kinds)


class LogReader:
    """Is fed the pieces of a log, of any size, and then asked for its facts."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._pending: list[bytes] = []
        self._size = 0
        self._number = 1
        self._continued = False
        self._clock = Clock()
        self._record = _Record()

    def feed(self, piece: bytes) -> None:
        """Read the next piece."""
        for at in range(0, len(piece), _WINDOW):
            self._take(piece[at : at + _WINDOW])

    def _take(self, piece: bytes) -> None:
        end = piece.rfind(b"\n") + 1
        if end:
            self._read(b"".join([*self._pending, piece[:end]]))
            self._pending, self._size = [], 0
        if end < len(piece):
            self._pending.append(piece[end:])
            self._size += len(piece) - end
        if self._size > LONGEST:
            self._read(b"".join(self._pending))
            self._pending, self._size, self._continued = [], 0, True

    def _read(self, block: bytes) -> None:
        """Read lines; the last one may be a part of a line that goes on."""
        counted = watched = 0
        found = TELLTALE.search(block)
        while found:
            start, end = _around(block, found.start(), found.end())
            self._number += block.count(b"\n", counted, start)
            counted = start
            if self._line(block[start:end], is_rest=self._continued and start == 0):
                self._clock.watch(block, watched, start)
                watched = start
                self._cancelled(block, start)
            found = TELLTALE.search(block, end)
        self._clock.watch(block, watched, len(block))
        self._number += block.count(b"\n", counted)
        self._continued = False

    def _line(self, line: bytes, *, is_rest: bool) -> bool:
        """Record what a line states, and return whether it is the cancellation."""
        text = said(line[:LONGEST])
        statement = None if is_rest else stated(text[:_LOOKED_AT])
        if statement is None:
            return False
        self._record.add(Fact(statement[0], self._number, shortened(text), statement[1]))
        return statement[0] is Kind.CANCELLED

    def _cancelled(self, block: bytes, start: int) -> None:
        now = time_of(block, start)
        if now is not None and (silence := self._clock.silence(now)):
            self._record.silent(silence)

    def facts(self, ended: datetime | None = None) -> LogFacts:
        """Return what the log states; nothing can be fed afterwards.

        `ended` is when the job did (UTC): a log that does not show the cancellation was silent until then.
        """
        if self._pending:
            self._read(b"".join(self._pending))
            self._number += 1
        if ended is not None and not self._record.is_cancelled and (silence := self._clock.silence(ended)):
            self._record.silent(silence)
        return self._record.facts(self._source, self._number - 1)


def _around(block: bytes, start: int, end: int) -> tuple[int, int]:
    """Return where the text around a place begins and ends: between line feeds and carriage returns."""
    first = block.rfind(b"\n", 0, start) + 1
    last = block.find(b"\n", end)
    last = len(block) if last < 0 else last
    first = max(first, block.rfind(b"\r", first, start) + 1)
    inner = block.find(b"\r", end, last)
    return first, last if inner < 0 else inner


class _Record:
    """The facts so far, in the launcher's attempts."""

    def __init__(self) -> None:
        self._attempts: deque[_Attempt] = deque([_Attempt()], maxlen=_ATTEMPTS)
        self._runner: list[Fact] = []
        self._silence: Silence | None = None
        self._step: Fact | None = None
        self._began = False
        self._restarts = False

    @property
    def is_cancelled(self) -> bool:
        return any(fact.kind is Kind.CANCELLED for fact in self._runner)

    def add(self, fact: Fact) -> None:
        if fact.kind in _OF_THE_RUNNER:
            self._of_the_runner(fact)
        elif fact.kind is Kind.LAUNCHED:
            self._launched()
        elif fact.kind is Kind.EXCERPT:
            # The launcher says that it tries again after the last attempt as well.
            self._restarts = False
        else:
            self._of_the_test(fact)

    def _launched(self) -> None:
        """Forget what was said before: a download that was tried twice is not why the test failed."""
        if not self._began:
            self._attempts[-1] = _Attempt()
        self._began = True

    def _of_the_runner(self, fact: Fact) -> None:
        if fact.kind is Kind.STEP:
            self._step = fact
        elif len(self._runner) < _EACH:
            step = [self._step] if self._step else []
            self._runner += [*step, fact]

    def _of_the_test(self, fact: Fact) -> None:
        self._began = self._began or fact.kind in _OF_A_TEST_THAT_BEGAN
        if self._restarts:
            self._attempts.append(_Attempt())
        self._restarts = fact.kind is Kind.RESTART
        self._attempts[-1].add(fact)

    def silent(self, silence: Silence) -> None:
        if self._silence is None or silence.seconds > self._silence.seconds:
            self._silence = silence

    def facts(self, source: str, lines: int) -> LogFacts:
        return LogFacts(
            source,
            lines,
            self._began,
            tuple(tuple(it.facts) for it in self._attempts if it.facts),
            tuple(self._runner),
            self._silence,
        )


class _Attempt:
    """The facts of one attempt, each once for each comparison: pytest shows the live log again below."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self._check = 0
        self._resumes = False
        self._seen: set[tuple[Kind, str]] = set()
        self._kept: Counter[Kind] = Counter()

    def add(self, fact: Fact) -> None:
        if fact.kind is Kind.CHECK_BEGAN:
            self._next_check()
        elif fact.kind is Kind.RESUME_CHECK_BEGAN:
            self._resumes = True
        elif not (self._resumes and fact.kind in _OF_THE_GOLDEN_CHECK):
            kind = _OF_THE_RESUME_CHECK.get(fact.kind, fact.kind) if self._resumes else fact.kind
            self._keep(replace(fact, kind=kind, check=self._check))

    def _next_check(self) -> None:
        """Forget what was right before: the first comparison that fails is the last one."""
        self._check += 1
        self._resumes = False
        self._seen = set()
        self.facts = [it for it in self.facts if it.kind is not Kind.APPROXIMATE_PASSED]
        del self._kept[Kind.APPROXIMATE_PASSED]

    def _keep(self, fact: Fact) -> None:
        key = (fact.kind, fact.subject or fact.text)
        if key not in self._seen and self._kept[fact.kind] < _EACH:
            self._seen.add(key)
            self._kept[fact.kind] += 1
            self.facts.append(fact)


def read_log(source: str, pieces: Iterable[bytes], ended: datetime | None = None) -> LogFacts:
    """Return the facts of a log that comes in pieces of any size; `ended` is when its job did (UTC)."""
    reader = LogReader(source)
    for piece in pieces:
        reader.feed(piece)
    return reader.facts(ended)
