"""Where work queues are watched: a stage has a clock and a way to kill a worker; a desk does the work."""

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.core.work import Again, Key
from bot.engine.agenda import Patience
from bot.engine.memory import MemoryQueue
from bot.service_ports import WorkQueue

PATIENCE = Patience(first=10.0, longest=60.0, tries=4)


def until(holds: Callable[[], bool]) -> None:
    """Wait for what other threads bring about."""
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.001)


@dataclass
class Desk:
    """A handler that remembers its runs, and does for each key what a test has planned."""

    runs: list[Key] = field(default_factory=list)
    ended: list[Key] = field(default_factory=list)
    plans: dict[Key, deque[object]] = field(default_factory=lambda: defaultdict(deque))
    held: dict[Key, threading.Event] = field(default_factory=dict)
    overlaps: list[Key] = field(default_factory=list)
    _lanes: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def plan(self, key: Key, *outcomes: object) -> None:
        self.plans[key].extend(outcomes)

    def hold(self, key: Key) -> threading.Event:
        """Keep the runs of a key from ending until the event is set."""
        self.held[key] = threading.Event()
        return self.held[key]

    def __call__(self, key: Key) -> Again | None:
        with self._lock:
            if key.lane in self._lanes:
                self.overlaps.append(key)
            self._lanes.add(key.lane)
            self.runs.append(key)
        try:
            if key in self.held:
                self.held[key].wait(20)
            outcome = self.plans[key].popleft() if self.plans[key] else None
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome
        finally:
            with self._lock:
                self._lanes.discard(key.lane)
                self.ended.append(key)


class MemoryStage:
    """The queue of one process, on a clock that the test sets; chance always says 1, the longest pause."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.reports: list[tuple[Key, str, bool]] = []
        self._queues: list[MemoryQueue] = []

    def queue(self, workers: int = 4) -> WorkQueue:
        """Return a queue that has not started yet."""
        queue = MemoryQueue(lambda: self.now, lambda: 1.0, self._report, workers=workers, patience=PATIENCE)
        self._queues.append(queue)
        return queue

    def advance(self, seconds: float) -> None:
        """Let time pass, or set the clock back."""
        self.now += seconds
        for queue in self._queues:
            queue.look_at_the_clock()

    def settle(self, queue: WorkQueue) -> None:
        """Wait until nothing runs and nothing may begin."""
        until(lambda: (state := queue.state()).due == 0 and state.running == 0)

    def restart(self, left: tuple[Key, ...]) -> WorkQueue:
        """Return the queue of the next process, which finds what the last one left."""
        queue = self.queue()
        for key in left:
            queue.poke(key)
        return queue

    def death(self) -> BaseException:
        """Return what a run raises when its worker dies."""
        return SystemExit("dies")

    def close(self) -> None:
        for queue in self._queues:
            queue.stop(5)

    def _report(self, key: Key, error: BaseException, tried_again: bool) -> None:
        self.reports.append((key, type(error).__name__, tried_again))
