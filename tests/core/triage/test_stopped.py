"""Jobs that were cancelled: hanging, over their budget, superseded."""

import pytest

from bot.core.triage.log import read_log
from tests.core.triage.logs import JobLog, started
from tests.core.triage.world import (
    EXACT,
    LIVE_CANCEL,
    OOM,
    STOPPED,
    WATCHDOG,
    facts,
    job,
    said,
    verdict,
)


def test_a_hang_is_proved_by_the_line_before_the_silence_whatever_the_banner_says():
    log = started().train(3).check().passed().train(5)
    last = len(log.lines)
    log.wait(52).cancel().result(passed=True)

    assert said(log, job=job(**STOPPED)) == ("hang", "quarantine", last)


@pytest.mark.parametrize(
    ("wait", "minutes", "conclusion", "kind"),
    [
        (10.1, 60, "cancelled", "hang"),
        (9, 60, "cancelled", "unknown"),
        (10.1, 59.9, "cancelled", "unknown"),
        (10.1, 30, "timed_out", "hang"),
        (10.1, None, "cancelled", "unknown"),
    ],
)
def test_a_hang_needs_the_limit_and_the_silence_of_the_recipe(wait, minutes, conclusion, kind):
    log = started().train(5).wait(wait).cancel()

    assert said(log, job=job(minutes=minutes, conclusion=conclusion))[0] == kind


def test_a_hang_after_drift_is_a_hang():
    log = started().check().failed(EXACT).restart().train(3).wait(40).cancel().result()

    assert said(log, job=job(**STOPPED))[0] == "hang"


def test_repeats_that_were_passing_at_the_limit_need_fewer_repeats():
    log = started()
    for _ in range(4):
        log.train(20, 30).check().passed()
    last = len(log.lines)
    log.train(10, 30).cancel().result(passed=True)

    found = verdict(log, job=job(**STOPPED))
    assert (found.kind, found.remedy, found.evidence[0].line) == ("over-budget", "n-repeat", last)
    assert "4 of them" in found.why


def test_a_warning_that_looks_like_a_death_does_not_hide_that_repeats_passed():
    log = started().task("OSError: no such cache, going on").train(3).check().passed().train(5, 30).cancel()

    assert said(log, job=job(**STOPPED))[0] == "over-budget"


def test_a_job_at_the_limit_whose_time_a_failed_attempt_ate_is_not_over_budget():
    log = started().train(3).task(WATCHDOG).say(LIVE_CANCEL).restart().train(3).check().passed().train(5, 30)

    assert said(log.cancel(), job=job(**STOPPED))[:2] == ("nccl", "re-run")


def test_a_collective_that_timed_out_before_the_silence_is_not_called_a_hang():
    log = started().train(3).wait(10).task(WATCHDOG).wait(30).cancel()

    assert said(log, job=job(**STOPPED))[:2] == ("nccl", "re-run")


def test_a_rank_that_ran_out_of_memory_before_the_silence_is_not_called_a_hang():
    log = started().train(3).task(OOM).wait(30).cancel()

    assert said(log, job=job(**STOPPED)) == ("oom", "person", log.number("OutOfMemory"))


def test_a_job_cancelled_alone_after_a_known_transient_is_run_again():
    log = started().task("NCCL WARN init: mlx5: No space left on device").wait(20).cancel()

    assert said(log, job=job(minutes=35, conclusion="cancelled"))[:2] == ("infra", "re-run")


def test_a_job_cancelled_early_for_no_known_reason_is_not_guessed():
    found = verdict(started().train(3).wait(20).cancel(), job=job(minutes=35, conclusion="cancelled"))

    assert (found.kind, found.remedy) == ("unknown", "none")
    assert "before the limit" in found.why


@pytest.mark.parametrize(
    ("together", "minutes", "kind"),
    [(2, 12, "superseded"), (1, 12, "unknown"), (2, 60, "hang"), (0, 12, "unknown")],
)
def test_many_jobs_cancelled_early_at_once_were_superseded(together, minutes, kind):
    log = started().train(3).wait(50).cancel()

    found = said(log, job=job(minutes=minutes, conclusion="cancelled"), stopped_together=together)
    assert found[0] == kind


def test_what_the_interrupt_makes_a_process_say_is_no_cause():
    log = started().train(5).wait(52)
    log.task("torch.distributed.DistBackendError: NCCL error in: x.cpp:1, remote process exited").cancel()
    log.result(passed=True, excerpt=[WATCHDOG, "ConnectionResetError: Connection reset by peer"])

    assert said(log, job=job(**STOPPED))[0] == "hang"


def test_a_collective_that_failed_in_a_repeat_that_passed_does_not_hide_a_hang():
    log = started().task(WATCHDOG).train(3).check().passed().train(5).wait(40).cancel()

    assert said(log, job=job(**STOPPED))[0] == "hang"


def test_a_rank_without_memory_explains_a_hang_of_the_others():
    rank = read_log("logs/1/x/attempt_0/5/stderr.log", [f"[rank5]: {OOM}\n".encode()])
    log = started().train(5).wait(52).cancel()

    found = verdict(log, job=job(**STOPPED), logs=(facts(log), rank))
    assert (found.kind, found.evidence[0].source) == ("oom", "logs/1/x/attempt_0/5/stderr.log")


def test_a_traceback_while_being_cancelled_early_is_not_called_a_crash():
    log = started().train(3).wait(2).task("RuntimeError: DataLoader worker exited unexpectedly").cancel()

    assert said(log, job=job(minutes=20, conclusion="cancelled"))[0] == "unknown"


def test_a_job_stopped_without_a_word_of_its_test_is_not_guessed():
    assert said(JobLog().say("hello").cancel(), job=job(minutes=20, conclusion="cancelled"))[0] == "unknown"


def test_a_log_without_times_is_no_hang():
    log = read_log("job log", [b"some line\nOSError: x\n"])

    assert verdict(JobLog(), logs=(log,), job=job(**STOPPED)).kind == "unknown"
