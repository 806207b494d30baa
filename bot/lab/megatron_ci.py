"""The CI of the small Megatron-LM as a script of the lab: jobs by the labels and the recipes of the tree.

What it keeps of the real one: the label decides the scope, a failing bucket of unit tests on H100 keeps
every functional test from running, one name may run on two platforms, the gate fails on what is cancelled.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.lab.megatron_artifacts import zipped
from bot.lab.megatron_logs import Line, box, render
from bot.lab.megatron_matrix import FunctionalTest, select
from bot.lab.megatron_tests import RUNNERS, Outcome, Setting, artifact_name, plan
from bot.lab.runs import ArtifactPlan, Conclusion, JobPlan, StepPlan, Trigger

WORKFLOW = ".github/workflows/cicd-main.yml"
NAME = "CICD Megatron-LM"
GATE = "Nemo_CICD_Test"

PASSED = Outcome()


@dataclass(frozen=True, slots=True)
class Scope:
    """What the labels of a pull request ask for: https://github.com/NVIDIA/Megatron-LM (`configure`)."""

    scope: str
    repeats: int
    lightweight: bool


def scope_of(event: str, labels: Iterable[str]) -> Scope:
    """Return the scope; `Run tests` wins over `Run functional tests`."""
    found = set(labels)
    if event == "merge_group":
        return Scope("L1", 1, lightweight=False)
    if "Run tests" in found:
        return Scope("L1", 1, lightweight=True)
    if "Run functional tests" in found or event == "workflow_dispatch":
        return Scope("L1", 5, lightweight=False)
    return Scope("L0", 5, lightweight=False)


@dataclass(slots=True)
class MegatronCi:
    """The script. A story changes what it holds while the world goes on.

    `outcomes` says how a test goes, by `model/name@platform`; several are for one attempt each, the last
    one for all that follow. `unit_failures` names the tests that fail in a bucket. `noise` adds lines to
    each repeat of each log. `gb200` is the repository's variable that lets tests run on GB200 at all.
    """

    outcomes: dict[str, Outcome | Sequence[Outcome]] = field(default_factory=dict)
    unit_failures: dict[str, Sequence[str]] = field(default_factory=dict)
    build_fails: bool = False
    noise: int = 0
    gb200: bool = True

    def __call__(self, trigger: Trigger) -> Sequence[JobPlan]:
        """Return the jobs of an attempt."""
        files = trigger.merged()
        scope = scope_of(trigger.event, trigger.labels)
        with_gb200 = self.gb200 and not (trigger.author or "").endswith("[bot]")
        jobs = [*_first(scope, trigger), *self._builds()]
        if not self.build_fails:
            units = self._units(trigger, files, with_gb200=with_gb200)
            jobs += units
            if all(job.conclusion == "success" for job in units if RUNNERS["dgx_h100"] in job.labels):
                jobs += self._functional(trigger, files, scope, with_gb200=with_gb200)
            else:
                jobs.append(_SKIPPED)
        return [*jobs, _gate(jobs)]

    def _builds(self) -> Iterator[JobPlan]:
        yield JobPlan("cicd-container-build / cicd-compute-build-matrix")
        for cloud in ("aws-h100", "gb-gpu"):
            fails = self.build_fails and cloud == "gb-gpu"
            yield JobPlan(
                f"cicd-container-build / Build CI container ({cloud})",
                labels=("nvidia-ci-aws-cpu",),
                conclusion="failure" if fails else "success",
                seconds=5400,
                steps=(StepPlan("Build and push", "failure" if fails else "success"),),
                log=_build_log,
            )

    def _units(self, trigger: Trigger, files: Mapping[str, bytes], *, with_gb200: bool) -> list[JobPlan]:
        platforms = RUNNERS if with_gb200 else {"dgx_h100": RUNNERS["dgx_h100"]}
        return [
            _unit_job(bucket, tuple(self.unit_failures.get(bucket.name, ())), trigger)
            for platform in platforms
            for bucket in select(files, "unit-tests", platform)
        ]

    def _functional(
        self, trigger: Trigger, files: Mapping[str, bytes], scope: Scope, *, with_gb200: bool
    ) -> Iterator[JobPlan]:
        setting = Setting(
            trigger.run,
            trigger.attempt,
            trigger.sha,
            scope.scope,
            scope.repeats,
            lightweight=scope.lightweight,
            noise=self.noise,
        )
        for platform in ("dgx_h100", "dgx_gb200") if with_gb200 else ("dgx_h100",):
            yield JobPlan(f"cicd-parse-integration-tests-{platform.removeprefix('dgx_')}")
            for test in select(files, scope.scope, platform):
                yield plan(test, self._outcome(test, trigger), files.get(test.golden), setting)

    def _outcome(self, test: FunctionalTest, trigger: Trigger) -> Outcome:
        planned = self.outcomes.get(test.key, PASSED)
        if not isinstance(planned, Outcome):
            planned = planned[min(trigger.attempt, len(planned)) - 1]
        return planned if trigger.event == "push" or planned.on_base else PASSED


