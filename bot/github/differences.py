"""What differs between two commits: the paths as GitHub names them, what stands there as the trees prove it.

Source: https://docs.github.com/rest/commits/commits#compare-two-commits
"""

from collections.abc import Sequence

from github.Comparison import Comparison

from bot.core.host import Change, Differences
from bot.github import trees


def changed_paths(found: Comparison) -> tuple[str, ...]:
    """Return each path that a comparison names, in order; a file that moved has two."""
    # Completed at once: a comparison whose first attribute is a list asks for its first page again.
    files = found.complete().files
    named = (path for it in files for path in (it.filename, it.previous_filename) if path)
    return tuple(dict.fromkeys(named))


def differ(before: trees.Listing, after: trees.Listing, paths: Sequence[str], tree: str) -> Differences:
    """Return what two trees hold at `paths`, and whether that is all by which the newer, `tree`, differs."""
    files = {path: Change(before.get(path), after.get(path)) for path in paths}
    changed = {path: change for path, change in files.items() if change.before != change.after}
    rebuilt = trees.root_id(before, {}, {path: change.after for path, change in changed.items()})
    return Differences(changed, complete=rebuilt == tree)
