"""The routes of the lab's GitLab: what each answers from the world."""

from collections.abc import Callable

from bot.lab.gitlab.call import Answer, Call, Refusal, not_found
from bot.lab.gitlab.documents import (
    branch_document,
    bridge_document,
    file_document,
    job_document,
    pipeline_basic,
    pipeline_document,
    project_document,
)
from bot.lab.gitlab.model import Job, Pipeline

Handler = Callable[[Call], Answer]

_PROJECT = "/api/v4/projects/{id}"


def get_project(call: Call) -> Answer:
    call.needs("api", "read_api")
    return Answer(project_document(call.url, call.project))


def get_branch(call: Call) -> Answer:
    call.needs("api", "read_api")
    project, name = call.project, call.path["branch"]
    if name not in project.branches:
        raise not_found("Branch")
    return Answer(branch_document(call.url, project, name))


def list_branches(call: Call) -> Answer:
    call.needs("api", "read_api")
    project = call.project
    return call.page(sorted(project.branches), lambda name: branch_document(call.url, project, name))


def get_file(call: Call) -> Answer:
    call.needs("api", "read_api", "read_repository")
    project, path = call.project, call.path["file_path"]
    if "ref" not in call.query:
        raise Refusal(400, {"error": "ref is missing, ref is empty"})
    ref = call.query["ref"]
    commit = project.branches.get(ref, ref)
    if commit not in project.trees:
        raise not_found("Commit")
    if path not in project.trees[commit]:
        raise not_found("File")
    return Answer(file_document(path, ref, commit, project.trees[commit][path]))


def list_pipelines(call: Call) -> Answer:
    call.needs("api", "read_api")
    wanted = {key: value for key, value in call.query.items() if key in {"ref", "sha", "status", "source"}}
    found = [
        it
        for it in call.project.pipelines.values()
        if all(getattr(it, key) == value for key, value in wanted.items())
        # Child pipelines are listed only where that source is asked for.
        and (it.source != "parent_pipeline" or wanted.get("source") == "parent_pipeline")
    ]
    found.sort(key=lambda it: it.id, reverse=call.query.get("sort", "desc") == "desc")
    return call.page(found, lambda it: pipeline_basic(call.url, it))


def get_pipeline(call: Call) -> Answer:
    call.needs("api", "read_api")
    return Answer(pipeline_document(call.url, call.pipeline))


def create_pipeline(call: Call) -> Answer:
    call.needs("api")
    project, body = call.project, call.body or {}
    ref = body.get("ref", "")
    if ref not in project.branches:
        raise Refusal(400, {"message": "Reference not found"})
    variables = {it["key"]: it["value"] for it in body.get("variables", ())}
    made = call.world.add_pipeline(project, ref, source="api", variables=variables)
    call.world.on_pipeline(made)
    return Answer(pipeline_document(call.url, made), 201)


def list_variables(call: Call) -> Answer:
    call.needs("api", "read_api")
    held = call.pipeline.variables.items()
    return Answer([{"variable_type": "env_var", "key": key, "value": value} for key, value in held])


def retry_pipeline(call: Call) -> Answer:
    call.needs("api")
    pipeline = call.pipeline
    call.world.retry(pipeline)
    return Answer(pipeline_document(call.url, pipeline), 201)


def cancel_pipeline(call: Call) -> Answer:
    call.needs("api")
    pipeline = call.pipeline
    call.world.cancel(pipeline)
    return Answer(pipeline_document(call.url, pipeline), 200)


def list_jobs(call: Call) -> Answer:
    """List the jobs of a pipeline, the newest first; those that were run again only on demand."""
    call.needs("api", "read_api")
    pipeline = call.pipeline
    with_retried = call.query.get("include_retried", "").lower() in {"1", "true", "t", "yes", "y", "on"}
    found = [job for job in pipeline.jobs if with_retried or not job.retried]
    found.sort(key=lambda job: job.id, reverse=True)
    return call.page(found, lambda job: job_document(call.url, call.world, pipeline, job))


def list_bridges(call: Call) -> Answer:
    call.needs("api", "read_api")
    pipeline = call.pipeline
    found = sorted(pipeline.bridges, key=lambda it: it.id, reverse=True)
    return call.page(found, lambda it: bridge_document(call.url, pipeline, it))


def get_job(call: Call) -> Answer:
    call.needs("api", "read_api")
    job = call.job
    return Answer(job_document(call.url, call.world, _pipeline_of(call, job), job))


def get_trace(call: Call) -> Answer:
    call.needs("api", "read_api")
    job = call.job
    pieces = iter(()) if job.erased else job.log()
    return Answer(pieces, headers={"Content-Type": "text/plain"})


def get_artifacts(call: Call) -> Answer:
    call.needs("api", "read_api")
    job = call.job
    if not call.world.is_available(job):
        raise not_found()
    return call.download(job, call.headers)


def _pipeline_of(call: Call, job: Job) -> Pipeline:
    return next(it for it in call.project.pipelines.values() if job in it.jobs)


ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", _PROJECT, get_project),
    ("GET", f"{_PROJECT}/repository/branches", list_branches),
    ("GET", f"{_PROJECT}/repository/branches/{{branch}}", get_branch),
    ("GET", f"{_PROJECT}/repository/files/{{file_path}}", get_file),
    ("GET", f"{_PROJECT}/pipelines", list_pipelines),
    ("POST", f"{_PROJECT}/pipeline", create_pipeline),
    ("GET", f"{_PROJECT}/pipelines/{{pipeline_id}}", get_pipeline),
    ("GET", f"{_PROJECT}/pipelines/{{pipeline_id}}/variables", list_variables),
    ("GET", f"{_PROJECT}/pipelines/{{pipeline_id}}/jobs", list_jobs),
    ("GET", f"{_PROJECT}/pipelines/{{pipeline_id}}/bridges", list_bridges),
    ("POST", f"{_PROJECT}/pipelines/{{pipeline_id}}/retry", retry_pipeline),
    ("POST", f"{_PROJECT}/pipelines/{{pipeline_id}}/cancel", cancel_pipeline),
    ("GET", f"{_PROJECT}/jobs/{{job_id}}", get_job),
    ("GET", f"{_PROJECT}/jobs/{{job_id}}/trace", get_trace),
    ("GET", f"{_PROJECT}/jobs/{{job_id}}/artifacts", get_artifacts),
)
