"""A verdict: one kind, its one remedy and the lines that prove it; and what a verdict is made from.

A remedy is a property of the kind: two of them for one test cannot be written down.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Literal

from bot.core.ci import Job
from bot.core.triage.jobs import Subject
from bot.core.triage.log import Fact, LogFacts

Remedy = Literal["refresh", "person", "quarantine", "n-repeat", "re-run", "none"]


class VerdictKind(StrEnum):
    """What became of a test that did not pass."""

    DRIFT = "drift"
    LARGE_DRIFT = "large-drift"
    INFERENCE_DRIFT = "inference-drift"
    RESUME_MISMATCH = "resume-mismatch"
    HANG = "hang"
    OVER_BUDGET = "over-budget"
    OOM = "oom"
    CRASH = "crash"
    NCCL = "nccl"
    INFRA = "infra"
    UNIT_TESTS = "unit-tests"
    BROKEN_ON_BASE = "broken-on-base"
    MISSING_GOLDEN = "missing-golden"
    SUPERSEDED = "superseded"
    UNKNOWN = "unknown"


REMEDIES: Mapping[VerdictKind, Remedy] = {
    VerdictKind.DRIFT: "refresh",
    VerdictKind.LARGE_DRIFT: "person",
    VerdictKind.INFERENCE_DRIFT: "person",
    VerdictKind.RESUME_MISMATCH: "person",
    VerdictKind.HANG: "quarantine",
    VerdictKind.OVER_BUDGET: "n-repeat",
    VerdictKind.OOM: "person",
    VerdictKind.CRASH: "person",
    VerdictKind.NCCL: "re-run",
    VerdictKind.INFRA: "re-run",
    VerdictKind.UNIT_TESTS: "person",
    VerdictKind.BROKEN_ON_BASE: "none",
    VerdictKind.MISSING_GOLDEN: "none",
    VerdictKind.SUPERSEDED: "none",
    VerdictKind.UNKNOWN: "none",
}
"""For each kind, what is to be done; how often and on whose word is decided where it is done."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that proves a verdict. `line` counts from 1; it is None where `source` is no text."""

    source: str
    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A kind, why in words of ours, and the proof in words of the logs."""

    kind: VerdictKind
    why: str
    evidence: tuple[Evidence, ...]

    @property
    def remedy(self) -> Remedy:
        """What is to be done."""
        return REMEDIES[self.kind]


def second_run(golden: str) -> str:
    """Return the name under which the golden of a second run is recorded."""
    return f"{golden.removesuffix('.json')}_2nd.json"


@dataclass(frozen=True, slots=True)
class GoldenFound:
    """What an artifact holds of a test: whether its golden, and whether one of a second run."""

    artifact: str
    golden: str
    is_there: bool
    second_is_there: bool

    @property
    def second(self) -> str:
        """The name of the golden of the second run."""
        return second_run(self.golden)


@dataclass(frozen=True, slots=True)
class Observed:
    """All that is known of a job that did not succeed.

    `logs` are the job's own log, the first one, and those of ranks; a log that is gone has no lines.
    `golden` is what its artifact holds, or why nobody can look (as a sentence), or None where the test
    leaves none. `stopped_together` counts the other jobs that were cancelled early in the same moment,
    `broken_on` names the run of the base in which the same job failed.
    """

    subject: Subject
    job: Job
    logs: tuple[LogFacts, ...]
    golden: GoldenFound | str | None = None
    stopped_together: int = 0
    broken_on: str | None = None

    @property
    def log(self) -> LogFacts:
        """The job's own log."""
        return self.logs[0]


_SHOWN = 3
"""Lines of one kind that are shown as evidence."""


def lines(log: LogFacts, facts: Iterable[Fact]) -> tuple[Evidence, ...]:
    """Return the lines of a log that state some facts, the first few of them."""
    return tuple(Evidence(log.source, fact.line, fact.text) for fact in islice(facts, _SHOWN))
