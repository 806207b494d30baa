"""Runs, jobs, logs and artifacts, as every CI has them: in memory, and on the lab through GitHub's API."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Protocol

import pytest

from bot.core.ci import Artifact, Job, Run
from bot.core.errors import Refused
from bot.github.ci import GitHubActions
from bot.github.downloads import DownloadPatience
from bot.lab import actions
from bot.lab.runs import ArtifactPlan, JobPlan, Push, StepPlan, Workflow
from bot.lab.server import GitHubLab
from bot.ports import CiRuns
from tests.contracts.stages import LabStage
from tests.fakes.ci_runs import FakeCiRuns

BRANCH = "pull-request/7"
H100, GB200 = ("nvidia-ci-aws-gpu-x8",), ("nvidia-ci-aws-use2-gpu-x4",)

BUILD = JobPlan("build", seconds=120, log=lambda _at: [b"built\n"])
TEST = JobPlan(
    "gpt/a - latest",
    labels=H100,
    conclusion="failure",
    seconds=300,
    steps=(StepPlan("Checkout"), StepPlan("Run main script", "failure"), StepPlan("Check result", "failure")),
    log=lambda _at: [b"first\n", b"second\n"],
    artifacts=(ArtifactPlan("logs-a", lambda: b"zipped"),),
)
SAME_NAME = replace(TEST, labels=GB200, conclusion="success", steps=(), artifacts=())
SKIPPED = JobPlan("release", conclusion="skipped")
PLANS = (BUILD, TEST, SAME_NAME, SKIPPED)


class Stage(Protocol):
    """CI that can be watched, and what happens in it."""

    ci: CiRuns

    def begin(self, plans: Sequence[JobPlan] = PLANS, branch: str = BRANCH, event: str = "push") -> int:
        """Begin a run with these jobs, and return its id."""

    def finish(self, run: int) -> None:
        """End the run as planned."""

    def expire(self, run: int) -> None:
        """Let the artifacts of a run expire."""


class FakeStage:
    def __init__(self) -> None:
        self.ci = FakeCiRuns()
        self._ids = count(1)
        self._plans: dict[int, Sequence[JobPlan]] = {}
        self._now = datetime(2026, 7, 1, tzinfo=UTC)

    def begin(self, plans=PLANS, branch=BRANCH, event="push"):
        number = next(self._ids)
        self._plans[number] = plans
        run = Run(
            number, "a" * 40, branch, event, "ci.yml", 1, 1, "in_progress", None, self._now, "https://x"
        )
        self.ci.add(run)
        return number

    def finish(self, run):
        found = self.ci.run(run)
        assert found
        done = {(it.name, it.labels) for it in self.ci.jobs(run) if it.conclusion == "success"}
        for plan in self._plans[run]:
            if (plan.name, plan.labels) not in done:
                self._end(found, plan)
        failed = any(plan.conclusion == "failure" for plan in self._plans[run])
        self.ci.add(replace(found, status="completed", conclusion="failure" if failed else "success"))

    def _end(self, run, plan):
        seconds = 0 if plan.conclusion == "skipped" else plan.seconds
        failed = (step.name for step in plan.steps if step.conclusion == "failure")
        job = Job(
            id=next(self._ids),
            run=run.id,
            name=plan.name,
            attempt=run.attempt,
            status="completed",
            conclusion=plan.conclusion,
            labels=plan.labels,
            started_at=self._now,
            completed_at=self._now + timedelta(seconds=seconds),
            url="https://x",
            failed_step=next(failed, None),
        )
        left = [
            Artifact(next(self._ids), run.id, it.name, len(it.content()), False, self._now)
            for it in plan.artifacts
        ]
        log = b"" if plan.conclusion == "skipped" else b"".join(plan.log(self._now))
        self.ci.add(run, [job], left, {job.id: log})

    def expire(self, run):
        found = [replace(it, expired=True) for it in self.ci.artifacts(run)]
        self.ci.add(self.ci.run(run), artifacts=found)


class LabCiStage:
    """The lab's Actions, read by `GitHubActions` as a user or as an App."""

    def __init__(self, lab: GitHubLab, signed: str) -> None:
        stage = LabStage(lab, signed)
        self.lab = lab
        self.repository = stage.repository
        accounts = stage.host._accounts
        session = accounts.session(signed, self.repository)
        self.ci = GitHubActions(session, self.repository, DownloadPatience(sleep=lambda _seconds: None))
        self._plans: Sequence[JobPlan] = ()
        self._workflows: dict[str, Workflow] = {}

    def _workflow(self, branch: str) -> Workflow:
        return self.lab.world.on_push(self.repository, branch, lambda _trigger: self._plans)

    def begin(self, plans=PLANS, branch=BRANCH, event="push"):
        world, self._plans = self.lab.world, plans
        repository = world.repository(self.repository)
        push = Push(repository, branch, repository.branch("main") or "", world.user("ada"))
        if branch not in self._workflows:
            self._workflows[branch] = self._workflow(branch)
        return actions.begin(world, self._workflows[branch], push, event).id

    def _run(self, run):
        return next(it for it in self.lab.world.runs if it.id == run)

    def finish(self, run):
        self.lab.world.finish(self._run(run))

    def expire(self, run):
        for artifact in self._run(run).artifacts:
            artifact.expired = True


@pytest.fixture(params=["in memory", "lab: user", "lab: app"])
def stage(request, github_judge) -> Stage:
    kind, _, signed = request.param.partition(": ")
    if kind == "in memory":
        return FakeStage()
    lab = request.getfixturevalue("shared_lab")
    github_judge.watch(lab.url, answers=True)
    return LabCiStage(lab, signed)


