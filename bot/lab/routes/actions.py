"""Runs, jobs, logs and artifacts of GitHub Actions."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from bot.lab import actions
from bot.lab.answers import ApiError, not_found
from bot.lab.call import Answer, Call
from bot.lab.documents.actions import artifact_document, job_document, run_document
from bot.lab.routes.access import READ_ACTIONS, WRITE_ACTIONS
from bot.lab.runs import WorkflowJob, WorkflowRun

T = TypeVar("T")


def list_runs(call: Call) -> Answer:
    """List the runs of a repository, the newest first."""
    repository = call.repository(READ_ACTIONS)
    found = [run for run in reversed(call.records.runs) if run.repository is repository]
    for key, read in (("branch", "branch"), ("event", "event"), ("head_sha", "sha")):
        found = [run for run in found if call.query.get(key) in {None, getattr(run, read)}]
    # One filter for both: https://docs.github.com/rest/actions/workflow-runs
    found = [run for run in found if call.query.get("status") in {None, run.status, run.conclusion}]
    return _counted(call, "workflow_runs", found, lambda run: run_document(call.site, run))


def _counted(call: Call, name: str, items: Sequence[T], convert: Callable[[T], Any]) -> Answer:
    shown, headers = call.cut(items)
    return Answer({"total_count": len(items), name: [convert(item) for item in shown]}, headers=headers)


def _run(call: Call, *, write: bool = False) -> WorkflowRun:
    repository = call.repository(WRITE_ACTIONS if write else READ_ACTIONS)
    return actions.find_run(call.records, repository, call.number("run_id"))


def get_run(call: Call) -> Answer:
    return Answer(run_document(call.site, _run(call)))


def list_jobs(call: Call) -> Answer:
    """List each job as it stands now, or with `filter=all` the jobs of every attempt."""
    run = _run(call)
    everything = call.query.get("filter") == "all"
    return _jobs(call, run, run.jobs if everything else run.jobs_at(run.attempt))


def list_jobs_of_attempt(call: Call) -> Answer:
    run, attempt = _run(call), call.number("attempt_number")
    if not 1 <= attempt <= run.attempt:
        raise not_found()
    return _jobs(call, run, run.jobs_at(attempt))


def _jobs(call: Call, run: WorkflowRun, jobs: Sequence[WorkflowJob]) -> Answer:
    return _counted(call, "jobs", jobs, lambda job: job_document(call.site, run, job))


def _job(call: Call) -> tuple[WorkflowRun, WorkflowJob]:
    return actions.find_job(call.records, call.repository(READ_ACTIONS), call.number("job_id"))


def get_job(call: Call) -> Answer:
    run, job = _job(call)
    return Answer(job_document(call.site, run, job))


def get_job_log(call: Call) -> Answer:
    """Send to the log of a job that has ended; there is none of a job that never ran."""
    _, job = _job(call)
    started = job.started_at
    if job.status != "completed" or job.conclusion == "skipped" or started is None:
        raise not_found()

    def content() -> Iterable[bytes]:
        return job.plan.log(started)

    return _elsewhere(call.records.blobs.link(content, "text/plain; charset=utf-8"))


def list_artifacts(call: Call) -> Answer:
    """List the artifacts of every attempt, the newest first."""
    run = _run(call)
    found = [it for it in reversed(run.artifacts) if call.query.get("name") in {None, it.name}]
    return _counted(call, "artifacts", found, lambda it: artifact_document(call.site, run, it))


def get_artifact(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    run, found = actions.find_artifact(call.records, repository, call.number("artifact_id"))
    return Answer(artifact_document(call.site, run, found))


def download_artifact(call: Call) -> Answer:
    """Send to the zip of an artifact; 410 once it has expired."""
    repository = call.repository(READ_ACTIONS)
    _, found = actions.find_artifact(call.records, repository, call.number("artifact_id"))
    if call.path["archive_format"] != "zip":
        raise not_found()
    if found.expired:
        raise ApiError(410, "Artifact has expired")
    return _elsewhere(call.records.blobs.link(found.content, "application/zip"))


def _elsewhere(url: str) -> Answer:
    return Answer(None, 302, {"Location": url})


def rerun_failed_jobs(call: Call) -> Answer:
    actions.rerun_failed(call.records, _run(call, write=True))
    return Answer({}, 201)


def rerun_job(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    run, job = actions.find_job(call.records, repository, call.number("job_id"))
    call.repository(WRITE_ACTIONS)
    actions.rerun_job(call.records, run, job)
    return Answer({}, 201)


def cancel_run(call: Call) -> Answer:
    actions.cancel(call.records, _run(call, write=True))
    return Answer({}, 202)
