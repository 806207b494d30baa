"""Jobs that died, or failed before their test; and the rest of the rules."""

import pytest

from bot.core.triage.jobs import Subject
from bot.core.triage.log import read_log
from bot.core.triage.verdict import REMEDIES, Evidence, Observed, VerdictKind
from bot.core.triage.verdicts import asks_ranks
from tests.core.triage.logs import JobLog, started
from tests.core.triage.world import (
    LIVE_CANCEL,
    OOM,
    RESULTS,
    STOPPED,
    SUBJECT,
    WATCHDOG,
    drifting,
    facts,
    job,
    said,
    verdict,
)


def test_every_kind_has_one_remedy():
    assert set(REMEDIES) == set(VerdictKind)


def test_out_of_memory_is_for_a_person_whatever_golden_it_left():
    log = started().train(3).dies(OOM, rank=3).say("ERROR:__main__:Job failed with status: FAILED").result()

    assert said(log) == ("oom", "person", log.number("OutOfMemory"))


def test_a_traceback_is_read_by_its_last_line_and_not_by_the_source_it_quotes():
    log = started().train(3).dies("ValueError: bad shape").result()

    assert said(log) == ("crash", "person", log.number("ValueError"))


def test_a_collective_that_failed_three_times_is_run_again():
    log = started()
    for _ in range(3):
        log.train(3).wait(10).task(WATCHDOG).say(LIVE_CANCEL).restart()

    assert said(log.result())[:2] == ("nccl", "re-run")


def test_a_process_that_died_before_the_collective_is_the_cause():
    log = started().train(3).dies("ValueError: bad shape").wait(10).task(WATCHDOG).restart().result()

    assert said(log)[:2] == ("crash", "person")


def test_what_dies_after_a_collective_is_its_effect():
    log = started().train(3).task(WATCHDOG).dies("RuntimeError: work was aborted").restart().result()

    assert said(log)[:2] == ("nccl", "re-run")


def test_what_a_passing_repeat_said_is_not_why_a_later_one_died():
    log = started().task(OOM).train(3).check().passed().train(3).dies("ValueError: bad shape").result()

    assert said(log)[0] == "crash"


def test_a_known_transient_of_the_network_is_run_again():
    log = started()
    for _ in range(3):
        log.task("requests.exceptions.ConnectionError: ('Connection broken: reset')").restart()

    assert said(log.result())[:2] == ("infra", "re-run")


def test_a_download_that_was_tried_twice_is_not_why_a_test_failed():
    log = JobLog().say("curl: Connection reset by peer").setup().launch().task("Training failed. Aborting.")

    assert said(log)[0] == "crash"


def test_a_test_cannot_make_its_death_forgotten():
    log = started().task(OOM, "┌─ launching test ───────┐", "Training failed. Aborting.")

    assert said(log)[0] == "oom"


def test_a_training_that_failed_without_a_word_is_a_crash_until_a_rank_says_more():
    log = started().train(3).task("Training failed. Aborting.").result()

    assert said(log)[:2] == ("crash", "person")
    assert asks_ranks(Observed(SUBJECT, job(), (facts(log),)), RESULTS)


def test_the_log_of_a_rank_says_what_the_jobs_log_does_not():
    rank = read_log("logs/1/x/attempt_0/5/stderr.log", [f"[rank5]: {OOM}\n".encode()])
    log = started().train(3).task(WATCHDOG).task("Training failed. Aborting.").restart().result()

    found = verdict(log, logs=(facts(log), rank))
    assert found.kind == "oom"
    assert found.evidence == (Evidence("logs/1/x/attempt_0/5/stderr.log", 1, OOM),)


def test_a_failure_without_a_line_that_says_why_is_not_guessed():
    log = started().train(3).result()

    assert said(log)[:2] == ("unknown", "none")
    assert verdict(started().train(3)).evidence == (Evidence("job", None, "failure after 12 min"),)


@pytest.mark.parametrize("step", ["checkout", "uv", "pull"])
def test_a_step_before_the_test_that_fails_is_infrastructure(step):
    found = verdict(JobLog().setup(upto=step).result(), golden="it left no artifact")

    assert (found.kind, found.remedy) == ("infra", "re-run")
    assert any("Process completed" in it.text for it in found.evidence)


