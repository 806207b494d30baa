"""What every engine does with keyed work."""

import pytest

from bot.core.work import Again, Key
from tests.contracts.work_stages import PATIENCE, Desk, MemoryStage, until

A, B = Key("acme/widgets", "conversation 1"), Key("acme/widgets", "conversation 2")
OTHER = Key("acme/gadgets", "conversation 1")


@pytest.fixture(params=[MemoryStage], ids=["memory"])
def stage(request):
    stage = request.param()
    yield stage
    stage.close()


@pytest.fixture
def desk():
    return Desk()


@pytest.fixture
def queue(stage, desk):
    queue = stage.queue()
    queue.start(desk)
    return queue


def test_a_key_that_is_poked_is_worked_on_once(stage, queue, desk):
    queue.poke(A)

    stage.settle(queue)

    assert desk.runs == [A]


def test_what_was_poked_before_the_start_is_worked_on(stage, desk):
    queue = stage.queue()
    queue.poke(A)
    queue.start(desk)

    stage.settle(queue)

    assert desk.runs == [A]


def test_pokes_of_one_key_before_its_run_are_one_run(stage, desk):
    queue = stage.queue()
    for _ in range(50):
        queue.poke(A)
    queue.start(desk)

    stage.settle(queue)

    assert desk.runs == [A]


@pytest.mark.parametrize("pokes", [1, 50])
def test_pokes_during_a_run_of_their_key_are_exactly_one_further_run(stage, queue, desk, pokes):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])

    for _ in range(pokes):
        queue.poke(A)
    gate.set()
    stage.settle(queue)

    assert desk.runs == [A, A]
    assert desk.overlaps == []


def test_a_poke_after_a_run_is_a_run_of_its_own(stage, queue, desk):
    queue.poke(A)
    stage.settle(queue)

    queue.poke(A)
    stage.settle(queue)

    assert desk.runs == [A, A]


def test_keys_of_one_lane_wait_for_each_other(stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])

    queue.poke(B)
    queue.poke(OTHER)
    until(lambda: OTHER in desk.ended)

    assert desk.runs == [A, OTHER]
    gate.set()
    stage.settle(queue)
    assert desk.runs == [A, OTHER, B]


def test_many_keys_of_few_lanes_are_all_worked_on_and_never_two_of_a_lane(stage, queue, desk):
    keys = [Key(f"acme/{lane}", f"conversation {number}") for number in range(60) for lane in range(4)]
    for key in keys:
        queue.poke(key)

    stage.settle(queue)

    assert sorted(desk.runs) == sorted(keys)
    assert desk.overlaps == []


def test_in_a_lane_what_waited_longest_comes_first(stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])
    later = [Key(A.lane, f"conversation {number}") for number in (9, 5, 7)]

    for key in later:
        queue.poke(key)
        stage.advance(1)
    gate.set()
    stage.settle(queue)

    assert desk.runs == [A, *later]


def test_a_key_that_is_poked_all_the_time_does_not_keep_its_lane(stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])
    queue.poke(B)
    stage.advance(1)
    queue.poke(A)

    gate.set()
    stage.settle(queue)

    assert desk.runs == [A, B, A]


def test_delayed_work_waits_for_its_moment(stage, queue, desk):
    queue.poke(A, after=30)

    stage.advance(29)
    stage.settle(queue)
    assert desk.runs == []

    stage.advance(1)
    stage.settle(queue)
    assert desk.runs == [A]


def test_delayed_work_neither_delays_a_poke_nor_is_done_by_it(stage, queue, desk):
    queue.poke(A, after=30)
    queue.poke(A)
    stage.settle(queue)
    assert desk.runs == [A]

    stage.advance(30)
    stage.settle(queue)
    assert desk.runs == [A, A]


def test_work_that_is_delayed_for_ages_keeps_nobody_from_working(stage, queue, desk):
    queue.poke(A, after=1e12)
    queue.poke(B)
    stage.settle(queue)

    queue.poke(OTHER)
    stage.settle(queue)

    assert desk.runs == [B, OTHER]


def test_delayed_work_does_not_block_its_lane(stage, queue, desk):
    queue.poke(A, after=30)
    queue.poke(B)

    stage.settle(queue)

    assert desk.runs == [B]


def test_a_handler_may_ask_to_look_again(stage, queue, desk):
    desk.plan(A, Again(900))
    queue.poke(A)
    stage.settle(queue)

    stage.advance(899)
    stage.settle(queue)
    assert desk.runs == [A]

    stage.advance(1)
    stage.settle(queue)
    assert desk.runs == [A, A]
    assert queue.state().later == 0


def test_a_run_that_fails_is_tried_again_after_pauses_that_grow(stage, queue, desk):
    desk.plan(A, OSError(), OSError())
    queue.poke(A)
    stage.settle(queue)
    assert queue.state().failing == (A,)

    for pause, runs in [(9, 1), (1, 2), (19, 2), (1, 3)]:
        stage.advance(pause)
        stage.settle(queue)
        assert len(desk.runs) == runs

    assert queue.state().failing == ()
    assert stage.reports == [(A, "OSError", True)] * 2


