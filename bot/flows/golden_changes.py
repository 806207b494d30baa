"""The goldens that a pull request changes, on both sides: where it parted from the base, and at its head."""

from collections.abc import Mapping

from bot.core.goldens.place import may_be_golden
from bot.core.goldens.report import Pair
from bot.core.recipe_results import Goldens
from bot.core.reconcile import BranchState
from bot.ports import CodeHost


def golden_changes(
    host: CodeHost, goldens: Goldens, branch: BranchState, fresh: Mapping[str, bytes]
) -> tuple[Pair, ...]:
    """Return each golden that differs, with both sides; `fresh` are those written since `branch` was read.

    Raises what the host raises.
    """
    start, head = branch.merge_base, branch.head
    if start is None:
        return ()
    # The first commit moves the pins; with none after it nothing is asked.
    changed = host.differences(start, head).files if len(branch.commits) > 1 else ()
    there = [path for path in changed if may_be_golden(path, goldens.file) and path not in fresh]
    paths = sorted({*there, *fresh})
    if not paths:
        return ()
    old = host.read(start.sha, paths)
    new = {**(host.read(head.sha, there) if there else {}), **fresh}
    return tuple(Pair(path, old[path], new[path]) for path in paths)