@pytest.fixture
def ci(stage) -> CiRuns:
    return stage.ci


def test_a_run_is_found_by_its_number(stage, ci):
    number = stage.begin()

    run = ci.run(number)

    assert (run.id, run.branch, run.event, run.attempt) == (number, BRANCH, "push", 1)
    assert (run.is_completed, run.conclusion) == (False, None)


def test_a_run_that_is_not_there_is_none(ci):
    assert ci.run(999_999_999) is None


def test_a_run_that_has_ended_says_how(stage, ci):
    good, bad = stage.begin([BUILD]), stage.begin(branch="other")
    stage.finish(good)
    stage.finish(bad)

    assert [(ci.run(it).is_completed, ci.run(it).conclusion) for it in (good, bad)] == [
        (True, "success"),
        (True, "failure"),
    ]


def test_runs_of_a_branch_come_newest_first(stage, ci):
    first = stage.begin()
    stage.begin(branch="pull-request/77")
    second = stage.begin()

    assert [it.id for it in ci.runs(BRANCH)] == [second, first]
    assert ci.runs("pull-request/70") == ()


def test_runs_are_read_to_the_last_page(stage, ci):
    numbers = [stage.begin([]) for _ in range(103)]

    assert [it.id for it in ci.runs(BRANCH)] == numbers[::-1]


def test_the_base_is_told_by_its_merge_queue_and_by_runs_begun_by_hand(stage, ci):
    queue = "gh-readonly-queue/release/1/pr-{}-abc"
    first = stage.begin([], queue.format(1), "merge_group")
    stage.begin([], "gh-readonly-queue/release/10/pr-2-abc", "merge_group")
    by_hand = stage.begin([], "release/1", "workflow_dispatch")
    stage.begin([], "release/1")
    stage.begin([], "other", "workflow_dispatch")
    second = stage.begin([], queue.format(3), "merge_group")

    assert [it.id for it in ci.base_runs("release/1")] == [second, by_hand, first]
    assert ci.base_runs("release") == ()


def test_jobs_say_where_they_ran_and_how_long_and_what_failed(stage, ci):
    run = stage.begin()
    stage.finish(run)

    found = {(it.name, it.labels): it for it in ci.jobs(run)}

    assert list(found) == [(plan.name, plan.labels) for plan in PLANS]
    assert [it.conclusion for it in found.values()] == ["success", "failure", "success", "skipped"]
    assert [it.seconds for it in found.values()] == [120, 300, 300, 0]
    assert [it.failed_step for it in found.values()] == [None, "Run main script", None, None]
    assert {(it.run, it.attempt, it.status) for it in found.values()} == {(run, 1, "completed")}


def test_jobs_are_read_to_the_last_page(stage, ci):
    run = stage.begin([replace(BUILD, name=f"job {n}") for n in range(203)])
    stage.finish(run)

    assert [it.name for it in ci.jobs(run)] == [f"job {n}" for n in range(203)]


def test_jobs_of_every_attempt_are_there(stage, ci):
    run = stage.begin([BUILD, TEST])
    stage.finish(run)

    ci.retry_failed(run)
    assert (ci.run(run).attempt, ci.run(run).conclusion) == (2, None)
    stage.finish(run)

    assert [(it.name, it.attempt) for it in ci.jobs(run)] == [(BUILD.name, 1), (TEST.name, 1), (TEST.name, 2)]
    assert [it.name for it in ci.artifacts(run)] == ["logs-a", "logs-a"]


def test_what_still_runs_is_not_run_again(stage, ci):
    run = stage.begin()

    with pytest.raises(Refused):
        ci.retry_failed(run)


def test_what_passed_is_not_run_again(stage, ci):
    run = stage.begin([BUILD])
    stage.finish(run)

    with pytest.raises(Refused):
        ci.retry_failed(run)


def test_a_log_comes_in_pieces(stage, ci):
    run = stage.begin([BUILD, TEST])
    stage.finish(run)

    logs = [b"".join(ci.log(job.id)) for job in ci.jobs(run)]

    assert logs == [b"built\n", b"first\nsecond\n"]


def test_a_large_log_comes_whole_and_no_piece_is_large(stage, ci):
    line = b"x" * 99 + b"\n"
    run = stage.begin([replace(BUILD, log=lambda _at: (line * 100 for _ in range(200)))])
    stage.finish(run)

    pieces = [*ci.log(ci.jobs(run)[0].id)]

    assert b"".join(pieces) == line * 20_000
    assert max(map(len, pieces)) <= 256 * 1024


def test_a_log_that_is_gone_is_empty(stage, ci):
    run = stage.begin([SKIPPED])
    stage.finish(run)

    assert [*ci.log(ci.jobs(run)[0].id)] == []
    assert [*ci.log(999_999_999)] == []


def test_artifacts_are_listed_also_when_they_have_expired(stage, ci):
    run = stage.begin()
    stage.finish(run)
    assert [(it.run, it.name, it.size, it.expired) for it in ci.artifacts(run)] == [(run, "logs-a", 6, False)]

    stage.expire(run)

    assert [it.expired for it in ci.artifacts(run)] == [True]


def test_artifacts_are_read_to_the_last_page(stage, ci):
    plan = replace(TEST, artifacts=tuple(ArtifactPlan(f"logs-{n}", bytes) for n in range(130)))
    run = stage.begin([plan])
    stage.finish(run)

    assert sorted(it.name for it in ci.artifacts(run)) == sorted(f"logs-{n}" for n in range(130))