# GitHub shows a job that was skipped before its matrix was known under the name as it is written.
_SKIPPED = JobPlan("${{ matrix.model }}/${{ matrix.test_case }} - latest", conclusion="skipped")


def _first(scope: Scope, trigger: Trigger) -> Iterator[JobPlan]:
    lts = str("container::lts" in trigger.labels).lower()
    said = (
        f"scope={scope.scope}",
        f"n_repeat={scope.repeats}",
        f"lightweight={str(scope.lightweight).lower()}",
        f"lts={lts}",
    )

    def configure(begun_at: datetime) -> Iterator[bytes]:
        lines = [
            "##[group]Run PR_NUMBER=1",
            "  SCOPE=L1; N_REPEAT=1; LIGHTWEIGHT=true",
            "##[endgroup]",
            *said,
        ]
        return render([(n / 10, line) for n, line in enumerate(lines)], begun_at)

    yield JobPlan("is-not-external-contributor", seconds=10, early=True)
    yield JobPlan("pre-flight / pre-flight", seconds=20, early=True)
    yield JobPlan("configure", seconds=15, early=True, log=configure)
    yield JobPlan("linting", seconds=120, early=True)
    yield JobPlan("cicd-wait-in-queue", seconds=5)


def _build_log(begun_at: datetime) -> Iterator[bytes]:
    lines = [(n * 60.0, f"#{n} [main {n}/20] RUN step {n}") for n in range(1, 21)]
    return render(lines, begun_at)


def _unit_job(bucket: FunctionalTest, failures: tuple[str, ...], trigger: Trigger) -> JobPlan:
    is_gb200 = bucket.platform == "dgx_gb200"
    conclusion: Conclusion = "failure" if failures else "success"
    name = artifact_name(bucket, trigger.run, trigger.attempt)
    return JobPlan(
        f"{bucket.name} - {'gb200 ' if is_gb200 else ''}latest",
        labels=(RUNNERS[bucket.platform],),
        conclusion=conclusion,
        seconds=900,
        steps=(StepPlan("Run main script", conclusion), StepPlan("Check result", conclusion)),
        log=lambda begun_at: render(_unit_lines(bucket.name, failures), begun_at),
        artifacts=(ArtifactPlan(name, lambda: zipped({"1/attempt_0/0/stdout.log": b"unit tests\n"})),),
    )


def _unit_lines(bucket: str, failures: Sequence[str]) -> Iterator[Line]:
    yield 40, "##[group]Logs"
    yield 60, f"{'=' * 29} test session starts {'=' * 30}"
    for test in failures:
        yield 700, f"\x1b[1m\x1b[31mE       AssertionError: {test.rpartition('::')[2]} differs\x1b[0m"
    if failures:
        yield 800, f"{'=' * 27} short test summary info {'=' * 28}"
        yield from ((800, f"\x1b[31mFAILED\x1b[0m {test} - AssertionError: differs") for test in failures)
        yield 801, f"\x1b[31m{'=' * 20} {len(failures)} failed, 100 passed in 700.00s {'=' * 20}\x1b[0m"
    else:
        yield 801, f"\x1b[32m{'=' * 25} 100 passed in 700.00s {'=' * 25}\x1b[0m"
    yield from box(850, bucket, passed=not failures)


def _gate(jobs: Sequence[JobPlan]) -> JobPlan:
    is_good = all(job.conclusion in {"success", "skipped"} for job in jobs)
    conclusion: Conclusion = "success" if is_good else "failure"
    return JobPlan(
        GATE, conclusion=conclusion, seconds=20, steps=(StepPlan("Get workflow result", conclusion),)
    )
