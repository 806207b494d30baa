"""What every engine does when work fails, when a worker dies and when it is told to stop."""

from bot.core.work import Again, Key
from tests.contracts.work_stages import PATIENCE, until

A, B = Key("acme/widgets", "conversation 1"), Key("acme/widgets", "conversation 2")
OTHER = Key("acme/gadgets", "conversation 1")


def test_a_run_that_fails_is_tried_again_after_pauses_that_grow(work_stage, queue, desk):
    desk.plan(A, OSError(), OSError())
    queue.poke(A)
    work_stage.settle(queue)
    assert queue.state().failing == (A,)

    for pause, runs in [(9, 1), (1, 2), (19, 2), (1, 3)]:
        work_stage.advance(pause)
        work_stage.settle(queue)
        assert len(desk.runs) == runs

    assert queue.state().failing == ()
    assert work_stage.reports == [(A, "OSError", True)] * 2


def test_a_poke_does_not_shorten_the_pause_and_is_no_run_more(work_stage, queue, desk):
    desk.plan(A, OSError())
    queue.poke(A)
    work_stage.settle(queue)

    queue.poke(A)
    work_stage.advance(5)
    queue.poke(A)
    work_stage.settle(queue)
    assert desk.runs == [A]

    work_stage.advance(5)
    work_stage.settle(queue)
    assert desk.runs == [A, A]


def test_a_pause_does_not_block_the_lane(work_stage, queue, desk):
    desk.plan(A, OSError())
    queue.poke(A)
    work_stage.settle(queue)

    queue.poke(B)
    work_stage.settle(queue)

    assert desk.runs == [A, B]


def test_a_run_that_ends_well_forgets_the_failures_before_it(work_stage, queue, desk):
    desk.plan(A, OSError(), None, OSError())
    queue.poke(A)
    work_stage.settle(queue)
    work_stage.advance(10)
    work_stage.settle(queue)

    queue.poke(A)
    work_stage.settle(queue)
    work_stage.advance(10)
    work_stage.settle(queue)

    assert len(desk.runs) == 4


def test_a_run_that_ends_well_forgets_failures_also_when_more_is_asked_for(work_stage, queue, desk):
    desk.plan(A, OSError(), Again(5), OSError())
    queue.poke(A)
    for seconds in (10, 5, 10):
        work_stage.settle(queue)
        work_stage.advance(seconds)
    work_stage.settle(queue)

    assert len(desk.runs) == 4


def test_a_key_that_keeps_failing_is_given_up_until_it_is_poked(work_stage, queue, desk):
    desk.plan(A, *[OSError()] * PATIENCE.tries)
    queue.poke(A)
    for _ in range(20):
        work_stage.settle(queue)
        work_stage.advance(PATIENCE.longest)
    assert len(desk.runs) == PATIENCE.tries
    assert queue.state().given_up == (A,)
    assert [tried_again for _, _, tried_again in work_stage.reports] == [True, True, True, False]

    queue.poke(A)
    work_stage.settle(queue)

    assert len(desk.runs) == PATIENCE.tries + 1
    assert queue.state().given_up == ()


def test_a_worker_that_dies_leaves_its_key_to_another(work_stage, desk):
    queue = work_stage.queue(workers=1)
    queue.start(desk)
    desk.plan(A, work_stage.death())
    queue.poke(A)
    queue.poke(B)
    work_stage.settle(queue)
    assert desk.runs == [A, B]

    work_stage.advance(10)
    work_stage.settle(queue)

    assert desk.runs == [A, B, A]


def test_stopping_lets_runs_end_and_hands_the_rest_back(work_stage, queue, desk):
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


def test_a_run_that_does_not_end_in_time_is_handed_back(work_stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])

    left = queue.stop(grace=0)
    gate.set()

    assert left == (A,)


def test_nothing_begins_after_the_stop(work_stage, queue, desk):
    queue.stop(grace=20)

    queue.poke(A)

    assert desk.runs == []
    assert A in queue.stop(grace=0)


def test_the_next_process_does_what_the_last_one_left(work_stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])
    queue.poke(B)
    left = queue.stop(grace=0)

    restarted = work_stage.restart(left)
    gate.set()
    until(lambda: desk.ended == [A])
    restarted.start(desk)
    work_stage.settle(restarted)

    assert sorted(desk.runs) == [A, A, B]


def test_the_state_tells_how_much_there_is_to_do(work_stage, queue, desk):
    gate = desk.hold(A)
    queue.poke(A)
    until(lambda: desk.runs == [A])
    queue.poke(B)
    queue.poke(OTHER, after=30)

    state = queue.state()
    gate.set()

    assert (state.alive, state.due, state.later, state.running) == (True, 1, 1, 1)
