"""What GitHub Actions keeps: runs, jobs of every attempt, artifacts; and the plans they are made from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from bot.lab.model import Repository, User

Conclusion = Literal["success", "failure", "cancelled", "skipped"]
Status = Literal["waiting", "queued", "in_progress", "completed"]

JobKey = tuple[str, tuple[str, ...]]
"""What a job keeps from attempt to attempt: its name and the labels of its runner, since names repeat."""

Log = Callable[[datetime], Iterable[bytes]]
"""Makes the log of a job that began at a time, in pieces, whenever somebody asks for it."""


def no_log(_started_at: datetime) -> Iterable[bytes]:
    """Return the log of a job that wrote none."""
    return ()


@dataclass(frozen=True, slots=True)
class StepPlan:
    """A step that a job will have had."""

    name: str
    conclusion: Conclusion = "success"


@dataclass(frozen=True, slots=True)
class ArtifactPlan:
    """An artifact that a job will leave; `content` makes the bytes of its zip."""

    name: str
    content: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class JobPlan:
    """What a job will have been when it has ended: `seconds` is how long it ran.

    An `early` job ends as soon as the run begins, before anybody approves the rest.
    """

    name: str
    labels: tuple[str, ...] = ("ubuntu-latest",)
    conclusion: Conclusion = "success"
    seconds: int = 60
    steps: tuple[StepPlan, ...] = ()
    log: Log = no_log
    artifacts: tuple[ArtifactPlan, ...] = ()
    early: bool = False


@dataclass(frozen=True, slots=True)
class Trigger:
    """What a script is told of the attempt that begins.

    `labels`, `author` and `base` branch are those of the pull request behind `pull-request/<number>`;
    `merged` reads the files of that pull request merged with its base, or of the pushed commit elsewhere.
    """

    run: int
    attempt: int
    repository: str
    branch: str
    event: str
    sha: str
    labels: tuple[str, ...]
    author: str | None
    base: str | None
    merged: Callable[[], Mapping[str, bytes]]


Script = Callable[[Trigger], Sequence[JobPlan]]
"""Decides what becomes of each job of an attempt."""


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow that runs on pushes to branches like `branches` (a shell pattern).

    With `needs_approval` a run waits for `approve` before its jobs begin.
    """

    id: int
    path: str
    name: str
    branches: str
    script: Script
    needs_approval: bool = False


@dataclass(frozen=True, slots=True)
class Push:
    """A branch that somebody moved to a commit."""

    repository: Repository
    branch: str
    sha: str
    by: User


@dataclass(eq=False, slots=True)
class WorkflowJob:
    """A job of one attempt."""

    id: int
    attempt: int
    plan: JobPlan
    created_at: datetime
    status: Status = "queued"
    conclusion: Conclusion | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None

    @property
    def key(self) -> JobKey:
        """What a job keeps from attempt to attempt."""
        return self.plan.name, self.plan.labels


@dataclass(eq=False, slots=True)
class WorkflowArtifact:
    """What a job left; `size` in bytes."""

    id: int
    attempt: int
    name: str
    content: Callable[[], bytes]
    size: int
    created_at: datetime
    expired: bool = False


@dataclass(eq=False, slots=True)
class WorkflowRun:
    """A run; `jobs` and `artifacts` are those of every attempt, `started_at` is when the newest one began."""

    id: int
    number: int
    repository: Repository
    workflow: Workflow
    event: str
    branch: str
    sha: str
    actor: User
    created_at: datetime
    started_at: datetime
    updated_at: datetime
    attempt: int = 1
    status: Status = "queued"
    conclusion: Conclusion | None = None
    jobs: list[WorkflowJob] = field(default_factory=list)
    artifacts: list[WorkflowArtifact] = field(default_factory=list)

    def jobs_at(self, attempt: int) -> tuple[WorkflowJob, ...]:
        """Return each job as it stood after an attempt: those that were not run again stay as they were."""
        return tuple({job.key: job for job in self.jobs if job.attempt <= attempt}.values())
