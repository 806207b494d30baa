"""The pipelines of a GitLab project, as `CiRuns`: a pipeline is a run, its child pipelines are part of it.

Reading needs a token of the scope `read_api`, running jobs again one of the scope `api`
(https://docs.gitlab.com/api/pipelines/, https://docs.gitlab.com/api/jobs/).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from bot.core.ci import Artifact, Job, Location, Run
from bot.core.errors import ServiceError
from bot.gitlab.pipeline_documents import Place, artifacts_of, downstream_of, jobs_of, run_of
from bot.gitlab.server import LATER_HINT, GitLabServer, NotThere, Patience

_PIECE = 128 * 1024
_MOST_PIPELINES = 1000
"""What GitLab itself allows in one tree of pipelines."""
_RETRIED = frozenset({"failure", "cancelled", "timed_out"})


class GitLabPipelines:
    """Implements `bot.ports.CiRuns` for a GitLab project.

    A job is called by all that leads to it: `functional:run_dev_dgx_h100 / gpt / some_test` is the job
    `some_test` of the stage `gpt` in the child pipeline that the job `functional:run_dev_dgx_h100` began.
    Pipelines that were begun in other projects are not followed: their results are not this project's.
    """

    def __init__(self, url: str, token: str | None, project: str, patience: Patience | None = None) -> None:
        self._token = token
        self._server = GitLabServer(
            url, token, project, scope="`read_api`, or `api` to run jobs again", patience=patience
        )

    def run(self, number: int) -> Run | None:
        """Return a pipeline by its id, or None if the project has no such pipeline."""
        with self._server.session():
            workflow = self._workflow
            try:
                document = self._server.document(f"/pipelines/{number}")
            except NotThere:
                return None
            with self._whole():
                return run_of(document, workflow=workflow)

    def runs(self, branch: str) -> tuple[Run, ...]:
        """Return the pipelines of a branch, the newest first."""
        with self._server.session(), self._whole():
            workflow = self._workflow
            listed = self._server.items("/pipelines", ref=branch, order_by="id", sort="desc")
            found = {run.id: run for run in (run_of(it, workflow=workflow) for it in listed)}
        return tuple(sorted(found.values(), key=lambda run: run.id, reverse=True))

    def jobs(self, run: int) -> tuple[Job, ...]:
        """Return the jobs of a pipeline and of its child pipelines, retried ones included, the oldest first.

        Trigger jobs are no jobs. Of a trigger job that was run again, GitLab shows the newest pipeline alone.
        """
        with self._server.session(), self._whole():
            return jobs_of(run, self._documents(run))

    def log(self, job: int) -> Iterator[bytes]:
        """Yield the log of a job in pieces; nothing where it was erased."""
        with self._server.session():
            try:
                yield from self._server.stream(f"/jobs/{job}/trace", _PIECE)
            except NotThere:
                return

    def artifacts(self, run: int) -> tuple[Artifact, ...]:
        """Return what the jobs of a pipeline and of its child pipelines left; ids are those of the jobs."""
        with self._server.session(), self._whole():
            return artifacts_of(run, (document for _, document in self._documents(run)))

    def location(self, artifact: int) -> Location:
        """Return where an artifact's zip is asked for; GitLab may redirect to its object storage."""
        headers = {"PRIVATE-TOKEN": self._token} if self._token else {}
        return Location(self._server.address(f"/jobs/{artifact}/artifacts"), headers)

    def retry_failed(self, run: int) -> None:
        """Run the failed and cancelled jobs again, each in its own pipeline.

        GitLab does not reach into child pipelines when their parent is run again.
        """
        with self._server.session():
            with self._whole():
                documents = self._documents(run)
                place_of = {document["id"]: place for place, document in documents}
                newest = {(place_of[job.id], job.name): job for job in jobs_of(run, documents)}
            failed = {place.pipeline for (place, _), job in newest.items() if job.conclusion in _RETRIED}
            for pipeline in sorted(failed):
                self._server.post(f"/pipelines/{pipeline}/retry")

    @cached_property
    def _project(self) -> dict[str, Any]:
        return self._server.document("")

    @property
    def _workflow(self) -> str:
        return self._project.get("ci_config_path") or ".gitlab-ci.yml"

    def _documents(self, run: int) -> list[tuple[Place, dict[str, Any]]]:
        """Return every job of the tree of pipelines with its place, each once."""
        found: dict[int, tuple[Place, dict[str, Any]]] = {}
        for place in self._tree(run):
            # A list that grows while it is read shows a job twice and leaves none out.
            for document in self._server.items(f"/pipelines/{place.pipeline}/jobs", include_retried="true"):
                found.setdefault(document["id"], (place, document))
        return list(found.values())

    def _tree(self, run: int) -> Iterator[Place]:
        """Yield the place of each pipeline of the tree, each once, though GitLab's answers go in a circle."""
        project = self._project["id"]
        todo, seen = [Place(run)], {run}
        while todo:
            place = todo.pop(0)
            yield place
            for bridge in self._server.items(f"/pipelines/{place.pipeline}/bridges"):
                begun = downstream_of(bridge, project)
                if begun and begun.pipeline not in seen:
                    seen.add(begun.pipeline)
                    todo.append(Place(begun.pipeline, (*place.way, *begun.way)))
            if len(seen) > _MOST_PIPELINES:
                raise ServiceError(f"pipeline {run} has more than {_MOST_PIPELINES} child pipelines")

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Explain what fails in this block as an answer that lacks a part."""
        try:
            yield
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ServiceError(
                f"GitLab at `{self._server.url}` sent a pipeline or job that is not whole", hint=LATER_HINT
            ) from error
