"""One functional test of the small Megatron-LM's CI: a story decides how it goes, the rest follows."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.lab.megatron_artifacts import functional_zip, truncated
from bot.lab.megatron_compare import comparisons, complaints, is_inference
from bot.lab.megatron_logs import (
    CANCELED,
    Comparison,
    Line,
    box,
    opening,
    out_of_memory,
    output_session,
    pytest_session,
    render,
    training,
    watchdog,
)
from bot.lab.megatron_matrix import FunctionalTest
from bot.lab.runs import ArtifactPlan, Conclusion, JobPlan, StepPlan

Kind = Literal[
    "passed",
    "produces",
    "drift",
    "large-drift",
    "inference-drift",
    "resume-mismatch",
    "hang",
    "over-budget",
    "oom",
    "nccl",
    "infra",
]

DRIFTS = frozenset({"drift", "large-drift"})
"""What ends once the golden of the tree is the one that the test produces."""

_COMPARES = DRIFTS | {"produces", "resume-mismatch"}

JOB_LIMIT = 3600
"""Seconds after which the workflow cancels a job."""

RUNNERS = {"dgx_h100": "nvidia-ci-aws-gpu-x8", "dgx_gb200": "nvidia-ci-aws-use2-gpu-x4"}
"""The runner label of each platform."""

REGULAR = "test_pretraining_regular_pipeline.py::test_regular_pipeline"
RESUME = "test_pretraining_resume_checkpoint_pipeline.py::test_resume_checkpoint_pipeline"
INFERENCE = "test_inference_regular_pipeline.py::test_inference_pipeline"
METRICS = ("lm loss", "num-zeros")

_STEPS = 50
_PER_REPEAT = 160
_RETRIES = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a test goes with the image of the branch.

    `golden` is the bytes that it produces, the golden of the tree where it is None; `metrics` are those
    that differ. With `produces`, the comparison of those bytes with the tree's decides what comes of them:
    `compared` is then what it said of each metric, `said` what it said of answers. With `on_base` it goes so
    in runs of the base branch as well, where all others pass.
    """

    kind: Kind = "passed"
    golden: bytes | None = None
    metrics: tuple[str, ...] = ("lm loss",)
    on_base: bool = False
    compared: tuple[Comparison, ...] = ()
    said: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind in DRIFTS | {"produces"} and self.golden is None:
            raise ValueError(f"a {self.kind} needs the golden values that the test produces")


@dataclass(frozen=True, slots=True)
class Setting:
    """What a job is told: the run, the commit, the label's scope; `noise` is lines added to each repeat."""

    run: int
    attempt: int
    sha: str
    scope: str
    repeats: int
    lightweight: bool
    noise: int = 0


def plan(test: FunctionalTest, outcome: Outcome, old: bytes | None, setting: Setting) -> JobPlan:
    """Return the job of a test; `old` is the golden of the tree.

    A drift that the tree's golden has followed already is none, and without comparisons there is none.
    """
    is_drift = outcome.kind in DRIFTS
    if (is_drift and outcome.golden == old) or (setting.lightweight and outcome.kind in _COMPARES):
        outcome = Outcome("passed", outcome.golden)
    elif outcome.kind == "produces":
        outcome = _compared(outcome.golden or b"", old)
    course = _Course(test, outcome, outcome.golden if outcome.golden is not None else old, setting)
    name = artifact_name(test, setting.run, setting.attempt)
    artifacts = () if outcome.kind == "infra" else (ArtifactPlan(name, course.artifact),)
    return JobPlan(
        name=f"{test.model}/{test.name} - latest",
        labels=(RUNNERS[test.platform],),
        conclusion=course.conclusion,
        seconds=course.seconds,
        steps=course.steps,
        log=course.log,
        artifacts=artifacts,
    )


