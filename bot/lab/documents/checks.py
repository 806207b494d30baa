"""Commit statuses and check runs as JSON documents."""

from collections.abc import Sequence

from bot.lab.documents.people import app_document, user_document
from bot.lab.documents.repository import minimal_repository, repository_url
from bot.lab.documents.site import WEB, Document, Site, node_id, timestamp
from bot.lab.model import CheckRun, Repository, Status


def status_document(site: Site, repository: Repository, status: Status) -> Document:
    """A "simple commit status"."""
    return {
        "url": f"{repository_url(site, repository)}/statuses/{status.sha}",
        "avatar_url": None,
        "id": status.id,
        "node_id": node_id("SC", status.id),
        "state": status.state,
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        "created_at": timestamp(status.created_at),
        "updated_at": timestamp(status.created_at),
    }


def full_status_document(site: Site, repository: Repository, status: Status) -> Document:
    """A "status": the simple one and who set it."""
    return status_document(site, repository, status) | {"creator": user_document(site, status.creator)}


def combined_status_document(
    site: Site, repository: Repository, sha: str, newest: Sequence[Status], shown: Sequence[Status]
) -> Document:
    """A "combined commit status": `newest` of each context, `shown` on this page."""
    states = {status.state for status in newest}
    bad = bool(states & {"failure", "error"})
    good = states == {"success"}
    url = repository_url(site, repository)
    return {
        "state": "failure" if bad else "success" if good else "pending",
        "statuses": [status_document(site, repository, status) for status in shown],
        "sha": sha,
        "total_count": len(newest),
        "repository": minimal_repository(site, repository),
        "commit_url": f"{url}/commits/{sha}",
        "url": f"{url}/commits/{sha}/status",
    }


def check_run_document(site: Site, repository: Repository, run: CheckRun) -> Document:
    """A "check run"."""
    url = f"{repository_url(site, repository)}/check-runs/{run.id}"
    page = f"{WEB}/{repository.full_name}/runs/{run.id}"
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("CR", run.id),
        "head_sha": run.sha,
        "external_id": run.external_id,
        "url": url,
        "html_url": page,
        "details_url": run.details_url or f"{WEB}/apps/{run.app.slug}",
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": timestamp(run.started_at),
        "completed_at": timestamp(run.completed_at),
        "output": run.output | {"annotations_count": 0, "annotations_url": f"{url}/annotations"},
        "check_suite": {"id": run.app.id},
        "app": app_document(site, run.app),
        "pull_requests": [],
    }
