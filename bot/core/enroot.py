"""`enroot import`: its arguments, the hosts whose credentials it needs, the space that it takes.

https://github.com/NVIDIA/enroot/blob/master/doc/cmd/import.md and doc/configuration.md beside it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.core.build import Problem
from bot.core.errors import Refused
from bot.core.image import ImageRef
from bot.core.slurm import container_image

# Who grants access is another host than who has the image, and enroot looks up each by its own name.
_GRANTED_BY = {"nvcr.io": "authn.nvidia.com", "registry-1.docker.io": "auth.docker.io"}


@dataclass(frozen=True, slots=True)
class Space:
    """Gigabytes that an import takes: layers that are kept, layers unpacked, and the archive."""

    cache: int = 15
    scratch: int = 45
    archive: int = 20


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of an import, its file system, and the gigabytes that are free there."""

    what: str
    path: str
    device: int
    free: float
    needed: int


def import_arguments(image: ImageRef, target: str) -> tuple[str, ...]:
    """Return the command that writes an image to `target`, which must not be there yet.

    Raises Refused for an image that is pinned by nothing.
    """
    if not (image.tag or image.digest):
        raise Refused(f"`{image}` has neither tag nor digest", hint="name the tag to import")
    return ("enroot", "import", "--output", target, f"docker://{container_image(image)}")


def archive_name(image: ImageRef) -> str:
    """Return the name of an image's archive: one for each reference, and no path."""
    return re.sub(r"[^A-Za-z0-9._-]", lambda it: f"+{ord(it[0]):02x}", str(container_image(image))) + ".sqsh"


def credential_hosts(image: ImageRef) -> tuple[str, ...]:
    """Return the hosts for which enroot wants credentials, without ports."""
    host = re.sub(r":[0-9]+$", "", image.host)
    return (host, *filter(None, (_GRANTED_BY.get(host),)))


def known_hosts(credentials: str) -> frozenset[str]:
    """Return the hosts that a file of enroot's `.credentials` names; it is in netrc's form."""
    return frozenset(_machines(credentials))


def _machines(credentials: str) -> Iterator[str]:
    words = iter(re.sub(r"^\s*#.*$", "", credentials, flags=re.MULTILINE).split())
    for word in words:
        if word in {"machine", "login", "password", "account"}:
            value = next(words, "")
            if word == "machine" and value:
                yield value


def credential_problems(image: ImageRef, credentials: str | None, path: str) -> tuple[Problem, ...]:
    """Return which hosts have no credentials; `credentials` is None where there is no file.

    That is never fatal: public images need none.
    """
    known = known_hosts(credentials or "")
    missing = [host for host in credential_hosts(image) if host not in known]
    if not missing:
        return ()
    hosts = " and ".join(f"`{host}`" for host in missing)
    why = "is not there" if credentials is None else f"names no {hosts}"
    return (
        Problem(
            "credentials",
            f"`{path}` {why}: an image that is not public cannot be imported",
            f"add a `machine` line for {hosts}, both with the same login and password",
            fatal=False,
        ),
    )


def space_problems(places: Iterable[Place]) -> tuple[Problem, ...]:
    """Return the file systems that have too little space for all of the import that lies on them."""
    by_device: dict[int, list[Place]] = {}
    for place in places:
        by_device.setdefault(place.device, []).append(place)
    return tuple(_too_small(it) for it in by_device.values() if it[0].free < sum(one.needed for one in it))


def _too_small(places: list[Place]) -> Problem:
    what = ", ".join(f"{it.what} `{it.path}`" for it in places)
    needed = sum(it.needed for it in places)
    return Problem(
        "disk",
        f"{places[0].free:.0f} GB are free for {what}, and {needed} GB are needed",
        "free some, or set ENROOT_CACHE_PATH, ENROOT_TEMP_PATH or the folder of archives to another place",
    )


def folders(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return where enroot keeps its `config`, its `cache` and its `scratch` data, by its own defaults."""
    home = environ.get("HOME", "/")
    config = environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    cache = environ.get("XDG_CACHE_HOME") or f"{home}/.cache"
    return {
        "config": environ.get("ENROOT_CONFIG_PATH") or f"{config}/enroot",
        "cache": environ.get("ENROOT_CACHE_PATH") or f"{cache}/enroot",
        "scratch": environ.get("ENROOT_TEMP_PATH") or environ.get("TMPDIR") or "/tmp",  # noqa: S108 - enroot's default
    }
