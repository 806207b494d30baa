"""Runs, jobs and artifacts as JSON documents."""

from bot.lab.actions import expires_at
from bot.lab.documents.people import user_document
from bot.lab.documents.repository import minimal_repository, repository_url
from bot.lab.documents.site import WEB, Document, Site, node_id, timestamp
from bot.lab.model import Repository
from bot.lab.runs import WorkflowArtifact, WorkflowJob, WorkflowRun


def _run_url(site: Site, run: WorkflowRun) -> str:
    return f"{repository_url(site, run.repository)}/actions/runs/{run.id}"


def _page(repository: Repository, rest: str) -> str:
    return f"{WEB}/{repository.full_name}/actions/{rest}"


def run_document(site: Site, run: WorkflowRun) -> Document:
    """A "workflow run"."""
    url, repository = _run_url(site, run), run.repository
    base = repository_url(site, repository)
    head = repository.git.commit(run.sha)
    person = {"name": head.author.name, "email": head.author.email}
    return {
        "id": run.id,
        "name": run.workflow.name,
        "node_id": node_id("WFR", run.id),
        "head_branch": run.branch,
        "head_sha": run.sha,
        "path": run.workflow.path,
        "display_title": head.message.partition("\n")[0],
        "run_number": run.number,
        "run_attempt": run.attempt,
        "event": run.event,
        "status": run.status,
        "conclusion": run.conclusion,
        "workflow_id": run.workflow.id,
        "check_suite_id": run.id,
        "check_suite_node_id": node_id("CS", run.id),
        "url": url,
        "html_url": _page(repository, f"runs/{run.id}"),
        "pull_requests": [],
        "created_at": timestamp(run.created_at),
        "updated_at": timestamp(run.updated_at),
        "run_started_at": timestamp(run.started_at),
        "actor": user_document(site, run.actor),
        "triggering_actor": user_document(site, run.actor),
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "check_suite_url": f"{base}/check-suites/{run.id}",
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "previous_attempt_url": f"{url}/attempts/{run.attempt - 1}" if run.attempt > 1 else None,
        "workflow_url": f"{base}/actions/workflows/{run.workflow.id}",
        "head_commit": {
            "id": run.sha,
            "tree_id": head.tree,
            "message": head.message,
            "timestamp": timestamp(head.author.at),
            "author": person,
            "committer": person,
        },
        "repository": minimal_repository(site, repository),
        "head_repository": minimal_repository(site, repository),
    }


def job_document(site: Site, run: WorkflowRun, job: WorkflowJob) -> Document:
    """A "job"; GitHub names a runner only once there is one."""
    has_runner = job.started_at is not None and job.conclusion != "skipped"
    return {
        "id": job.id,
        "run_id": run.id,
        "workflow_name": run.workflow.name,
        "head_branch": run.branch,
        "run_url": _run_url(site, run),
        "run_attempt": job.attempt,
        "node_id": node_id("CR", job.id),
        "head_sha": run.sha,
        "url": f"{repository_url(site, run.repository)}/actions/jobs/{job.id}",
        "html_url": _page(run.repository, f"runs/{run.id}/job/{job.id}"),
        "status": job.status,
        "conclusion": job.conclusion,
        "created_at": timestamp(job.created_at),
        # A job that has not begun shows the time at which it was made.
        "started_at": timestamp(job.started_at or job.created_at),
        "completed_at": timestamp(job.completed_at),
        "name": job.plan.name,
        "steps": _steps(job),
        "check_run_url": f"{repository_url(site, run.repository)}/check-runs/{job.id}",
        "labels": list(job.plan.labels),
        "runner_id": job.id if has_runner else None,
        "runner_name": f"runner-{job.id}" if has_runner else None,
        "runner_group_id": 1 if has_runner else None,
        "runner_group_name": "Default" if has_runner else None,
    }


def _steps(job: WorkflowJob) -> list[Document]:
    if job.status != "completed":
        return []
    return [
        {
            "name": step.name,
            "status": "completed",
            "conclusion": step.conclusion,
            "number": number,
            "started_at": timestamp(job.started_at),
            "completed_at": timestamp(job.completed_at),
        }
        for number, step in enumerate(job.plan.steps, start=1)
    ]


def artifact_document(site: Site, run: WorkflowRun, artifact: WorkflowArtifact) -> Document:
    """An "artifact"."""
    url = f"{repository_url(site, run.repository)}/actions/artifacts/{artifact.id}"
    return {
        "id": artifact.id,
        "node_id": node_id("A", artifact.id),
        "name": artifact.name,
        "size_in_bytes": artifact.size,
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": artifact.expired,
        "created_at": timestamp(artifact.created_at),
        "expires_at": timestamp(expires_at(artifact)),
        "updated_at": timestamp(artifact.created_at),
        "workflow_run": {
            "id": run.id,
            "repository_id": run.repository.id,
            "head_repository_id": run.repository.id,
            "head_branch": run.branch,
            "head_sha": run.sha,
        },
    }
