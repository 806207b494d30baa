"""What every engine does with keyed work."""

import pytest

from bot.core.work import Again, Key
from tests.contracts.work_stages import until

A, B = Key("acme/widgets", "conversation 1"), Key("acme/widgets", "conversation 2")
OTHER = Key("acme/gadgets", "conversation 1")


def test_a_key_that_is_poked_is_worked_on_once(work_stage, queue, desk):
    queue.poke(A)

    work_stage.settle(queue)

    assert desk.runs == [A]


def test_what_was_poked_before_the_start_is_worked_on(work_stage, desk):
    queue = work_stage.queue()
    queue.poke(A)
    queue.start(desk)

    work_stage.settle(queue)

    assert desk.runs == [A]


def test_pokes_of_one_key_before_its_run_are_one_run(work_stage, desk):
    queue = work_stage.queue()
    for _ in range(50):
        queue.poke(A)
    queue.start(desk)

    work_stage.settle(queue)

    assert desk.runs == [A]


@pytest.mark.parametrize("pokes", [1, 50])
def test_pokes_during_a_run_of_their_key_are_exactly_one_further_run(work_stage, queue, desk, pokes):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])

    for _ in range(pokes):
        queue.poke(A)
    gate.set()
    work_stage.settle(queue)

    assert desk.runs == [A, A]
    assert desk.overlaps == []


def test_a_poke_after_a_run_is_a_run_of_its_own(work_stage, queue, desk):
    queue.poke(A)
    work_stage.settle(queue)

    queue.poke(A)
    work_stage.settle(queue)

    assert desk.runs == [A, A]


def test_keys_of_one_lane_wait_for_each_other(work_stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])

    queue.poke(B)
    queue.poke(OTHER)
    until(lambda: OTHER in desk.ended)

    assert desk.runs == [A, OTHER]
    gate.set()
    work_stage.settle(queue)
    assert desk.runs == [A, OTHER, B]


def test_many_keys_of_few_lanes_are_all_worked_on_and_never_two_of_a_lane(work_stage, queue, desk):
    keys = [Key(f"acme/{lane}", f"conversation {number}") for number in range(60) for lane in range(4)]
    for key in keys:
        queue.poke(key)

    work_stage.settle(queue)

    assert sorted(desk.runs) == sorted(keys)
    assert desk.overlaps == []


def test_in_a_lane_what_waited_longest_comes_first(work_stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])
    later = [Key(A.lane, f"conversation {number}") for number in (9, 5, 7)]

    for key in later:
        queue.poke(key)
        work_stage.advance(1)
    gate.set()
    work_stage.settle(queue)

    assert desk.runs == [A, *later]


def test_a_key_that_is_poked_all_the_time_does_not_keep_its_lane(work_stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])
    queue.poke(B)
    work_stage.advance(1)
    queue.poke(A)

    gate.set()
    work_stage.settle(queue)

    assert desk.runs == [A, B, A]


def test_delayed_work_waits_for_its_moment(work_stage, queue, desk):
    queue.poke(A, after=30)

    work_stage.advance(29)
    work_stage.settle(queue)
    assert desk.runs == []

    work_stage.advance(1)
    work_stage.settle(queue)
    assert desk.runs == [A]


def test_delayed_work_neither_delays_a_poke_nor_is_done_by_it(work_stage, queue, desk):
    queue.poke(A, after=30)
    queue.poke(A)
    work_stage.settle(queue)
    assert desk.runs == [A]

    work_stage.advance(30)
    work_stage.settle(queue)
    assert desk.runs == [A, A]


def test_work_that_is_delayed_for_ages_keeps_nobody_from_working(work_stage, queue, desk):
    queue.poke(A, after=1e12)
    queue.poke(B)
    work_stage.settle(queue)

    queue.poke(OTHER)
    work_stage.settle(queue)

    assert desk.runs == [B, OTHER]


def test_delayed_work_does_not_block_its_lane(work_stage, queue, desk):
    queue.poke(A, after=30)
    queue.poke(B)

    work_stage.settle(queue)

    assert desk.runs == [B]


def test_a_handler_may_ask_to_look_again(work_stage, queue, desk):
    desk.plan(A, Again(900))
    queue.poke(A)
    work_stage.settle(queue)

    work_stage.advance(899)
    work_stage.settle(queue)
    assert desk.runs == [A]

    work_stage.advance(1)
    work_stage.settle(queue)
    assert desk.runs == [A, A]
    assert queue.state().later == 0


def test_a_periodic_task_runs_at_once_and_then_each_period(work_stage, queue, desk):
    queue.every(60, A)
    work_stage.settle(queue)
    assert desk.runs == [A]

    for seconds, runs in [(59, 1), (1, 2), (59, 2), (1, 3)]:
        work_stage.advance(seconds)
        work_stage.settle(queue)
        assert len(desk.runs) == runs


def test_ticks_that_were_missed_are_one_run(work_stage, queue, desk):
    queue.every(60, A)
    work_stage.settle(queue)

    work_stage.advance(60 * 1000 + 30)
    work_stage.settle(queue)
    assert len(desk.runs) == 2

    work_stage.advance(59)
    work_stage.settle(queue)
    assert len(desk.runs) == 2
    work_stage.advance(1)
    work_stage.settle(queue)
    assert len(desk.runs) == 3


def test_a_clock_that_is_set_back_does_not_silence_a_periodic_task(work_stage, queue, desk):
    queue.every(60, A)
    work_stage.settle(queue)

    work_stage.advance(-500)
    work_stage.settle(queue)
    runs = len(desk.runs)
    work_stage.advance(60)
    work_stage.settle(queue)

    assert len(desk.runs) == runs + 1


def test_a_periodic_task_and_a_poke_of_its_key_are_one_piece_of_work(work_stage, desk):
    queue = work_stage.queue()
    queue.every(60, A)
    queue.poke(A)
    queue.start(desk)

    work_stage.settle(queue)

    assert desk.runs == [A]
