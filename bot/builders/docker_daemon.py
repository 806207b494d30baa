"""Short questions to the Docker daemon, each one call of `docker`."""

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.core.errors import ServiceError
from bot.core.image import ImageRef
from bot.core.markdown import one_line

PlatformsOf = Callable[[ImageRef], tuple[str, ...] | None]
"""Asks a registry for the platforms of an image, None where it has no such image; may raise a BotError."""

_SECONDS = 30


@dataclass(frozen=True)
class Daemon:
    """The daemon that `docker` talks to with the environment `environ`."""

    environ: Mapping[str, str]

    def info(self, gone: str = "does not answer") -> Mapping[str, Any]:
        """Return what `docker info` tells. Raises ServiceError when there is no daemon to tell it."""
        status, output, error = self.ask("info", "--format={{json .}}")
        try:
            told = json.loads(output) if status == 0 else {}
        except ValueError:
            told = {}
        errors = told.get("ServerErrors") or []
        if not told or errors:
            why = one_line(" ".join(errors) or error or output, 300)
            raise ServiceError(
                f"the Docker daemon {gone}" + (f": {why}" if why else ""),
                hint="start Docker, or point DOCKER_HOST at a daemon that you may use",
            )
        return dict(told)

    def image_platform(self, image: str) -> str | None:
        """Return the platform of an image that is on the machine, None where it is not."""
        status, output, _ = self.ask("image", "inspect", "--format={{.Os}}/{{.Architecture}}", "--", image)
        return output.strip() if status == 0 else None

    def builder(self) -> str:
        """Return how buildx describes the builder that would be used, empty where there is no buildx."""
        status, output, _ = self.ask("buildx", "inspect")
        return output if status == 0 else ""

    def remove(self, container: str) -> None:
        """Remove a container with whatever runs in it; one that is gone is fine."""
        self.ask("rm", "--force", "--", container)

    def ask(self, *words: str) -> tuple[int, str, str]:
        """Return exit status, output and errors of a short command of `docker`."""
        try:
            done = subprocess.run(
                ["docker", *words],
                env=dict(self.environ),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except FileNotFoundError as error:
            raise ServiceError("there is no `docker` on this machine", hint="install Docker") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ServiceError(f"`docker {words[0]}` does not answer: {error}") from error
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
