"""The bookkeeping of the in-process queue, where the contract cannot see it."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from bot.core.work import Key
from bot.engine.agenda import Agenda, Patience

A, B, OTHER = Key("one", "a"), Key("one", "b"), Key("two", "a")


@pytest.mark.parametrize(
    ("failures", "chance", "pause"),
    [(1, 0.0, 1.0), (1, 1.0, 2.0), (2, 1.0, 4.0), (3, 0.5, 6.0), (9, 1.0, 300.0), (5000, 1.0, 300.0)],
)
def test_a_pause_doubles_up_to_the_longest_and_is_spread_over_its_upper_half(failures, chance, pause):
    assert Patience(2.0, 300.0).pause(failures, chance) == pause


def agenda(tries=3):
    return Agenda(Patience(10.0, 40.0, tries), lambda: 1.0)


def test_nothing_to_do_is_nothing_to_wait_for():
    assert agenda().take(0.0) is None
    assert agenda().next_start(0.0) is None


def test_the_next_start_is_the_earliest_of_pokes_and_periods():
    it = agenda()
    it.poke(A, 50.0)
    assert it.next_start(20.0) == 30.0

    it.every(60.0, B, 40.0)
    assert it.next_start(20.0) == 20.0
    assert it.next_start(99.0) == 0.0


def test_what_is_done_leaves_nothing_behind():
    it = agenda()
    for moment in range(1000):
        it.poke(A, float(moment))
        it.done(it.take(float(moment)))

    assert it.undone() == ()
    assert it.next_start(1000.0) is None


def test_a_key_that_was_given_up_is_not_handed_back():
    it = agenda(tries=1)
    it.poke(A, 0.0)
    it.poke(B, 5.0)
    assert not it.failed(it.take(0.0), 0.0)

    assert it.undone() == (B,)


def test_a_poke_of_a_key_that_was_given_up_still_waits_for_its_pause():
    it = agenda(tries=1)
    it.poke(A, 0.0)
    it.failed(it.take(0.0), 0.0)

    it.poke(A, 1.0)

    assert it.take(9.0) is None
    assert it.take(10.0) == A


def test_a_poke_that_came_during_the_last_try_is_answered():
    it = agenda(tries=1)
    it.poke(A, 0.0)
    key = it.take(0.0)
    it.poke(A, 1.0)

    assert it.failed(key, 2.0)
    assert it.take(12.0) == A


class Anything(RuleBasedStateMachine):
    """Pokes, runs and failures in any order: each poke is followed by a run, and no lane has two."""

    def __init__(self):
        super().__init__()
        self.agenda, self.now = agenda(tries=1000), 0.0
        self.running: list[Key] = []
        self.asked: dict[Key, list[float]] = {A: [], B: [], OTHER: []}

    @rule(key=st.sampled_from([A, B, OTHER]), after=st.integers(0, 5))
    def poke(self, key, after):
        self.agenda.poke(key, self.now + after)
        self.asked[key].append(self.now + after)

    @rule(seconds=st.integers(0, 3))
    def take(self, seconds):
        self.now += seconds
        key = self.agenda.take(self.now)
        if key is None:
            return
        assert key.lane not in {other.lane for other in self.running}
        assert any(moment <= self.now for moment in self.asked[key])
        self.asked[key] = [moment for moment in self.asked[key] if moment > self.now]
        self.running.append(key)

    @precondition(lambda self: self.running)
    @rule(ends_well=st.booleans())
    def end(self, ends_well):
        key = self.running.pop(0)
        if ends_well:
            self.agenda.done(key)
        else:
            self.agenda.failed(key, self.now)
            self.asked[key].append(self.now)

    def teardown(self):
        for _ in range(200):
            self.take(1)
            while self.running:
                self.agenda.done(self.running.pop())
        assert not any(self.asked.values())
        assert self.agenda.undone() == ()


TestAnything = Anything.TestCase
