"""The threads of the in-process queue, where the contract cannot see them."""

import threading

from bot.core.work import Key
from bot.engine.memory import MemoryQueue
from tests.contracts.work_stages import Desk, until

A, B = Key("one", "a"), Key("two", "b")


def test_a_thread_that_ends_is_replaced(monkeypatch):
    ended = []
    monkeypatch.setattr(threading, "excepthook", ended.append)
    desk = Desk()
    desk.plan(A, OSError())

    def report(*_):
        raise RuntimeError("the log is full")

    queue = MemoryQueue(lambda: 0.0, lambda: 1.0, report, workers=1)
    queue.start(desk)
    queue.poke(A)
    until(lambda: ended)

    queue.poke(B)
    until(lambda: desk.ended == [A, B])
    queue.stop(20)

    assert [str(it.exc_value) for it in ended] == ["the log is full"]


def test_keys_of_several_lanes_that_become_due_at_one_moment_are_worked_on_side_by_side():
    now, desk = [0.0], Desk()
    queue = MemoryQueue(lambda: now[0], lambda: 1.0, lambda *_: None, workers=2)
    queue.start(desk)
    gates = [desk.hold(key) for key in (A, B)]
    until(lambda: len(queue._changed._waiters) == 2)

    with queue._changed:
        queue._agenda.poke(A, 5.0)
        queue._agenda.poke(B, 5.0)
        now[0] = 5.0
        queue._changed.notify()
    until(lambda: sorted(desk.runs) == [A, B])

    for gate in gates:
        gate.set()
    queue.stop(20)
