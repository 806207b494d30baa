"""What builds containers and runs programs in them, as Protocols."""

from collections.abc import Callable
from typing import Protocol

from bot.core.build import BuildReport, BuildRequest, Problem
from bot.core.container import RunReport, RunRequest

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