def test_a_transient_before_the_test_is_the_first_line_that_is_shown():
    log = JobLog().setup(upto="pull", error="Error response from daemon: toomanyrequests")

    assert said(log) == ("infra", "re-run", log.number("toomanyrequests"))


def test_an_image_that_took_an_hour_to_pull_is_no_hanging_test():
    log = JobLog().setup().wait(58).cancel()

    assert said(log, job=job(**STOPPED))[:2] == ("infra", "re-run")


def test_where_the_log_does_not_name_the_step_the_job_does():
    found = verdict(JobLog().say("a log of another form"), job=job(failed_step="Pull container"))

    assert found.kind == "infra"
    assert found.evidence == (Evidence("job", None, "failure after 12 min in step `Pull container`"),)


def test_a_step_that_is_not_of_the_setup_is_not_taken_for_it():
    assert said(JobLog().say("nothing"), job=job(failed_step="Run main script"))[0] == "unknown"


def test_a_container_that_was_not_built_is_said_to_be():
    log = JobLog().say(
        "##[group]Run docker/build-push-action@0adf", "#9 ERROR: exit code 1", "##[error]buildx failed"
    )
    build = Subject("build", "", "cicd-container-build / Build CI container (aws-h100)", "")

    found = verdict(log, subject=build, golden=None)
    assert (found.kind, found.why) == ("unknown", "the container was not built")
    assert found.evidence[-1].text == "##[error]buildx failed"


def test_a_launcher_that_finds_no_test_is_not_run_again():
    log = JobLog().setup().dies("AssertionError: Expected exactly one workload, got 0")

    assert said(log)[:2] == ("crash", "person")


def test_a_log_that_is_gone_proves_nothing():
    assert said(JobLog(), job=job(minutes=None)) == ("unknown", "none", None)


UNIT = Subject("unit", "", "data/**", "dgx_h100")


def test_unit_tests_that_fail_are_named():
    log = started().raises("AssertionError: 1 != 2", "tests/unit_tests/data/test_x.py::test_y").restart()

    found = verdict(log, subject=UNIT, golden=None)
    assert (found.kind, found.remedy) == ("unit-tests", "person")
    assert "tests/unit_tests/data/test_x.py::test_y" in found.evidence[0].text


def test_a_bucket_of_unit_tests_can_hang_as_well():
    assert said(started().wait(55).cancel(), subject=UNIT, job=job(**STOPPED))[0] == "hang"


def test_what_fails_on_the_base_as_well_is_only_listed():
    found = verdict(drifting(), broken_on="run 5 (merge_group)")

    assert (found.kind, found.remedy) == ("broken-on-base", "none")
    assert "run 5 (merge_group); here: drift" in found.why
    assert found.evidence


@pytest.mark.parametrize(
    ("log", "more", "asked"),
    [
        pytest.param(drifting(), {}, False, id="a comparison failed"),
        pytest.param(started().dies(OOM), {}, False, id="out of memory"),
        pytest.param(started().dies("ValueError: x"), {}, False, id="a traceback"),
        pytest.param(JobLog().setup(upto="pull"), {}, False, id="before the test"),
        pytest.param(started().task(WATCHDOG).restart(), {}, True, id="a collective"),
        pytest.param(started(), {}, True, id="not a word"),
        pytest.param(started().wait(55).cancel(), STOPPED, True, id="a hang"),
        pytest.param(
            started().train(3).check().passed().train(5, 30).cancel(), STOPPED, False, id="over budget"
        ),
    ],
)
def test_ranks_are_asked_where_rank_0_does_not_know(log, more, asked):
    assert asks_ranks(Observed(SUBJECT, job(**more), (facts(log),)), RESULTS) is asked


def test_deaths_of_many_ranks_show_a_few_lines():
    log = started().train(1)
    ranks = [read_log(f"rank {at}", [b"ValueError: x\n"]) for at in range(8)]

    assert len(verdict(log, logs=(facts(log), *ranks)).evidence) == 3
