"""GitHub Actions: a push begins a run, the story's script decides its jobs, a newer push cancels it.

Nothing here waits: a job that ran for an hour has ended as soon as the story says so, an hour later
by its own times. https://docs.github.com/actions/concepts/workflows-and-actions/concurrency
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from bot.lab.answers import conflict, forbidden, not_found
from bot.lab.model import RefMove, Repository
from bot.lab.records import Records
from bot.lab.runs import (
    Conclusion,
    JobKey,
    Push,
    Trigger,
    Workflow,
    WorkflowArtifact,
    WorkflowJob,
    WorkflowRun,
)

_MIRROR = re.compile(r"pull-request/([0-9]+)")


def add_workflow(records: Records, repository: Repository, workflow: Workflow) -> None:
    """Let a workflow run from now on, on each push to the branches that it names."""

    def hear(move: RefMove) -> None:
        if move.repository is repository and move.new and fnmatchcase(move.branch, workflow.branches):
            push = Push(repository, move.branch, move.new, move.by)
            begin(records, workflow, push)

    records.workflows.append((repository, workflow))
    records.ref_listeners.append(hear)


def find_workflow(records: Records, repository: Repository, path: str) -> Workflow:
    """Return the newest workflow of a file; 404 if there is none."""
    for owner, workflow in reversed(records.workflows):
        if owner is repository and workflow.path == path:
            return workflow
    raise not_found()


def begin(records: Records, workflow: Workflow, push: Push, event: str = "push") -> WorkflowRun:
    """Begin a run. One of the same workflow that still runs on the branch is cancelled."""
    of_workflow = [run for run in records.runs if run.workflow is workflow]
    for older in of_workflow:
        if older.branch == push.branch and older.status != "completed":
            cancel(records, older)
    now = records.now()
    made = WorkflowRun(
        id=records.new_id(),
        number=len(of_workflow) + 1,
        repository=push.repository,
        workflow=workflow,
        event=event,
        branch=push.branch,
        sha=push.sha,
        actor=push.by,
        created_at=now,
        started_at=now,
        updated_at=now,
    )
    records.runs.append(made)
    _begin_attempt(records, made, again=None)
    return made


def _begin_attempt(records: Records, run: WorkflowRun, *, again: frozenset[JobKey] | None) -> None:
    """Plan the jobs of the attempt, all of them or those that run `again`."""
    run.status = "waiting" if run.workflow.needs_approval and again is None else "in_progress"
    run.conclusion, run.updated_at = None, run.started_at
    for plan in run.workflow.script(_trigger(run)):
        if again is None or (plan.name, plan.labels) in again:
            job = WorkflowJob(records.new_id(), run.attempt, plan, run.started_at)
            run.jobs.append(job)
            if plan.early:
                _end(records, run, job)
            elif run.status == "in_progress":
                job.status, job.started_at = "in_progress", run.started_at


def _trigger(run: WorkflowRun) -> Trigger:
    mirror = _MIRROR.fullmatch(run.branch)
    issue = run.repository.issues.get(int(mirror[1])) if mirror else None
    base = issue.pull.base_branch if issue and issue.pull else None
    return Trigger(
        run=run.id,
        attempt=run.attempt,
        repository=run.repository.full_name,
        branch=run.branch,
        event=run.event,
        sha=run.sha,
        labels=tuple(label.name for label in issue.labels) if issue else (),
        author=issue.author.login if issue else None,
        base=base,
        merged=_reader(run.repository, run.sha, base),
    )


def _reader(repository: Repository, sha: str, base: str | None) -> Callable[[], Mapping[str, bytes]]:
    """Return what reads a commit's files, merged with the head of `base` where they do not conflict."""

    def read() -> Mapping[str, bytes]:
        git, onto = repository.git, repository.branch(base) if base else None
        tree = (git.merged_tree(onto, sha) if onto else None) or f"{sha}^{{tree}}"
        return git.files(tree)

    return read


def approve(records: Records, run: WorkflowRun) -> None:
    """Let a waiting run go on."""
    if run.status == "waiting":
        run.status, run.updated_at = "in_progress", records.now()
        for job in run.jobs:
            if job.status == "queued":
                job.status, job.started_at = "in_progress", run.started_at


