"""Which key is due when: the bookkeeping of one process's queue, without threads and without a clock."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.core.work import Key, WorkState


@dataclass(frozen=True, slots=True)
class Patience:
    """How failures are met: the first pause in seconds, which doubles up to `longest`, and how many tries.

    After the last try a key waits until it is poked, and for its pause.
    """

    first: float = 2.0
    longest: float = 300.0
    tries: int = 10

    def pause(self, failures: int, chance: float) -> float:
        """Return the seconds to wait after so many failures; `chance` (0 to 1) spreads them over a half."""
        # The exponent is capped before the power: 2.0 ** 1100 is an error.
        whole = min(self.longest, self.first * 2.0 ** min(failures - 1, 60))
        return whole * (0.5 + chance / 2)


@dataclass(slots=True)
class _Entry:
    """What is known of a key that has work: the moments asked for, and what became of it so far."""

    due: list[float] = field(default_factory=list)
    failures: int = 0
    held_until: float = float("-inf")
    running: bool = False
    queued: float | None = None

    @property
    def given_up(self) -> bool:
        """Whether it failed, and nobody has asked for it since."""
        return self.failures > 0 and not self.due and not self.running

    def start(self) -> float | None:
        """Return the moment from which it may run, None where nothing is asked for."""
        return max(min(self.due), self.held_until) if self.due and not self.running else None


@dataclass(slots=True)
class _Periodic:
    seconds: float
    next: float


class Agenda:
    """Every method is called by one thread at a time; `now` is the present moment in seconds."""

    def __init__(self, patience: Patience, chance: Callable[[], float]) -> None:
        self._patience = patience
        self._chance = chance
        self._entries: dict[Key, _Entry] = {}
        self._periodic: dict[Key, _Periodic] = {}
        # Ordered by the moment of the start. What has changed since is left in, and passed over later.
        self._starts: list[tuple[float, Key]] = []
        self._parked: dict[str, list[tuple[float, Key]]] = {}

    def poke(self, key: Key, moment: float) -> bool:
        """Ask for a run that begins at `moment` or later; return whether `take` is to be called for it.

        A key that is asked for already, or whose lane is busy, is found without.
        """
        entry = self._entries.setdefault(key, _Entry())
        if moment not in entry.due:
            entry.due.append(moment)
        return self._queue(key, entry) and key.lane not in self._parked

    def every(self, seconds: float, key: Key, now: float) -> None:
        """Ask for a run now and each `seconds` from then on."""
        self._periodic[key] = _Periodic(seconds, now)

    def take(self, now: float) -> Key | None:
        """Return the key that has waited longest, marked as running, or None when nothing is due."""
        self._tick(now)
        while self._starts and self._starts[0][0] <= now:
            start, key = heapq.heappop(self._starts)
            entry = self._entries.get(key)
            if entry is None or entry.queued != start:
                continue
            if key.lane in self._parked:
                self._parked[key.lane].append((start, key))
                continue
            # This run begins after every moment up to now: it answers all of them.
            entry.due = [moment for moment in entry.due if moment > now]
            entry.running, entry.queued = True, None
            self._parked[key.lane] = []
            return key
        return None

    def next_start(self, now: float) -> float | None:
        """Return how many seconds there may be until something is due, None where nothing is asked for."""
        moments = [it.next for it in self._periodic.values()]
        moments += [self._starts[0][0]] if self._starts else []
        return max(0.0, min(moments) - now) if moments else None

    def done(self, key: Key) -> None:
        """Note that a run has ended well."""
        entry = self._release(key)
        entry.failures, entry.held_until = 0, float("-inf")
        if entry.due:
            self._queue(key, entry)
        else:
            del self._entries[key]

    def failed(self, key: Key, now: float) -> bool:
        """Note that a run has failed, and return whether it is tried again without being asked."""
        entry = self._release(key)
        entry.failures += 1
        entry.held_until = now + self._patience.pause(entry.failures, self._chance())
        if entry.failures < self._patience.tries:
            entry.due.append(now)
        self._queue(key, entry)
        return not entry.given_up

    def undone(self) -> tuple[Key, ...]:
        """Return every key that has work or is running, the one that has waited longest first."""
        left = {key: min(entry.due, default=float("-inf")) for key, entry in self._entries.items()}
        return tuple(sorted((key for key in left if not self._entries[key].given_up), key=left.__getitem__))

    def state(self, now: float, *, alive: bool) -> WorkState:
        """Return how much there is to do."""
        self._tick(now)
        starts = [start for entry in self._entries.values() if (start := entry.start()) is not None]
        failed = sorted(key for key, entry in self._entries.items() if entry.failures)
        due = sum(start <= now for start in starts)
        return WorkState(
            alive=alive,
            due=due,
            later=len(starts) - due,
            running=len(self._parked),
            failing=tuple(key for key in failed if not self._entries[key].given_up),
            given_up=tuple(key for key in failed if self._entries[key].given_up),
        )

    def _tick(self, now: float) -> None:
        for key, periodic in self._periodic.items():
            # A clock that was set back must not silence a task until the old time is reached again.
            if periodic.next <= now or periodic.next > now + periodic.seconds:
                self.poke(key, now)
                periodic.next = now + periodic.seconds

    def _queue(self, key: Key, entry: _Entry) -> bool:
        """Put a key in the order of starts; return whether it was not there with this start."""
        start = entry.start()
        if start is None or start == entry.queued:
            return False
        entry.queued = start
        heapq.heappush(self._starts, (start, key))
        return True

    def _release(self, key: Key) -> _Entry:
        entry = self._entries[key]
        entry.running = False
        for item in self._parked.pop(key.lane):
            heapq.heappush(self._starts, item)
        return entry
