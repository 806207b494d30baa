"""Starts pipelines of a GitLab project, as `PipelineStarts`.

Needs a token of the scope `api` (https://docs.gitlab.com/api/pipelines/#create-a-new-pipeline).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import quote

from bot.core.errors import Refused, ServiceError
from bot.core.pipeline_build import MirrorBranch, StartedPipeline
from bot.gitlab.pipeline_documents import downstream_of
from bot.gitlab.server import LATER_HINT, GitLabServer, NotThere, Patience


class GitLabStarts:
    """Implements `bot.build_ports.PipelineStarts` for a project."""

    def __init__(self, url: str, token: str | None, project: str, patience: Patience | None = None) -> None:
        self._server = GitLabServer(url, token, project, scope="`api`", patience=patience)

    def branch(self, name: str) -> MirrorBranch | None:
        """Return a branch as it is now, or None where there is none."""
        with self._server.session(), self._whole():
            try:
                document = self._server.document(f"/repository/branches/{quote(name, safe='')}")
            except NotThere:
                return None
            return MirrorBranch(document["name"], str(document["commit"]["id"]), bool(document["protected"]))

    def start(self, ref: str, variables: Mapping[str, str]) -> StartedPipeline:
        """Begin a pipeline of a branch's head."""
        listed = [{"key": key, "value": value} for key, value in variables.items()]
        with self._server.session(), self._whole():
            try:
                document = self._server.post("/pipeline", {"ref": ref, "variables": listed})
            except ServiceError as error:
                # GitLab's 400 is no failure of its own: a rule of the project, a name, a file of CI.
                if "failed with 400" in error.message or "failed with 409" in error.message:
                    hint = "see `workflow: rules` of the project and its limits of pipelines"
                    raise Refused(f"no pipeline of `{ref}`: {error.message}", hint=hint) from error
                raise
            return StartedPipeline(int(document["id"]), str(document["sha"]), str(document["web_url"]))

    def variables(self, pipeline: int) -> Mapping[str, str]:
        """Return the variables that a pipeline was begun with."""
        with self._server.session(), self._whole():
            listed = self._server.listing(f"/pipelines/{pipeline}/variables")
            return {str(it["key"]): str(it["value"]) for it in listed}

    def children(self, pipeline: int) -> tuple[int, ...]:
        """Return the pipelines of the same project that its trigger jobs have begun."""
        with self._server.session(), self._whole():
            project = int(self._server.document("")["id"])
            bridges = self._server.items(f"/pipelines/{pipeline}/bridges")
            begun = (downstream_of(bridge, project) for bridge in bridges)
            return tuple(it.pipeline for it in begun if it)

    def cancel(self, pipeline: int) -> None:
        """Cancel what runs of a pipeline, its child pipelines included."""
        with self._server.session():
            self._server.post(f"/pipelines/{pipeline}/cancel")

    @contextmanager
    def _whole(self) -> Iterator[None]:
        try:
            yield
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ServiceError(
                f"GitLab at `{self._server.url}` sent a branch or pipeline that is not whole", hint=LATER_HINT
            ) from error
