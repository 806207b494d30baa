"""Locking a clone's dependencies: uv runs in the container, the clone gets what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.build_ports import Containers, OnLine
from bot.core.build import dockerfiles, variant_of
from bot.core.buildlog.diagnosis import Diagnosis
from bot.core.buildlog.reader import read_build_log
from bot.core.errors import BotError, Refused
from bot.core.lock import (
    LOCK,
    PROJECT,
    LockResult,
    git_sources,
    lock_request,
    lock_result,
    refuse_conflicts,
    uv_version,
    why_not,
)
from bot.core.recipe import BumpRecipe
from bot.ports import Clone


@dataclass(frozen=True, slots=True)
class Locked:
    """What became of it: `result` is None where uv failed, and then `why` and the diagnosis say why."""

    result: LockResult | None
    why: str = ""
    diagnosis: Diagnosis | None = None


def lock(
    recipe: BumpRecipe,
    track: str,
    clone: Clone,
    containers: Containers,
    image: str,
    *,
    on_line: OnLine,
    package: str = "",
    revisions: Sequence[str] = (),
    dry_run: bool = False,
) -> Locked:
    """Lock a clone in an image; with `revisions`, from the `uv.lock` of the first one that is there.

    Raises Refused for a clone that a person has to settle first.
    """
    before = clone.read([PROJECT, LOCK, *dockerfiles(recipe, track)])
    refuse_conflicts(before, resolves=bool(revisions))
    variant = variant_of(recipe, track, before)
    start = _lock_of(clone, revisions) if revisions else before[LOCK]
    sources = git_sources(start or b"")
    version = uv_version((before[variant.dockerfile] or b"").decode(errors="replace"))
    request = lock_request(image, variant, start, sources, version=version, package=package)
    done = containers.run(request, on_line)
    if done.stopped or done.exit_status:
        log = "\n".join(done.tail).encode()
        return Locked(None, done.stopped or why_not(done.exit_status), read_build_log([log]))
    result = lock_result(before, done.taken, sources)
    if result.files and not dry_run:
        clone.write(result.files)
    return Locked(result)


def _lock_of(clone: Clone, revisions: Sequence[str]) -> bytes:
    for revision in revisions:
        try:
            found = clone.read_at(revision, [LOCK])[LOCK]
        except Refused:
            raise
        except BotError:
            continue
        if found is not None:
            return found
    raise Refused(
        f"no `{LOCK}` is known of the base branch: {', '.join(revisions)}", hint="`git fetch` the base branch"
    )
