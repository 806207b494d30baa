"""The simulated GitLab as stories see it: what there is, and the verbs that change it."""

import hashlib
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from bot.lab.gitlab.model import RUNNING, Archive, Bridge, Job, Log, Pipeline, Project, Token, no_log
from bot.lab.records import wall_clock

_ACTIVE = RUNNING | {"manual", "scheduled"}


class GitLabWorld:
    """One server. Whoever acts beside it while it runs holds `lock`.

    `on_pipeline` fills a pipeline that was asked for through the API; `on_retry` hears of a job that was
    begun anew, and of the job before it.
    """

    def __init__(self, clock: Callable[[], datetime] = wall_clock) -> None:
        self.now = clock
        self.lock = threading.RLock()
        self.projects: dict[str, Project] = {}
        self.tokens: dict[str, Token] = {}
        self.on_pipeline: Callable[[Pipeline], None] = lambda _pipeline: None
        self.on_retry: Callable[[Job, Job], None] = lambda _new, _old: None
        self._ids: Iterator[int] = count(1001)

    def new_id(self) -> int:
        """Return a number that nothing else has."""
        return next(self._ids)

    def token(self, *projects: str, scopes: tuple[str, ...] = ("api",)) -> str:
        """Return a new token that shows these projects."""
        made = secrets.token_hex(10)
        self.tokens[made] = Token(frozenset(scopes), frozenset(projects))
        return made

    def add_project(self, path: str, files: Mapping[str, bytes] | None = None) -> Project:
        """Create a project; with files its branch is `main`."""
        project = self.projects[path] = Project(self.new_id(), path, self.now())
        if files is not None:
            self.push(project, "main", files)
        return project

    def push(self, project: Project, branch: str, files: Mapping[str, bytes]) -> str:
        """Commit files on top of a branch, and return the sha."""
        before = project.branches.get(branch, "")
        tree = {**project.trees.get(before, {}), **files}
        text = repr((before, branch, self.new_id(), sorted(tree.items())))
        sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        project.trees[sha], project.branches[branch] = tree, sha
        return sha

    def add_pipeline(
        self,
        project: Project,
        ref: str = "main",
        *,
        source: str = "push",
        sha: str | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Pipeline:
        """Begin an empty pipeline of a branch's head."""
        number = len(project.pipelines) + 1
        pipeline = Pipeline(
            id=self.new_id(),
            iid=number,
            project=project,
            sha=sha or project.branches[ref],
            ref=ref,
            source=source,
            created_at=self.now(),
            variables=dict(variables or {}),
        )
        project.pipelines[pipeline.id] = pipeline
        return pipeline

    def add_job(self, pipeline: Pipeline, stage: str, name: str, **values: Any) -> Job:
        """Add a job; `values` are further fields of it, a `log` in bytes or as a factory."""
        log = values.pop("log", no_log)
        job = Job(self.new_id(), stage, name, self.now(), **values, log=_as_log(log))
        pipeline.jobs.append(job)
        return job

    def add_bridge(
        self,
        pipeline: Pipeline,
        name: str,
        *,
        stage: str = "functional_tests",
        project: Project | None = None,
    ) -> Pipeline:
        """Add a trigger job that begins a child pipeline, or a pipeline of another project; return that."""
        if project is None:
            child = self.add_pipeline(
                pipeline.project, pipeline.ref, source="parent_pipeline", sha=pipeline.sha
            )
        else:
            child = self.add_pipeline(project, source="pipeline")
        self.add_empty_bridge(pipeline, name, stage=stage).downstream = child
        return child

    def add_empty_bridge(
        self, pipeline: Pipeline, name: str, *, stage: str = "functional_tests", status: str = "skipped"
    ) -> Bridge:
        """Add a trigger job that has begun nothing."""
        bridge = Bridge(self.new_id(), stage, name, self.now(), status)
        pipeline.bridges.append(bridge)
        return bridge

    def start(self, job: Job) -> None:
        """Let a runner take a job."""
        job.status, job.started_at = "running", self.now()

    def finish(self, job: Job, status: str = "success", *, after: float = 60.0, reason: str = "") -> None:
        """End a job `after` so many seconds; `reason` is why it failed."""
        job.started_at = job.started_at or self.now()
        job.finished_at = job.started_at + timedelta(seconds=after)
        job.status = status
        job.failure_reason = reason or ("script_failure" if status == "failed" else None)

    def leave(self, job: Job, content: bytes | Callable[[], bytes], **values: Any) -> Archive:
        """Let a job leave a zip as its artifacts; `values` are further fields."""
        make = content if callable(content) else lambda: content
        job.archive = Archive(make, len(make()), **values)
        return job.archive

    def retry(self, pipeline: Pipeline) -> tuple[Job, ...]:
        """Begin anew every job of the pipeline itself that failed or was cancelled; its children stay."""
        failed = [job for job in pipeline.jobs if not job.retried and job.status in {"failed", "canceled"}]
        return tuple(self._again(pipeline, job) for job in failed)

    def _again(self, pipeline: Pipeline, job: Job) -> Job:
        job.retried = True
        made = self.add_job(pipeline, job.stage, job.name, tags=job.tags, allow_failure=job.allow_failure)
        made.status = "pending"
        self.on_retry(made, job)
        return made

    def cancel(self, pipeline: Pipeline) -> None:
        """Cancel every job that has not ended, those of child pipelines too."""
        for job in pipeline.jobs:
            if job.status in _ACTIVE:
                job.status, job.finished_at = "canceled", self.now()
        for bridge in pipeline.bridges:
            if bridge.downstream and bridge.downstream.project is pipeline.project:
                self.cancel(bridge.downstream)

    def job(self, project: Project, number: int) -> Job | None:
        """Return a job of a project by its id."""
        jobs = (job for pipeline in project.pipelines.values() for job in pipeline.jobs)
        return next((job for job in jobs if job.id == number), None)

    def is_available(self, job: Job) -> bool:
        """Whether the artifacts of a job can be had."""
        archive = job.archive
        if archive is None or job.erased:
            return False
        return archive.locked or archive.expire_at is None or archive.expire_at > self.now()


def _as_log(log: "bytes | Log") -> Log:
    if isinstance(log, bytes):
        return lambda: iter((log,))
    return log
