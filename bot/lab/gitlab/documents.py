"""The lab's GitLab values as the JSON documents of its API (https://docs.gitlab.com/api/rest/)."""

import base64
import hashlib
from datetime import datetime
from typing import Any

from bot.lab.gitlab.model import Archive, Bridge, Job, Pipeline, Project
from bot.lab.gitlab.world import GitLabWorld


def project_document(url: str, project: Project) -> dict[str, Any]:
    """Return a project, short."""
    name = project.path.rpartition("/")[2]
    return {
        "id": project.id,
        "name": name,
        "path": name,
        "path_with_namespace": project.path,
        "default_branch": "main",
        "ci_config_path": project.ci_config_path,
        "created_at": _time(project.created_at),
        "web_url": f"{url}/{project.path}",
    }


def branch_document(url: str, project: Project, name: str) -> dict[str, Any]:
    """Return a branch with its newest commit."""
    sha = project.branches[name]
    return {
        "name": name,
        "commit": {"id": sha, "short_id": sha[:8]},
        "merged": False,
        "protected": name in project.protected,
        "default": name == "main",
        "web_url": f"{url}/{project.path}/-/tree/{name}",
    }


def file_document(path: str, ref: str, commit: str, content: bytes) -> dict[str, Any]:
    """Return a file of a commit."""
    blob = b"blob %d\0%b" % (len(content), content)
    return {
        "file_name": path.rpartition("/")[2],
        "file_path": path,
        "size": len(content),
        "encoding": "base64",
        "content_sha256": hashlib.sha256(content).hexdigest(),
        "ref": ref,
        "blob_id": hashlib.sha1(blob, usedforsecurity=False).hexdigest(),
        "commit_id": commit,
        "last_commit_id": commit,
        "execute_filemode": False,
        "content": base64.b64encode(content).decode(),
    }


def pipeline_basic(url: str, pipeline: Pipeline) -> dict[str, Any]:
    """Return a pipeline as lists and jobs show it."""
    return {
        "id": pipeline.id,
        "iid": pipeline.iid,
        "project_id": pipeline.project.id,
        "sha": pipeline.sha,
        "ref": pipeline.ref,
        "status": pipeline.status,
        "source": pipeline.source,
        "created_at": _time(pipeline.created_at),
        "updated_at": _time(pipeline.created_at),
        "web_url": f"{url}/{pipeline.project.path}/-/pipelines/{pipeline.id}",
    }


def pipeline_document(url: str, pipeline: Pipeline) -> dict[str, Any]:
    """Return a pipeline by itself."""
    return pipeline_basic(url, pipeline) | {"tag": False, "yaml_errors": None, "coverage": None}


def bridge_document(url: str, pipeline: Pipeline, bridge: Bridge) -> dict[str, Any]:
    """Return a trigger job; `downstream_pipeline` is null while it has begun nothing."""
    begun = bridge.downstream
    return {
        "id": bridge.id,
        "status": begun.status if begun else bridge.status,
        "stage": bridge.stage,
        "name": bridge.name,
        "ref": pipeline.ref,
        "allow_failure": False,
        "created_at": _time(bridge.created_at),
        "pipeline": pipeline_basic(url, pipeline),
        "downstream_pipeline": pipeline_basic(url, begun) if begun else None,
    }


def job_document(url: str, world: GitLabWorld, pipeline: Pipeline, job: Job) -> dict[str, Any]:
    """Return a job; `artifacts_file` is there only while the zip can be had."""
    archive = None if job.erased else job.archive
    document: dict[str, Any] = {
        "id": job.id,
        "status": job.status,
        "stage": job.stage,
        "name": job.name,
        "ref": pipeline.ref,
        "tag": False,
        "allow_failure": job.allow_failure,
        "created_at": _time(job.created_at),
        "started_at": _time(job.started_at),
        "finished_at": _time(job.finished_at),
        "pipeline": pipeline_basic(url, pipeline),
        "web_url": f"{url}/{pipeline.project.path}/-/jobs/{job.id}",
        "artifacts": [_archive_document(archive)] if archive else [],
        "artifacts_expire_at": _time(archive.expire_at) if archive else None,
        "tag_list": list(job.tags),
    }
    if job.failure_reason:
        document["failure_reason"] = job.failure_reason
    if archive and world.is_available(job):
        document["artifacts_file"] = {"filename": archive.filename, "size": archive.size}
    return document


def _archive_document(archive: Archive) -> dict[str, Any]:
    return {
        "file_type": "archive",
        "size": archive.size,
        "filename": archive.filename,
        "file_format": "zip",
    }


def _time(time: datetime | None) -> str | None:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z") if time else None