def test_a_poke_does_not_shorten_the_pause_and_is_no_run_more(stage, queue, desk):
    desk.plan(A, OSError())
    queue.poke(A)
    stage.settle(queue)

    queue.poke(A)
    stage.advance(5)
    queue.poke(A)
    stage.settle(queue)
    assert desk.runs == [A]

    stage.advance(5)
    stage.settle(queue)
    assert desk.runs == [A, A]


def test_a_pause_does_not_block_the_lane(stage, queue, desk):
    desk.plan(A, OSError())
    queue.poke(A)
    stage.settle(queue)

    queue.poke(B)
    stage.settle(queue)

    assert desk.runs == [A, B]


def test_a_run_that_ends_well_forgets_the_failures_before_it(stage, queue, desk):
    desk.plan(A, OSError(), None, OSError())
    queue.poke(A)
    stage.settle(queue)
    stage.advance(10)
    stage.settle(queue)

    queue.poke(A)
    stage.settle(queue)
    stage.advance(10)
    stage.settle(queue)

    assert len(desk.runs) == 4


def test_a_run_that_ends_well_forgets_failures_also_when_more_is_asked_for(stage, queue, desk):
    desk.plan(A, OSError(), Again(5), OSError())
    queue.poke(A)
    for seconds in (10, 5, 10):
        stage.settle(queue)
        stage.advance(seconds)
    stage.settle(queue)

    assert len(desk.runs) == 4


def test_a_key_that_keeps_failing_is_given_up_until_it_is_poked(stage, queue, desk):
    desk.plan(A, *[OSError()] * PATIENCE.tries)
    queue.poke(A)
    for _ in range(20):
        stage.settle(queue)
        stage.advance(PATIENCE.longest)
    assert len(desk.runs) == PATIENCE.tries
    assert queue.state().given_up == (A,)
    assert [tried_again for _, _, tried_again in stage.reports] == [True, True, True, False]

    queue.poke(A)
    stage.settle(queue)

    assert len(desk.runs) == PATIENCE.tries + 1
    assert queue.state().given_up == ()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_that_dies_leaves_its_key_to_another(stage, desk):
    queue = stage.queue(workers=1)
    queue.start(desk)
    desk.plan(A, stage.death())
    queue.poke(A)
    queue.poke(B)
    stage.settle(queue)
    assert desk.runs == [A, B]

    stage.advance(10)
    stage.settle(queue)

    assert desk.runs == [A, B, A]


def test_a_periodic_task_runs_at_once_and_then_each_period(stage, queue, desk):
    queue.every(60, A)
    stage.settle(queue)
    assert desk.runs == [A]

    for seconds, runs in [(59, 1), (1, 2), (59, 2), (1, 3)]:
        stage.advance(seconds)
        stage.settle(queue)
        assert len(desk.runs) == runs


def test_ticks_that_were_missed_are_one_run(stage, queue, desk):
    queue.every(60, A)
    stage.settle(queue)

    stage.advance(60 * 1000 + 30)
    stage.settle(queue)
    assert len(desk.runs) == 2

    stage.advance(59)
    stage.settle(queue)
    assert len(desk.runs) == 2
    stage.advance(1)
    stage.settle(queue)
    assert len(desk.runs) == 3


def test_a_clock_that_is_set_back_does_not_silence_a_periodic_task(stage, queue, desk):
    queue.every(60, A)
    stage.settle(queue)

    stage.advance(-500)
    stage.settle(queue)
    runs = len(desk.runs)
    stage.advance(60)
    stage.settle(queue)

    assert len(desk.runs) == runs + 1


def test_a_periodic_task_and_a_poke_of_its_key_are_one_piece_of_work(stage, desk):
    queue = stage.queue()
    queue.every(60, A)
    queue.poke(A)
    queue.start(desk)

    stage.settle(queue)

    assert desk.runs == [A]


def test_stopping_lets_runs_end_and_hands_the_rest_back(stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])
    queue.poke(B)
    queue.poke(OTHER, after=30)
    gate.set()

    left = queue.stop(grace=20)

    assert A in desk.ended
    assert set(left) | set(desk.ended) == {A, B, OTHER}
    assert queue.state().alive is False


def test_a_run_that_does_not_end_in_time_is_handed_back(stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])

    left = queue.stop(grace=0)
    gate.set()

    assert left == (A,)


def test_nothing_begins_after_the_stop(stage, queue, desk):
    queue.stop(grace=20)

    queue.poke(A)

    assert desk.runs == []
    assert A in queue.stop(grace=0)


def test_the_next_process_does_what_the_last_one_left(stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])
    queue.poke(B)
    left = queue.stop(grace=0)

    restarted = stage.restart(left)
    gate.set()
    until(lambda: desk.ended == [A])
    restarted.start(desk)
    stage.settle(restarted)

    assert sorted(desk.runs) == [A, A, B]


def test_the_state_tells_how_much_there_is_to_do(stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])
    queue.poke(B)
    queue.poke(OTHER, after=30)

    state = queue.state()
    gate.set()

    assert (state.alive, state.due, state.later, state.running) == (True, 1, 1, 1)
