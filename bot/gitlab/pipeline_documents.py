"""GitLab's pipelines and jobs as its API writes them → the values of `bot.core.ci`.

Every function raises KeyError, TypeError or ValueError when a part is missing or of another kind.
Fields: https://docs.gitlab.com/api/pipelines/ and https://docs.gitlab.com/api/jobs/.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.core.ci import Artifact, Job, Run

Document = Mapping[str, Any]

_ENDED = {"success": "success", "failed": "failure", "canceled": "cancelled", "skipped": "skipped"}
_GOING_ON = {
    "created": "queued",
    "preparing": "queued",
    "pending": "queued",
    "waiting_for_resource": "queued",
    "waiting_for_callback": "queued",
    "running": "in_progress",
    "canceling": "in_progress",
    "manual": "waiting",
    "scheduled": "waiting",
}
"""GitLab's status → the status that GitHub would show; what is not known is handed on as it is."""

_TIMED_OUT = "job_execution_timeout"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job stands: its pipeline, and the names of the trigger jobs that lead there from the run."""

    pipeline: int
    way: tuple[str, ...] = ()


def run_of(document: Document, *, workflow: str) -> Run:
    """Return a pipeline. GitLab counts attempts job by job, so a pipeline has but one."""
    status, conclusion = _state(document)
    return Run(
        id=_number(document, "id"),
        sha=_text(document, "sha"),
        branch=_text(document, "ref"),
        event=_text(document, "source"),
        workflow=workflow,
        is_foreign=False,
        attempt=1,
        status=status,
        conclusion=conclusion,
        created_at=_needed_time(document, "created_at"),
        url=_text(document, "web_url"),
    )


def downstream_of(bridge: Document, project: int) -> Place | None:
    """Return the pipeline of `project` that a trigger job began, or None; `way` is the job's own name."""
    begun = bridge["downstream_pipeline"]
    if begun is None or _number(begun, "project_id") != project:
        return None
    return Place(_number(begun, "id"), (_text(bridge, "name"),))


def jobs_of(run: int, documents: Iterable[tuple[Place, Document]]) -> tuple[Job, ...]:
    """Return the jobs of a run, the oldest first; the attempts of one job are counted in the order of ids."""
    attempts: Counter[tuple[int, str, str]] = Counter()
    jobs = []
    for place, document in sorted(documents, key=lambda it: _number(it[1], "id")):
        names = (_text(document, "stage"), _text(document, "name"))
        attempts[(place.pipeline, *names)] += 1
        status, conclusion = _state(document)
        jobs.append(
            Job(
                id=_number(document, "id"),
                run=run,
                name=" / ".join((*place.way, *names)),
                attempt=attempts[(place.pipeline, *names)],
                status=status,
                conclusion=conclusion,
                labels=tuple(str(tag) for tag in document.get("tag_list") or ()),
                started_at=_time(document, "started_at"),
                completed_at=_time(document, "finished_at"),
                url=_text(document, "web_url"),
            )
        )
    return tuple(jobs)


def artifacts_of(run: int, documents: Iterable[Document]) -> tuple[Artifact, ...]:
    """Return one artifact for each job that has or had one, the oldest first; its id is the job's id.

    GitLab leaves `artifacts_file` out once the zip may be deleted. The time in `artifacts_expire_at` alone
    tells nothing: the artifacts of a branch's latest pipeline are kept beyond it
    (https://docs.gitlab.com/ci/jobs/job_artifacts/#keep-artifacts-from-most-recent-successful-jobs).
    """
    found = []
    for document in sorted(documents, key=lambda it: _number(it, "id")):
        file = document.get("artifacts_file")
        archives = (it for it in document.get("artifacts") or () if it["file_type"] == "archive")
        kept = file or next(archives, None)
        if kept or document.get("artifacts_expire_at"):
            number = _number(document, "id")
            found.append(
                Artifact(
                    id=number,
                    run=run,
                    name=_text(kept or {}, "filename") or "artifacts.zip",
                    size=_number(kept, "size") if kept else 0,
                    expired=not file,
                    created_at=_time(document, "finished_at") or _needed_time(document, "created_at"),
                    job=number,
                )
            )
    return tuple(found)


def _state(document: Document) -> tuple[str, str | None]:
    """Return status and conclusion in GitHub's words."""
    status = _text(document, "status")
    if status not in _ENDED:
        return _GOING_ON.get(status, status), None
    if status == "failed" and document.get("failure_reason") == _TIMED_OUT:
        return "completed", "timed_out"
    return "completed", _ENDED[status]


def _number(document: Document, key: str) -> int:
    value = document[key]
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{key} is no number")
    return value


def _text(document: Document, key: str) -> str:
    """Return a text; one that is absent or null is empty."""
    value = document.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key} is no text")
    return value or ""


def _time(document: Document, key: str) -> datetime | None:
    """Return a time in UTC; one without an offset is UTC."""
    text = _text(document, key)
    if not text:
        return None
    time = datetime.fromisoformat(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _needed_time(document: Document, key: str) -> datetime:
    time = _time(document, key)
    if time is None:
        raise ValueError(f"{key} is missing")
    return time
