"""A run is read: which logs, which artifacts, and what comes of it."""

from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest

from bot.core.ci import Unreadable
from bot.core.errors import ServiceError, UsageError
from bot.core.triage.jobs import current
from bot.flows.triage import Reading, base_run, failed_in, label_in, triage_run
from tests.core.triage.logs import BEGIN, JobLog, started
from tests.core.triage.world import GB200, GOLDEN, GOLDENS, LABEL_PROOF, RESULTS, artifact, job, run
from tests.fakes.artifact_reader import FakeArtifactReader
from tests.fakes.ci_runs import FakeCiRuns

DRIFT = started().train(3).check().failed({"lm loss": "exact"}).restart().result().bytes()
HANG = started().train(3).wait(55).cancel().result(passed=True).bytes()
UNIT = started().raises("AssertionError: no", "tests/unit_tests/a/test_x.py::test_y").result().bytes()
ABORTED = started().train(3).task("Training failed. Aborting.").result().bytes()
RANK = "logs/1/none_x/attempt_0/{}/stderr.log"


class CountingCi(FakeCiRuns):
    """Remembers which logs were asked for."""

    def __post_init__(self):
        super().__post_init__()
        self.asked = []

    def log(self, job):
        self.asked.append(job)
        return super().log(job)


def world(jobs, logs=None, artifacts=(), files=None, goldens=GOLDENS, **more):
    ci = CountingCi()
    ci.add(run(**more), jobs, artifacts, logs)
    return ci, Reading(ci, FakeArtifactReader(files or {}), RESULTS, goldens, base_runs=ci)


def verdicts(reading, **more):
    return {
        (it.subject.name, it.subject.platform): it.verdict.kind.value
        for it in triage_run(reading, 7, **more).judged
    }


def test_only_logs_of_jobs_that_did_not_succeed_are_read():
    jobs = [
        job(id=1, conclusion="success"),
        job("gpt/two - latest", id=2),
        job("gpt/three - latest", id=3, conclusion="skipped"),
        job("gpt/four - latest", id=4, status="in_progress"),
        job("Nemo_CICD_Test", id=5),
    ]
    ci, reading = world(jobs, {2: DRIFT})

    found = triage_run(reading, 7)
    assert ci.asked == [2]
    assert [it.job.id for it in found.judged] == [2]
    assert [it.test for it in found.passed] == ["gpt_x"]
    assert [it.test for it in found.unfinished] == ["four"]


def test_drift_needs_the_artifact_of_the_same_job():
    _, reading = world([job(id=1)], {1: DRIFT}, [artifact("logs-gpt_x-7-a")], {70: {GOLDEN: b"{}"}})
    _, without = world([job(id=1)], {1: DRIFT})

    assert verdicts(reading) == {("gpt/gpt_x", "dgx_h100"): "drift"}
    assert verdicts(without) == {("gpt/gpt_x", "dgx_h100"): "unknown"}


def test_a_test_that_drifts_on_one_platform_and_passes_on_the_other_has_one_verdict():
    jobs = [job(id=1, labels=(GB200,)), job(id=2, conclusion="success")]
    both = [artifact("logs-gpt_x-7-a", id=70), artifact("logs-gpt_x-7-b", id=71)]
    files = {70: {GOLDEN: b"{}"}, 71: {GOLDEN.replace("h100", "gb200"): b"{}"}}
    _, reading = world(jobs, {1: DRIFT}, both, files)

    assert verdicts(reading) == {("gpt/gpt_x", "dgx_gb200"): "drift"}


def test_expired_artifacts_are_said_once():
    artifacts = [artifact("logs-gpt_x-7-a", expired=True), artifact("logs-two-7-a", id=71, expired=True)]
    _, reading = world([job(id=1), job("gpt/two - latest", id=2)], {1: DRIFT, 2: DRIFT}, artifacts)

    found = triage_run(reading, 7)
    assert found.notices == ("the artifacts of 2 tests have expired",)
    assert {it.verdict.why for it in found.judged} == {
        "only exact comparisons failed, but its artifact has expired"
    }