def finish_job(records: Records, run: WorkflowRun, name: str) -> None:
    """End the jobs of a name as they were planned; the run goes on."""
    for job in run.jobs:
        if job.plan.name == name and job.status != "completed":
            _end(records, run, job)


def finish(records: Records, run: WorkflowRun) -> None:
    """End every job as it was planned, and with them the run; one that waits is approved first."""
    if run.status == "completed":
        return
    approve(records, run)
    for job in run.jobs:
        if job.status != "completed":
            _end(records, run, job)
    _complete(records, run, _conclusion(run))


def cancel(records: Records, run: WorkflowRun) -> None:
    """Cancel a run; 409 if it has ended. Jobs that have ended stay as they are."""
    if run.status == "completed":
        raise conflict("Cannot cancel a workflow run that is completed.")
    for job in run.jobs:
        if job.status != "completed":
            job.status, job.conclusion = "completed", "cancelled"
            job.started_at = job.started_at or run.started_at
            job.completed_at = max(records.now(), job.started_at)
    _complete(records, run, "cancelled")


def rerun_failed(records: Records, run: WorkflowRun) -> None:
    """Begin a new attempt of the jobs that did not pass; 403 while it runs, or if there are none.

    An attempt begins no earlier than the one before ended, wherever the world's clock stands.
    """
    if run.status != "completed":
        raise forbidden("This workflow is already running")
    latest = run.jobs_at(run.attempt)
    again = frozenset(job.key for job in latest if job.conclusion != "success")
    if not again:
        raise forbidden("This workflow run cannot be retried")
    _begin_again(records, run, again)


def rerun_job(records: Records, run: WorkflowRun, job: WorkflowJob) -> None:
    """Begin a new attempt of one job; 403 while its run goes on."""
    if run.status != "completed":
        raise forbidden("This workflow is already running")
    _begin_again(records, run, frozenset({job.key}))


def _begin_again(records: Records, run: WorkflowRun, again: frozenset[JobKey]) -> None:
    run.attempt += 1
    run.started_at = max(records.now(), run.updated_at)
    _begin_attempt(records, run, again=again)


def _end(records: Records, run: WorkflowRun, job: WorkflowJob) -> None:
    job.started_at = job.started_at or run.started_at
    length = 0 if job.plan.conclusion == "skipped" else job.plan.seconds
    job.completed_at = job.started_at + timedelta(seconds=length)
    job.status, job.conclusion = "completed", job.plan.conclusion
    for plan in job.plan.artifacts:
        size = len(plan.content())
        made = WorkflowArtifact(
            records.new_id(), job.attempt, plan.name, plan.content, size, job.completed_at
        )
        run.artifacts.append(made)
    run.updated_at = max(run.updated_at, job.completed_at)


def _complete(records: Records, run: WorkflowRun, conclusion: Conclusion) -> None:
    ends = (job.completed_at for job in run.jobs if job.completed_at)
    run.status, run.conclusion, run.updated_at = "completed", conclusion, max([run.updated_at, *ends])
    for listener in list(records.run_listeners):
        listener(run)


def _conclusion(run: WorkflowRun) -> Conclusion:
    found = {job.conclusion for job in run.jobs_at(run.attempt)}
    return "failure" if "failure" in found else "cancelled" if "cancelled" in found else "success"


def find_run(records: Records, repository: Repository, run_id: int) -> WorkflowRun:
    """Return a run; 404 if there is none."""
    for run in records.runs:
        if run.repository is repository and run.id == run_id:
            return run
    raise not_found()


def find_job(records: Records, repository: Repository, job_id: int) -> tuple[WorkflowRun, WorkflowJob]:
    """Return a job and its run; 404 if there is none."""
    for run in records.runs:
        for job in run.jobs:
            if run.repository is repository and job.id == job_id:
                return run, job
    raise not_found()


def find_artifact(
    records: Records, repository: Repository, artifact_id: int
) -> tuple[WorkflowRun, WorkflowArtifact]:
    """Return an artifact and its run; 404 if there is none."""
    for run in records.runs:
        for artifact in run.artifacts:
            if run.repository is repository and artifact.id == artifact_id:
                return run, artifact
    raise not_found()


def expires_at(artifact: WorkflowArtifact) -> datetime:
    """Return when GitHub deletes an artifact: 90 days after it came."""
    return artifact.created_at + timedelta(days=90)
