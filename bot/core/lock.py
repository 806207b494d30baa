"""uv in the container: what is asked of it, and what its answer means. The machine's own uv touches nothing.

The clone is mounted read-only and copied inside, so that the repository's code cannot write into it; what
came of it is handed back in a folder of its own.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.core.container import RunRequest
from bot.core.errors import Refused, UsageError
from bot.core.pins.dockerfile_lines import instructions
from bot.core.recipe_builds import Variant

LOCK, PROJECT = "uv.lock", "pyproject.toml"

# https://packaging.python.org/en/latest/specifications/dependency-specifiers/ without addresses and markers.
_PACKAGE = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9._,-]+\])?"
    r"(?:(?:===?|~=|!=|<=?|>=?)[A-Za-z0-9.*+!_-]+(?:,(?:===?|~=|!=|<=?|>=?)[A-Za-z0-9.*+!_-]+)*)?"
)
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+){1,3}")
# Anything but https would let a lock name a file or a command of the container.
_GIT = re.compile(r"(?P<url>https://[^\s?#]+)(?:\?[^\s#]*)?#(?P<sha>[0-9a-f]{40})")
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)", re.MULTILINE)

NO_UV, NOT_ADDED, NOT_LOCKED = 71, 72, 73
"""Exit statuses of the program in the container."""

_PROGRAM = r"""set -eu
package=$1; version=$2; shift 2
if ! command -v uv >/dev/null 2>&1; then
  export PIP_DISABLE_PIP_VERSION_CHECK=1
  python3 -m pip install --quiet --no-deps --target /tmp/bot-uv "uv$version" || exit 71
  PATH=/tmp/bot-uv/bin:$PATH
