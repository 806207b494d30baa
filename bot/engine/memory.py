"""The work queue of one process: threads that take keys from an agenda.

Nothing is kept on disk: after a crash, resync finds the work again on the code host.
"""

import threading
from collections.abc import Callable

from bot.core.work import Again, Key, WorkState
from bot.engine.agenda import Agenda, Patience
from bot.service_ports import WorkHandler

Report = Callable[[Key, BaseException, bool], None]
"""Is told of a run that failed, by what, and whether it is tried again without being asked."""


# A thread cannot wait for just any time; whatever there is to do is looked up anew after this one.
_LONGEST_WAIT = 3600.0


class MemoryQueue:
    """Implements `bot.service_ports.WorkQueue`.

    `now` returns seconds on a clock that is never set back, `chance` a number from 0 to 1.
    """

    def __init__(
        self,
        now: Callable[[], float],
        chance: Callable[[], float],
        report: Report,
        *,
        workers: int = 4,
        patience: Patience | None = None,
    ) -> None:
        self._now = now
        self._report = report
        self._agenda = Agenda(patience or Patience(), chance)
        self._changed = threading.Condition()
        self._workers = workers
        self._alive = 0
        self._handler: WorkHandler | None = None
        self._stopping = False

    def poke(self, key: Key, *, after: float = 0.0) -> None:
        with self._changed:
            if self._agenda.poke(key, self._now() + after):
                self._changed.notify()

    def every(self, seconds: float, key: Key) -> None:
        with self._changed:
            self._agenda.every(seconds, key, self._now())
            self._changed.notify()

    def start(self, handler: WorkHandler) -> None:
        self._handler = handler
        with self._changed:
            for _ in range(self._workers):
                self._hire()

    def stop(self, grace: float) -> tuple[Key, ...]:
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._alive == 0, grace)
            return self._agenda.undone()

    def state(self) -> WorkState:
        with self._changed:
            return self._agenda.state(self._now(), alive=not self._stopping)

    def look_at_the_clock(self) -> None:
        """Wake the threads, for a clock that does not advance by itself."""
        with self._changed:
            self._changed.notify_all()

    def _hire(self) -> None:
        self._alive += 1
        # A run that hangs must not keep the process from ending: its key is handed back by `stop`.
        threading.Thread(target=self._work, name="bot-worker", daemon=True).start()

    def _work(self) -> None:
        try:
            while (key := self._next()) is not None:
                self._run(key)
        finally:
            with self._changed:
                self._alive -= 1
                if not self._stopping:
                    self._hire()
                self._changed.notify_all()

    def _next(self) -> Key | None:
        """Return the next key once there is one, None when the queue stops."""
        with self._changed:
            while not self._stopping:
                now = self._now()
                key = self._agenda.take(now)
                wait = self._agenda.next_start(now)
                if key is not None:
                    # Several may have become due at one moment, for which only this thread has waited.
                    if wait == 0.0:
                        self._changed.notify()
                    return key
                self._changed.wait(_LONGEST_WAIT if wait is None else min(wait, _LONGEST_WAIT))
            return None

    def _run(self, key: Key) -> None:
        if self._handler is None:
            raise RuntimeError("the queue was not started")
        try:
            again = self._handler(key)
        except BaseException as error:  # noqa: BLE001 - whatever it is must not keep the lane
            self._failed(key, error)
        else:
            self._done(key, again)

    def _done(self, key: Key, again: Again | None) -> None:
        with self._changed:
            if again is not None:
                self._agenda.poke(key, self._now() + again.seconds)
            self._agenda.done(key)

    def _failed(self, key: Key, error: BaseException) -> None:
        with self._changed:
            tried_again = self._agenda.failed(key, self._now())
            # The report may take its time.
            self._changed.notify()
        self._report(key, error, tried_again)