def test_ranks_are_asked_only_where_the_jobs_log_does_not_say_why():
    jobs = [job(id=1), job("gpt/two - latest", id=2), job("gpt/three - latest", id=3, conclusion="cancelled")]
    artifacts = [
        artifact("logs-gpt_x-7-a"),
        artifact("logs-two-7-a", id=71),
        artifact("logs-three-7-a", id=72),
    ]
    oom = b"[rank5]: torch.OutOfMemoryError: CUDA out of memory.\n"
    ranks = {RANK.format(0): b"\n", RANK.format(5): oom, "logs/nccl_debug.log": b"ValueError: x\n"}
    files = {70: ranks, 71: {GOLDEN: b"{}", **ranks}, 72: ranks}
    _, reading = world(jobs, {1: ABORTED, 2: DRIFT, 3: started().bytes()}, artifacts, files)

    found = {it.subject.test: it.verdict for it in triage_run(reading, 7).judged}
    assert reading.artifacts.read_files == [RANK.format(0), RANK.format(5)]
    assert (found["gpt_x"].kind, found["gpt_x"].evidence[0].source) == ("oom", RANK.format(5))
    assert found["two"].kind == "drift"


@pytest.mark.parametrize("files", [{}, {70: Unreadable("truncated")}, {70: {GOLDEN: b"{}"}}])
def test_a_rank_that_cannot_be_asked_leaves_what_the_job_said(files):
    _, reading = world([job(id=1)], {1: ABORTED}, [artifact("logs-gpt_x-7-a")], files)

    assert verdicts(reading) == {("gpt/gpt_x", "dgx_h100"): "crash"}


def test_logs_of_superseded_jobs_are_not_read():
    jobs = [
        job(f"gpt/t{at} - latest", id=at, minutes=5 + at / 60, conclusion="cancelled") for at in range(1, 6)
    ]
    late = job("gpt/late - latest", id=9, minutes=60.1, conclusion="cancelled")
    early = job("gpt/early - latest", id=10, minutes=1, conclusion="cancelled")
    odd = replace(job("gpt/odd - latest", id=11, conclusion="cancelled"), completed_at=None)
    ci, reading = world([*jobs, late, early, odd], {9: HANG})

    found = verdicts(reading)
    assert ci.asked == [9, 10, 11]
    assert [found[(f"gpt/t{at}", "dgx_h100")] for at in range(1, 6)] == ["superseded"] * 5
    assert (found["gpt/late", "dgx_h100"], found["gpt/early", "dgx_h100"]) == ("hang", "unknown")


def test_jobs_that_were_cancelled_in_the_queue_show_a_newer_push_as_well():
    queued = [
        replace(job(f"gpt/q{at} - latest", id=at, conclusion="cancelled"), started_at=None) for at in (2, 3)
    ]
    _, reading = world([job(id=1, conclusion="cancelled"), *queued])

    assert verdicts(reading) == {("gpt/gpt_x", "dgx_h100"): "superseded"}


def test_failing_unit_tests_are_named():
    _, reading = world([job("tests/unit_tests/a/** - latest", id=1)], {1: UNIT})

    [bucket] = triage_run(reading, 7).failing_buckets
    assert bucket.failed_tests == ("tests/unit_tests/a/test_x.py::test_y",)


def test_a_recipe_without_goldens_reads_no_artifact():
    _, reading = world([job(id=1)], {1: DRIFT}, [artifact("logs-gpt_x-7-a")], goldens=None)

    assert verdicts(reading) == {("gpt/gpt_x", "dgx_h100"): "unknown"}


QUEUED = {"branch": "gh-readonly-queue/main/pr-1-abc", "event": "merge_group"}


def test_what_fails_in_the_newest_run_of_the_base_is_listed_as_such():
    ci, reading = world([job(id=1)], {1: DRIFT})
    ci.add(run(id=2, **QUEUED), [job("gpt/fixed - latest", run=2, id=20)])
    ci.add(run(id=3, **QUEUED), [job(run=3, id=30)])
    ci.add(run(id=4, **QUEUED, status="in_progress", conclusion=None))
    ci.add(run(id=5, **{**QUEUED, "conclusion": "cancelled"}))
    ci.add(run(id=6, **QUEUED, workflow="other.yml"))

    assert verdicts(reading, base="main") == {("gpt/gpt_x", "dgx_h100"): "broken-on-base"}
    assert verdicts(reading, base="dev") == {("gpt/gpt_x", "dgx_h100"): "unknown"}
    assert base_run(ci, RESULTS, "main").id == 3