fi
mkdir -p /tmp/bot-work
for it in /repository/* /repository/.[!.]*; do
  if [ -e "$it" ] && [ "$it" != /repository/.git ]; then cp -R -P "$it" /tmp/bot-work/; fi
done
cd /tmp/bot-work
rm -f uv.lock
if [ -f /given/uv.lock ]; then cp /given/uv.lock uv.lock; fi
uv --version || exit 71
if [ -n "$package" ]; then uv add --no-sync -- "$package" || exit 72; fi
uv lock || exit 73
cp uv.lock pyproject.toml /taken/
uv sync --locked --dry-run "$@" || touch /taken/not-in-sync
if command -v git >/dev/null 2>&1; then
  mkdir -p /tmp/bot-git && cd /tmp/bot-git && git init -q .
  while read -r url sha; do
    git fetch -q --depth=1 --filter=tree:0 -- "$url" "$sha" && continue
    if git ls-remote -q -- "$url" HEAD; then echo "$url $sha" >> /taken/gone; fi
  done < /given/sources
fi
"""


@dataclass(frozen=True, slots=True)
class GitSource:
    """A package of a lock that comes from git, at a revision of 40 hex digits."""

    package: str
    url: str
    sha: str


@dataclass(frozen=True, slots=True)
class LockResult:
    """What came of it: the files that changed, whether they can be installed, and what is gone.

    `files` holds the new bytes of `uv.lock` and `pyproject.toml` where they differ. `in_sync` is whether
    `uv sync --locked` would take them for the extras and groups that the Dockerfile installs.
    """

    files: Mapping[str, bytes]
    in_sync: bool
    gone: tuple[GitSource, ...]


def checked_package(text: str) -> str:
    """Return the requirement that `uv add` gets, such as `einops>=0.8`. Raises UsageError otherwise."""
    if not _PACKAGE.fullmatch(text):
        raise UsageError(
            f"`{text[:80]!a}` is no package", hint="write a name, with extras and versions: `einops>=0.8`"
        )
    return text


def commit_message(package: str) -> str:
    """Return the subject of a commit that adds a package."""
    name = re.match(r"[A-Za-z0-9._-]+", package)
    return f"build: add {name[0] if name else package} dependency"


def uv_version(dockerfile: str) -> str:
    """Return `==VERSION`, the uv that a Dockerfile names with `ARG UV_VERSION=…`, empty where it does not."""
    for it in instructions(dockerfile):
        for word in it.words if it.keyword == "ARG" else ():
            name, _, value = word.text.partition("=")
            if name == "UV_VERSION" and _VERSION.fullmatch(value.strip("\"'")):
                return "==" + value.strip("\"'")
    return ""


def refuse_conflicts(files: Mapping[str, bytes | None], *, resolves: bool) -> None:
    """Raise Refused for a clone without a project, or with conflicts that only a person can settle.

    A conflict in `uv.lock` is settled by the lock of the base branch, where `resolves` says so.
    """
    if files.get(PROJECT) is None:
        raise Refused("is not there", path=PROJECT, hint="uv locks a project; name the folder of its clone")
    for path in (PROJECT, *(() if resolves else (LOCK,))):
        found = _CONFLICT.search((files.get(path) or b"").decode(errors="replace"))
        if found:
            hint = (
                "settle it"
                if path == PROJECT
                else "`--resolve-conflict` takes the base branch's and locks anew"
            )
            raise Refused("has a conflict", path=path, hint=hint)


def git_sources(lock: bytes) -> tuple[GitSource, ...]:
    """Return the git sources of a lock; a lock that cannot be read has none."""
    try:
        packages = tomllib.loads(lock.decode()).get("package", [])
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return ()
    found = (_source(it) for it in packages if isinstance(it, dict))
    return tuple(it for it in found if it)


def _source(package: Mapping[str, object]) -> GitSource | None:
    source = package.get("source")
    address = source.get("git") if isinstance(source, dict) else None
    found = _GIT.fullmatch(address) if isinstance(address, str) else None
    return GitSource(str(package.get("name", "")), found["url"], found["sha"]) if found else None


def lock_request(
    image: str,
    variant: Variant,
    lock: bytes | None,
    sources: Sequence[GitSource],
    *,
    version: str = "",
    package: str = "",
) -> RunRequest:
    """Return the run that locks in `image`, beginning with `lock`, which has these git sources.

    `version` is the uv to install where the image has none, as `uv_version` returns it.
    """
    extras = [word for it in variant.extras for word in ("--extra", it)]
    groups = [word for it in variant.groups for word in ("--group", it)]
    listed = "".join(f"{it.url} {it.sha}\n" for it in sources).encode()
    return RunRequest(
        image,
        ("sh", "-c", _PROGRAM, "bot-lock", package, version, *extras, *groups),
        # NVIDIA's images constrain pip, and with it the uv that would be installed.
        environment={"PIP_CONSTRAINT": "", "PIP_BREAK_SYSTEM_PACKAGES": "1", "UV_LINK_MODE": "copy"},
        workdir="/",
        context_at="/repository",
        given={"sources": listed, **({LOCK: lock} if lock is not None else {})},
        takes=(PROJECT, LOCK, "gone", "not-in-sync"),
    )


def why_not(status: int) -> str:
    """Return what an exit status other than 0 means."""
    return {
        NO_UV: "there is no uv in the image, and it could not be installed",
        NOT_ADDED: "`uv add` failed",
        NOT_LOCKED: "`uv lock` failed",
    }.get(status, f"the program in the container ended with {status}")


def lock_result(
    before: Mapping[str, bytes | None],
    taken: Mapping[str, bytes],
    sources: Sequence[GitSource],
) -> LockResult:
    """Return what the folder of results says, `taken` being its files by name."""
    changed = {
        path: content
        for path in (PROJECT, LOCK)
        if (content := taken.get(path)) is not None and content != before.get(path)
    }
    lines = set(taken.get("gone", b"").decode(errors="replace").splitlines())
    gone = tuple(it for it in sources if f"{it.url} {it.sha}" in lines)
    return LockResult(changed, "not-in-sync" not in taken, gone)
