"""What GitLab keeps, as plain values that the world changes in place."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

Log = Callable[[], Iterator[bytes]]
"""Makes the log of a job anew, so that no large one is kept."""
Zip = Callable[[], bytes]
"""Makes the zip of a job's artifacts anew."""

RUNNING = frozenset({"created", "pending", "preparing", "running", "waiting_for_resource"})
"""The statuses of a job that has not ended and is not waiting for a person."""


def no_log() -> Iterator[bytes]:
    """Return the log of a job that wrote nothing."""
    return iter(())


@dataclass(eq=False, slots=True)
class Archive:
    """The artifacts of a job; `locked` ones are kept although they have expired."""

    zip: Zip
    size: int
    filename: str = "artifacts.zip"
    expire_at: datetime | None = None
    locked: bool = False


@dataclass(eq=False, slots=True)
class Job:
    """A job; one that was run again is `retried`, and the newer one stands beside it."""

    id: int
    stage: str
    name: str
    created_at: datetime
    status: str = "created"
    tags: tuple[str, ...] = ()
    started_at: datetime | None = None
    finished_at: datetime | None = None
    failure_reason: str | None = None
    allow_failure: bool = False
    retried: bool = False
    erased: bool = False
    log: Log = no_log
    archive: Archive | None = None


@dataclass(eq=False, slots=True)
class Bridge:
    """A trigger job; `downstream` is None while it has begun nothing."""

    id: int
    stage: str
    name: str
    created_at: datetime
    status: str = "created"
    downstream: "Pipeline | None" = None


@dataclass(eq=False, slots=True)
class Pipeline:
    """A pipeline of a commit; `source` says what began it."""

    id: int
    iid: int
    project: "Project"
    sha: str
    ref: str
    source: str
    created_at: datetime
    variables: Mapping[str, str] = field(default_factory=dict)
    jobs: list[Job] = field(default_factory=list)
    bridges: list[Bridge] = field(default_factory=list)

    @property
    def status(self) -> str:
        """The state of the whole, by the jobs and trigger jobs that stand."""
        return self.state_below(())

    def state_below(self, above: "tuple[Pipeline, ...]") -> str:
        """Return the state; a pipeline `above` that is begun again adds nothing to it."""
        way = (*above, self)
        standing = [job for job in self.jobs if not job.retried]
        states = [job.status for job in standing if not (job.allow_failure and job.status == "failed")]
        states += [
            it.downstream.state_below(way)
            for it in self.bridges
            if it.downstream and it.downstream not in way
        ]
        states += [bridge.status for bridge in self.bridges if bridge.downstream is None]
        if any(state in RUNNING for state in states):
            waiting = "pending" if "pending" in states else "created"
            return waiting if set(states) <= {"created", "pending", "skipped"} else "running"
        for state in ("failed", "canceled", "manual"):
            if state in states:
                return state
        return "skipped" if states and set(states) == {"skipped"} else "success"


@dataclass(eq=False, slots=True)
class Project:
    """A project: `branches` holds the newest commit of each, `trees` the files of every commit.

    `protected` are the names of branches that only maintainers push to.
    """

    id: int
    path: str
    created_at: datetime
    ci_config_path: str | None = None
    protected: frozenset[str] = frozenset({"main"})
    branches: dict[str, str] = field(default_factory=dict)
    trees: dict[str, dict[str, bytes]] = field(default_factory=dict)
    pipelines: dict[int, Pipeline] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Token:
    """Who has it: its scopes, and the paths of the projects that it shows."""

    scopes: frozenset[str]
    projects: frozenset[str]
