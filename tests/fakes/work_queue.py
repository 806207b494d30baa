"""A queue that only remembers what was poked."""

from bot.core.work import Key, WorkState
from bot.service_ports import WorkHandler


class FakeQueue:
    """A `WorkQueue` without workers; `failure` is raised by the next poke."""

    def __init__(self) -> None:
        self.pokes: list[Key] = []
        self.alive = True
        self.failure: Exception | None = None

    def poke(self, key: Key, *, after: float = 0.0) -> None:
        if self.failure is not None:
            raise self.failure
        self.pokes.append(key)

    def every(self, seconds: float, key: Key) -> None:
        self.pokes.append(key)

    def start(self, handler: WorkHandler) -> None:
        self.alive = True

    def stop(self, grace: float) -> tuple[Key, ...]:
        self.alive = False
        return tuple(self.pokes)

    def state(self) -> WorkState:
        return WorkState(self.alive, len(self.pokes), 0, 0, (), ())
