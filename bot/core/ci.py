"""What CI shows of a commit, on GitHub and GitLab alike: runs, their jobs, what the jobs left behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a workflow, or a pipeline.

    `sha` is the commit whose push began it, `workflow` the path of the workflow's file, `is_foreign` is
    whether the commit is another repository's, `attempt` the newest one. `conclusion` is None until `status`
    is `completed`.
    """

    id: int
    sha: str
    branch: str
    event: str
    workflow: str
    is_foreign: bool
    attempt: int
    status: str
    conclusion: str | None
    created_at: datetime
    url: str

    @property
    def is_completed(self) -> bool:
        """Whether nothing of it runs any more."""
        return self.status == "completed"


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a run in one attempt. `labels` are those of its runner; times are UTC.

    `failed_step` is the name of the first step that failed, None where there is none.
    """

    id: int
    run: int
    name: str
    attempt: int
    status: str
    conclusion: str | None
    labels: tuple[str, ...]
    started_at: datetime | None
    completed_at: datetime | None
    url: str
    failed_step: str | None = None

    @property
    def seconds(self) -> float | None:
        """How long it ran, None while it has not ended."""
        if self.started_at is None or self.completed_at is None:
            return None
        return (self.completed_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True)
class Artifact:
    """A zip that a job left: its name, its size in bytes, and where its bytes are asked for.

    GitHub does not say which job left it (`job` is None); GitLab keeps one for each job.
    """

    id: int
    run: int
    name: str
    size: int
    expired: bool
    created_at: datetime
    job: int | None = None


@dataclass(frozen=True, slots=True)
class Location:
    """Where the bytes of an artifact are asked for: both parts may be secret, so `repr` shows neither.

    `headers` go to this very address only, never to where it redirects.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in an artifact: its path inside, its unpacked size in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Contents:
    """What was read of an artifact: every entry, and the bytes of those that were wanted."""

    entries: tuple[Entry, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why an artifact could not be read, as a sentence."""

    reason: str