def _compared(new: bytes, old: bytes | None) -> Outcome:
    """Return how a test goes that produces `new` where the tree has `old`."""
    if old is None:
        raise ValueError("a test that produces golden values needs some to compare them with")
    if is_inference(old):
        said = tuple(complaints(old, new))
        return Outcome("inference-drift" if said else "passed", new, said=said)
    found = comparisons(old, new)
    if all(it.exact and it.approximate for it in found):
        return Outcome("passed", new)
    near = all(it.approximate for it in found)
    return Outcome("drift" if near else "large-drift", new, compared=found)


def artifact_name(test: FunctionalTest, run: int, attempt: int) -> str:
    """Return the name of what a job leaves; its end differs from job to job and depends on nothing else."""
    number = int.from_bytes(test.key.encode()) % 0xFFFFFFFFFFFF
    name = f"logs-{test.name}-{run}-{attempt:08x}-0000-4000-8000-{number:012x}"
    return name.replace("/", "-").replace("*", "-")


@dataclass(frozen=True, slots=True)
class _Course:
    test: FunctionalTest
    outcome: Outcome
    golden: bytes | None
    setting: Setting

    @property
    def conclusion(self) -> Conclusion:
        kind = self.outcome.kind
        is_cancelled = kind in {"hang", "over-budget"}
        return "success" if kind == "passed" else "cancelled" if is_cancelled else "failure"

    @property
    def seconds(self) -> int:
        one_try = 60 + _PER_REPEAT
        lengths: dict[Kind, int] = {
            "passed": 60 + _PER_REPEAT * self.setting.repeats,
            "drift": 60 + _RETRIES * one_try,
            "large-drift": 60 + _RETRIES * one_try,
            "inference-drift": 60 + one_try,
            "resume-mismatch": 60 + _RETRIES * one_try,
            "hang": JOB_LIMIT + 12,
            "over-budget": JOB_LIMIT + 9,
            "oom": one_try,
            "nccl": 60 + _RETRIES * (one_try + 600),
            "infra": 35,
        }
        return lengths[self.outcome.kind]

    @property
    def steps(self) -> tuple[StepPlan, ...]:
        if self.outcome.kind == "infra":
            return (StepPlan("Set up job"), StepPlan("Pull container", "failure"))
        checked: Conclusion = "success" if self._shows_passed else "failure"
        return (
            StepPlan("Set up job"),
            StepPlan("Pull container"),
            StepPlan("Run main script", self.conclusion),
            StepPlan("Check result", checked),
            StepPlan("Upload logs"),
        )

    @property
    def _shows_passed(self) -> bool:
        # The step looks at an exit code that a cancelled script never had.
        return self.conclusion != "failure"

    def artifact(self) -> bytes:
        """Return the zip of the attempt; nobody compared or trained in a lightweight one."""
        goldens: dict[str, bytes] = {}
        name = self.test.golden.rpartition("/")[2]
        if self.golden is not None and not self.setting.lightweight and self.outcome.kind != "nccl":
            broke_off = self.outcome.kind == "oom"
            goldens[name] = truncated(self.golden, 3) if broke_off else self.golden
        if self.golden is not None and self.outcome.kind == "resume-mismatch":
            goldens[name.replace(".json", "_2nd.json")] = self.golden
        said: Mapping[Kind, Callable[[int], str]] = {"oom": out_of_memory, "nccl": watchdog}
        write = said.get(self.outcome.kind)
        stderr = {rank: write(rank) if write and rank == 1 else "" for rank in range(2)}
        return functional_zip(goldens, self.setting.repeats if self.outcome.kind == "passed" else 1, stderr)

    def log(self, begun_at: datetime) -> Iterator[bytes]:
        """Yield the log of the attempt."""
        return render(self._lines(begun_at), begun_at)

    def _lines(self, begun_at: datetime) -> Iterator[Line]:
        if self.outcome.kind == "infra":
            yield 20, "##[group]Pull container"
            yield 33, "Error response from daemon: Get registry.example.org: net/http: TLS handshake timeout"
            yield 34, "##[error]Process completed with exit code 1."
            return
        name, setting, end = self.test.name, self.setting, self.seconds
        yield from opening(name, self.test.platform, setting.scope, setting.sha)
        courses: dict[Kind, Callable[[datetime], Iterator[Line]]] = {
            "passed": self._passing,
            "hang": self._hanging,
            "over-budget": self._slow,
            "inference-drift": self._answering,
            "oom": self._broken,
            "nccl": self._flaky,
        }
        yield from courses.get(self.outcome.kind, self._flaky)(begun_at)
        if self.conclusion == "cancelled":
            yield end - 10, CANCELED
        yield from box(end - 5, name, passed=self._shows_passed)

    def _repeat(self, at: float, begun_at: datetime, per_step: float = 2.0) -> Iterator[Line]:
        """Yield one training with its checks, which takes 50 steps and a quarter of a minute."""
        yield from training(at, range(1, _STEPS + 1), _STEPS, per_step, begun_at)
        yield from ((at + _STEPS * per_step, "filler " + "x" * 93) for _ in range(self.setting.noise))
        if self.setting.lightweight:
            yield at + _STEPS * per_step, "Skipping Pytest checks."
        else:
            node = RESUME if self.outcome.kind == "resume-mismatch" else REGULAR
            yield from pytest_session(at + _STEPS * per_step + 5, self._comparisons(), node)

    def _comparisons(self) -> tuple[Comparison, ...]:
        kind, differing = self.outcome.kind, self.outcome.metrics
        if self.outcome.compared:
            return self.outcome.compared
        names = dict.fromkeys((*METRICS, *differing))
        if kind not in _COMPARES:
            return tuple(Comparison(name) for name in names)
        near = kind == "drift"
        return tuple(
            Comparison(name, exact=name not in differing, approximate=near or name not in differing)
            for name in names
        )

    def _passing(self, begun_at: datetime) -> Iterator[Line]:
        for repeat in range(self.setting.repeats):
            yield from self._repeat(60 + repeat * _PER_REPEAT, begun_at)
        yield self.seconds - 20, "Job succeeded with status: SUCCEEDED"

    def _hanging(self, begun_at: datetime) -> Iterator[Line]:
        """One repeat passes; the next one stops in the middle, and nothing is said any more."""
        yield from self._repeat(60, begun_at)
        yield from training(60 + _PER_REPEAT, range(1, 18), _STEPS, 2.0, begun_at)

    def _slow(self, begun_at: datetime) -> Iterator[Line]:
        """Each repeat passes and takes a quarter of the hour, until the hour is over."""
        for repeat in range(3):
            yield from self._repeat(60 + repeat * 900, begun_at, per_step=17)
        yield from training(60 + 3 * 900, range(1, 49), _STEPS, 17, begun_at)

    def _broken(self, begun_at: datetime) -> Iterator[Line]:
        yield from training(60, range(1, 4), _STEPS, 2.0, begun_at)
        yield from ((80, line) for line in out_of_memory(1).splitlines())
        yield 90, "Training failed. Aborting."
        yield 95, "Job failed with status: FAILED"

    def _answering(self, begun_at: datetime) -> Iterator[Line]:
        """The answers differ, which the launcher does not take for bad luck."""
        yield from training(60, range(1, 4), _STEPS, 2.0, begun_at)
        yield from output_session(80, self.outcome.said, INFERENCE)
        yield 95, "Job failed with status: FAILED"

    def _flaky(self, begun_at: datetime) -> Iterator[Line]:
        """The launcher takes it for bad luck and tries it three times, golden drift included."""
        is_nccl = self.outcome.kind == "nccl"
        length = 60 + _PER_REPEAT + (600 if is_nccl else 0)
        for attempt in range(_RETRIES):
            at = 60.0 + attempt * length
            if is_nccl:
                yield from training(at, range(1, 10), _STEPS, 2.0, begun_at)
                yield from ((at + 620, line) for line in watchdog(1).splitlines())
                yield at + 625, "Training failed. Aborting."
            else:
                yield from self._repeat(at, begun_at)
            yield at + length - 20, "Job failed with status: FAILED"
            if attempt < _RETRIES - 1:
                yield at + length - 19, "Detected flaky failure, attempt restart."
