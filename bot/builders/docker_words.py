"""The words of Docker's command line: requests → argument lists, answers → values. No shell sees them.

Every value is joined to its option by `=`, so that none is taken for an option itself.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.core.build import BuildRequest
from bot.core.container import Mount, RunRequest

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def build_words(
    request: BuildRequest, platform: str, context: Path, image_file: Path, network: str
) -> list[str]:
    """Return the words after `docker` that build one platform and write the image's id to a file."""
    return [
        "build",
        "--progress=plain",
        f"--file={context / request.dockerfile}",
        f"--target={request.target}",
        f"--platform={platform}",
        *(f"--build-arg={name}={value}" for name, value in request.args.items()),
        *(f"--secret=id={name},env={name}" for name in request.secrets),
        f"--tag={request.tag_for(platform)}",
        f"--iidfile={image_file}",
        f"--network={network}",
        *([] if request.cache else ["--no-cache"]),
        "--",
        str(context),
    ]


def run_words(request: RunRequest, name: str, network: str) -> list[str]:
    """Return the words after `docker` that run a program in a container called `name`, removed at its end."""
    program, *arguments = request.command
    return [
        "run",
        "--rm",
        "--pull=never",
        f"--name={name}",
        *([f"--platform={request.platform}"] if request.platform else []),
        f"--network={network if request.network else 'none'}",
        *(["--gpus=all"] if request.gpus else []),
        *(_mount(it) for it in request.mounts),
        *(f"--env={key}={value}" for key, value in request.environment.items()),
        *([f"--workdir={request.workdir}"] if request.workdir else []),
        f"--entrypoint={program}",
        "--",
        request.image,
        *arguments,
    ]


def _mount(mount: Mount) -> str:
    # Docker reads the value as a line of CSV: a quoted field may hold a comma.
    source = (
        f'"source={mount.source}"'.replace("\\", "\\\\") if "," in mount.source else f"source={mount.source}"
    )
    return f"--mount=type=bind,{source},target={mount.target}" + (",readonly" if mount.read_only else "")


def native_platform(info: Mapping[str, Any]) -> str:
    """Return the platform of the daemon's machine, from `docker info`."""
    machine = str(info.get("Architecture", ""))
    return f"{info.get('OSType') or 'linux'}/{_ARCHITECTURES.get(machine, machine)}"


def builder_platforms(text: str) -> tuple[str, ...]:
    """Return the platforms that a builder can run, from `docker buildx inspect`, without their variants."""
    found = re.search(r"^Platforms:(?P<names>.*)$", text, re.MULTILINE)
    names = found["names"].split(",") if found else []
    return tuple(dict.fromkeys("/".join(name.strip(" *\t").split("/")[:2]) for name in names if name.strip()))