@pytest.mark.parametrize("base", ["main", None])
def test_a_host_without_runs_of_the_base_knows_of_nothing_broken_there(base):
    ci, reading = world([job(id=1)], {1: DRIFT})
    ci.add(run(id=3, **QUEUED), [job(run=3, id=30)])

    assert verdicts(replace(reading, base_runs=None), base=base) == {("gpt/gpt_x", "dgx_h100"): "unknown"}


def test_a_hang_of_the_base_counts_and_an_early_cancellation_does_not():
    ci = FakeCiRuns()
    queue = run(id=9, **QUEUED)
    names = [
        ("gpt/one - latest", 61, "cancelled"),
        ("gpt/two - latest", 5, "cancelled"),
        ("gpt/ok - latest", 5, "success"),
    ]
    ci.add(queue, [job(name, minutes, how, run=9, id=at) for at, (name, minutes, how) in enumerate(names)])

    assert {
        it.test: said for it, said in failed_in(current(ci.jobs(queue.id), RESULTS), RESULTS, queue).items()
    } == {"one": "run 9 (merge_group)"}


@pytest.mark.parametrize(
    ("jobs", "state"),
    [
        pytest.param([job("configure", id=1, conclusion="success")], "proved", id="it ended"),
        pytest.param([job("configure", id=1)], "silent", id="it failed"),
        pytest.param([job("configure", id=1, status="in_progress")], "silent", id="it runs"),
        pytest.param([], "silent", id="it was never begun"),
        pytest.param(
            [
                job("configure", id=1, conclusion="success"),
                job("configure", id=2, attempt=2, conclusion="success"),
            ],
            "contradicted",
            id="a later attempt counts",
        ),
    ],
)
def test_the_label_is_read_where_ci_reads_it(jobs, state):
    ci, _ = world(jobs, {1: b"scope=L1\n", 2: b"scope=L0\n"})
    counted = [it for _, it in current(ci.jobs(7), RESULTS)]

    assert label_in(ci, LABEL_PROOF, counted).state == state


def test_a_run_that_is_not_there_is_a_mistake_of_the_person():
    _, reading = world([])

    with pytest.raises(UsageError, match="there is no run 8"):
        triage_run(reading, 8)


def test_logs_are_read_side_by_side_and_verdicts_stay_in_order():
    class Meeting(CountingCi):
        """Each log waits until the other is asked for."""

        def log(self, job):
            barrier.wait(timeout=30)
            yield from super().log(job)

    barrier, ci = Barrier(2), Meeting()
    ci.add(run(), [job(id=1), job("gpt/two - latest", id=2)], logs={1: HANG, 2: UNIT})

    found = triage_run(Reading(ci, FakeArtifactReader({}), RESULTS, GOLDENS, side_by_side=2), 7)
    assert [it.subject.test for it in found.judged] == ["gpt_x", "two"]


def test_a_log_that_cannot_be_read_is_an_error_and_no_verdict():
    class Failing(CountingCi):
        def log(self, job):
            raise ServiceError("GitHub does not answer")

    ci = Failing()
    ci.add(run(), [job(f"gpt/t{at} - latest", id=at) for at in range(100)])

    with pytest.raises(ServiceError):
        triage_run(Reading(ci, FakeArtifactReader({}), RESULTS, GOLDENS), 7)


def test_progress_is_told_for_each_log():
    _, reading = world([job(id=1), job("gpt/two - latest", id=2)], {1: DRIFT, 2: HANG})
    told = []

    triage_run(reading, 7, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_a_log_that_breaks_off_is_silent_until_the_job_ends():
    log = JobLog().setup().launch().train(3)
    hung = job(id=1, minutes=60.5, conclusion="cancelled")
    _, reading = world([hung], {1: log.bytes()})

    assert hung.completed_at - BEGIN > timedelta(minutes=60)
    assert verdicts(reading) == {("gpt/gpt_x", "dgx_h100"): "hang"}
