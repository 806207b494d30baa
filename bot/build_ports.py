"""What builds containers and runs programs in them, as Protocols."""

from collections.abc import Callable, Mapping
from typing import Protocol

from bot.core.build import BuildReport, BuildRequest, Problem
from bot.core.container import RunReport, RunRequest
from bot.core.pipeline_build import MirrorBranch, StartedPipeline

OnLine = Callable[[str, str], None]
"""Is told of each line of a build or run: the platform, and the line without its end."""


class Builder(Protocol):
    """One way to build a container, from one context that it was made for. It executes repository code.

    What cannot be asked (no daemon, no cluster) is a problem of `preflight`, and a ServiceError of `build`.
    """

    name: str

    def platform(self) -> str:
        """Return the platform that is native to the builder. Raises ServiceError when it does not answer."""
        ...

    def preflight(self, request: BuildRequest) -> tuple[Problem, ...]:
        """Return what the build would stumble over; nothing is pulled, built or written."""
        ...

    def build(self, request: BuildRequest, on_line: OnLine) -> BuildReport:
        """Build every platform, side by side; a build that fails is a result.

        `on_line` is called from several threads, for one platform from one.
        """
        ...

    def cancel(self) -> None:
        """Stop the real builds and runs, now and from any thread; they end as cancelled."""
        ...


class Containers(Protocol):
    """Runs programs in containers of an image."""

    def has_gpus(self) -> bool:
        """Say whether containers can be given GPUs. Raises ServiceError when nobody answers."""
        ...

    def run(self, request: RunRequest, on_line: OnLine) -> RunReport:
        """Run a program until it ends; an exit status that is not 0 is a result.

        Raises ServiceError when the container cannot be started.
        """
        ...


class PipelineStarts(Protocol):
    """Starts pipelines of one GitLab project. Each write is one request, never repeated blindly.

    Every method raises ServiceError when GitLab gives no sound answer, Refused when it says no for a reason
    that a person must settle.
    """

    def branch(self, name: str) -> MirrorBranch | None:
        """Return a branch as it is now, or None where there is none."""
        ...

    def start(self, ref: str, variables: Mapping[str, str]) -> StartedPipeline:
        """Begin a pipeline of a branch's head."""
        ...

    def variables(self, pipeline: int) -> Mapping[str, str]:
        """Return the variables that a pipeline was begun with."""
        ...

    def children(self, pipeline: int) -> tuple[int, ...]:
        """Return the pipelines of the same project that its trigger jobs have begun."""
        ...

    def cancel(self, pipeline: int) -> None:
        """Cancel what runs of a pipeline, its child pipelines included."""
        ...


class MirrorPush(Protocol):
    """Brings a commit of the code host to GitLab."""

    def push(self, sha: str, branch: str, observed: str | None) -> None:
        """Point `branch` to `sha`, only if it still is at `observed` (None: is not there).

        Raises Refused where it moved or may not be pushed, ServiceError where a server fails.
        """
        ...
