"""Builds containers in a pipeline of GitLab: a push, a pipeline, and its build jobs to their end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from bot.build_ports import MirrorPush, PipelineStarts
from bot.core.buildlog.diagnosis import Diagnosis
from bot.core.buildlog.reader import read_build_log
from bot.core.errors import BotError, Refused, ServiceError
from bot.core.pipeline_build import (
    ImageBuild,
    PipelineReport,
    PipelineRequest,
    StartedPipeline,
    differing,
    image_builds,
    refuse_target,
)
from bot.ports import CiRuns

OnLine = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class GitLabBuilds:
    """The builds of one project; `shared` are its branches of everybody, `poll` seconds between two looks."""

    starts: PipelineStarts
    runs: CiRuns
    mirror: MirrorPush
    shared: tuple[str, ...]
    poll: float = 30.0

    def plan(self, request: PipelineRequest) -> tuple[str, ...]:
        """Return what `run` would do, the target first; nothing is written. Raises Refused like it."""
        branch = self.starts.branch(request.target)
        refuse_target(request, branch, self.shared)
        at = f"now at {branch.sha[:12]}" if branch else "new"
        push = () if branch and branch.sha == request.sha else (f"push {request.sha} with lease",)
        variables = (f"{key}={value}" for key, value in request.variables.items())
        return (f"target {request.target} ({at})", *push, "begin a pipeline", *variables)

    def run(self, request: PipelineRequest, on_line: OnLine, stop: threading.Event) -> PipelineReport:
        """Push, begin a pipeline and follow its build jobs to their end; setting `stop` cancels it.

        Raises Refused where the target or the pipeline is not at the commit. Whatever ends this call before
        the builds have ended cancels the pipeline.
        """
        self._bring(request, on_line)
        pipeline = self.starts.start(request.target, request.variables)
        on_line(f"pipeline {pipeline.id} {pipeline.url}")
        try:
            self._prove(request, pipeline)
            builds = self._follow(pipeline, on_line, stop)
            return PipelineReport(pipeline, builds, tuple(self._notices_of_children(request, pipeline)))
        except BaseException:
            with suppress(BotError):
                self.starts.cancel(pipeline.id)
            raise

    def diagnosis(self, build: ImageBuild) -> Diagnosis:
        """Return why a build broke, from its job's log."""
        return read_build_log(self.runs.log(build.job.id))

    def _bring(self, request: PipelineRequest, on_line: OnLine) -> None:
        target = request.target
        branch = self.starts.branch(target)
        refuse_target(request, branch, self.shared)
        if branch is None or branch.sha != request.sha:
            on_line(f"push {request.sha[:12]} to {target}")
            self.mirror.push(request.sha, target, branch.sha if branch else None)
            branch = self.starts.branch(target)
        if branch is None or branch.sha != request.sha:
            raise Refused(
                f"`{target}` is not at {request.sha[:12]} on GitLab: somebody moved it", hint="try again"
            )

    def _prove(self, request: PipelineRequest, pipeline: StartedPipeline) -> None:
        """Raise Refused for a pipeline of another commit or with other variables."""
        if pipeline.sha != request.sha:
            raise Refused(
                f"pipeline {pipeline.id} is of {pipeline.sha[:12]}, not of {request.sha[:12]}",
                hint="the branch moved in between; it was cancelled, try again",
            )
        if wrong := differing(request.variables, self.starts.variables(pipeline.id)):
            raise Refused(
                f"pipeline {pipeline.id} has not the variables that were asked for: {', '.join(wrong)}",
                hint="see the project's limits on pipeline variables",
            )

    def _notices_of_children(self, request: PipelineRequest, pipeline: StartedPipeline) -> Iterator[str]:
        for child in self.starts.children(pipeline.id):
            if wrong := differing(request.variables, self.starts.variables(child)):
                yield f"child pipeline {child} was begun without {', '.join(wrong)}"

    def _follow(
        self, pipeline: StartedPipeline, on_line: OnLine, stop: threading.Event
    ) -> tuple[ImageBuild, ...]:
        told: dict[int, str] = {}
        while True:
            # The run first: jobs that are added after this look belong to a run that has not ended.
            run = self.runs.run(pipeline.id)
            if run is None:
                raise ServiceError(f"GitLab has no pipeline {pipeline.id} any more")
            builds = image_builds(self.runs.jobs(pipeline.id))
            for build in builds:
                _tell(build, told, on_line)
            # A job that failed may be begun again by GitLab itself, as long as its pipeline runs.
            if run.is_completed or (builds and all(it.job.conclusion == "success" for it in builds)):
                return builds
            if stop.wait(self.poll):
                raise ServiceError(f"pipeline {pipeline.id} was cancelled by the bot")


def _tell(build: ImageBuild, told: dict[int, str], on_line: OnLine) -> None:
    state = build.job.conclusion or build.job.status
    if told.get(build.job.id) != state:
        told[build.job.id] = state
        again = f", attempt {build.job.attempt}" if build.job.attempt > 1 else ""
        on_line(f"{build.image} {build.platform}: {state}{again}")
