"""A bump in a local clone: edits its files in place, all of them or none."""

from collections.abc import Mapping

from bot.core.errors import Refused
from bot.core.plan import Plan, plan_bump
from bot.core.recipe import Track
from bot.flows.target import Target, Verify, settled
from bot.ports import Clone


def bump_checkout(
    name: str, track: Track, target: Target, clone: Clone, *, dry_run: bool, verify: Verify | None = None
) -> Plan:
    """Move a track's pins in a clone and return what was moved; with `dry_run` nothing is written.

    Where something is to move, `verify` is asked for the target; without it, the target is verified.
    A pin file with local changes is refused, unless the changes are this very bump.
    """
    _refuse_local_changes(name, track, target, clone)
    files = clone.read(track.paths)
    target = settled(name, track, files, target, verify)
    plan = plan_bump(name, track, files, target.image, target.environment)
    if plan.edits and not dry_run:
        clone.write(plan.files)
    return plan


def _refuse_local_changes(name: str, track: Track, target: Target, clone: Clone) -> None:
    dirty = clone.dirty(track.pin_paths)
    if not dirty:
        return
    planned = _planned_from_head(name, track, target, clone)
    now = clone.read(dirty)
    changed = [path for path in dirty if path not in planned or now[path] != planned[path]]
    if changed:
        others = f"; so has {' and '.join(changed[1:])}" if changed[1:] else ""
        raise Refused(
            f"the file has local changes{others}",
            path=changed[0],
            hint="commit or stash them first; the bot edits pin files only as they were committed",
        )


def _planned_from_head(name: str, track: Track, target: Target, clone: Clone) -> Mapping[str, bytes]:
    try:
        return plan_bump(name, track, clone.read_head(track.paths), target.image).files
    except Refused:
        return {}
