"""What a build would stumble over hours later, asked before anything is pulled."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bot.builders.docker_daemon import Daemon, PlatformsOf
from bot.builders.docker_words import builder_platforms, native_platform
from bot.core.build import BuildRequest, Problem
from bot.core.build_context import submodules_of
from bot.core.errors import BotError, ServiceError

_GB = 1_000_000_000


def problems(
    request: BuildRequest,
    context: Path,
    daemon: Daemon,
    platforms_of: PlatformsOf,
    environ: Mapping[str, str],
) -> Iterator[Problem]:
    """Yield each problem; without a daemon only what needs none is looked at."""
    yield from _context(request, context)
    for name in request.secrets:
        if not environ.get(name):
            yield Problem("secret", f"the environment has no `{name}`", f"set `{name}`")
    try:
        info = daemon.info()
    except ServiceError as error:
        yield Problem("daemon", error.message, error.hint or "start Docker")
        return
    yield from _resources(request, info)
    yield from _emulation(request, native_platform(info), daemon)
    yield from _base(request, daemon, platforms_of)


def _context(request: BuildRequest, context: Path) -> Iterator[Problem]:
    file = context / request.dockerfile
    if not file.is_file() or not file.resolve().is_relative_to(context.resolve()):
        yield Problem(
            "context", f"there is no `{request.dockerfile}` in the folder", "name the folder of a clone"
        )
    modules = context / ".gitmodules"
    for path in submodules_of(modules.read_text(errors="replace")) if modules.is_file() else ():
        folder = context / path
        if folder.is_dir() and not any(folder.iterdir()):
            yield Problem(
                "context", f"the submodule `{path}` is empty", "`git submodule update --init --recursive`"
            )


def _resources(request: BuildRequest, info: Mapping[str, Any]) -> Iterator[Problem]:
    memory = int(info.get("MemTotal") or 0)
    if 0 < memory < request.memory * _GB:
        yield Problem(
            "memory",
            f"the machine has {memory // _GB} GB of memory, builds like this take {request.memory} GB",
            "build elsewhere, or let fewer compilers run at once (`MAX_JOBS`)",
            fatal=False,
        )
    root = Path(str(info.get("DockerRootDir") or "/nonexistent"))
    try:
        free = shutil.disk_usage(root).free
    except OSError:
        yield Problem(
            "disk",
            "the disk of the daemon cannot be seen from here",
            f"make sure that {request.disk} GB are free there",
            fatal=False,
        )
        return
    if free < request.disk * _GB:
        yield Problem(
            "disk",
            f"{free // _GB} GB are free in `{root}`, builds like this take {request.disk} GB",
            "`docker system df` shows what takes the room, `docker builder prune` frees the cache",
        )


def _emulation(request: BuildRequest, native: str, daemon: Daemon) -> Iterator[Problem]:
    described = daemon.builder()
    if not described:
        yield Problem(
            "daemon", "`docker` has no buildx, which BuildKit needs", "install the docker-buildx plugin"
        )
        return
    known = builder_platforms(described)
    for platform in request.platforms:
        if platform == native:
            continue
        if platform in known:
            yield Problem(
                "emulation",
                f"{platform} is emulated on this {native} machine: much slower, and some programs crash",
                f"build on a {platform} machine",
                fatal=False,
            )
        else:
            yield Problem(
                "emulation",
                f"this {native} machine runs no programs of {platform}",
                f"build on a {platform} machine, or install emulation (qemu-user-static with binfmt)",
            )


def _base(request: BuildRequest, daemon: Daemon, platforms_of: PlatformsOf) -> Iterator[Problem]:
    """Yield what keeps the base image from being had: one that lies on the machine is not asked for."""
    at_hand = daemon.image_platform(str(request.base))
    wanted = [it for it in request.platforms if it != at_hand]
    if not wanted:
        return
    try:
        offered = platforms_of(request.base)
    except BotError as error:
        # The daemon may have credentials or a mirror that the bot has not: unknown is no refusal.
        yield Problem(
            "registry",
            f"`{request.base}` is not on this machine, and its registry does not tell of it: {error.message}",
            error.hint or "log in to the registry",
            fatal=False,
        )
        return
    if offered is None:
        yield Problem("image", f"the registry has no `{request.base}`", "name a tag that exists")
        return
    for platform in wanted:
        if platform not in offered:
            yield Problem(
                "platform",
                f"`{request.base}` is not there for {platform}",
                f"it is there for {', '.join(offered)}",
            )
