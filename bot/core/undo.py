"""What a bump's own commits changed → what takes it back, file by file, or which files stand in the way.

Only the bot's changes go back, to what the base held before them. A file that somebody else changed as
well, before or after the merge, is not touched: the whole undoing is refused, with the list.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bot.core.errors import Refused
from bot.core.host import Change, Node
from bot.core.markdown import one_line, plain

SUBJECT = 250
"""Characters of a subject."""

NAMED = 20
"""How many files a refusal names; its `files` are all of them."""


@dataclass(frozen=True, slots=True)
class BumpBranch:
    """What a branch of the bot is for: a track and the tag to which it moves."""

    track: str
    tag: str


class ChangedSince(Refused):
    """Nothing was taken back; `files` are those that others have changed: each path with the reason."""

    def __init__(self, files: tuple[tuple[str, str], ...]) -> None:
        named = "\n".join(f"  {one_line(path)}: {reason}" for path, reason in files[:NAMED])
        named += f"\n  … and {len(files) - NAMED} more" if len(files) > NAMED else ""
        super().__init__(
            f"others have changed what the bump changed; nothing was taken back:\n{named}",
            hint="undo those by hand, or revert the merge commit",
        )
        self.files = files


def bump_of(branch: str, base: str, tracks: Collection[str]) -> BumpBranch | None:
    """Return what `branch` moves, if it is named as the bot's branches onto `base` are, else None."""
    prefix = f"bot/base-image/{base}/"
    rest = branch.removeprefix(prefix)
    if rest == branch:
        return None
    fits = (track for track in tracks if rest.startswith(f"{track}-") and rest != f"{track}-")
    # `dev` and `dev-next` may both be tracks.
    track = max(fits, key=len, default=None)
    return None if track is None else BumpBranch(track, rest.removeprefix(f"{track}-"))


def undo_branch(base: str, bump: BumpBranch) -> str:
    """Return the branch that takes a merged bump back."""
    return f"bot/base-image/{base}/undo-{bump.track}-{bump.tag}"


def undo_subject(title: str) -> str:
    """Return the subject of the commit that takes a bump back, and the title of its pull request."""
    return plain(f'Revert "{title}"', SUBJECT)


def changed_by(diffs: Mapping[str, tuple[Collection[str], ...]]) -> frozenset[str]:
    """Return the paths that commits have changed.

    `diffs` are, for each commit, the paths that differ from each of its parents. A merge has changed what
    differs from both: anything else came with one of them.
    """
    each = (frozenset.intersection(*map(frozenset, parents)) for parents in diffs.values() if parents)
    return frozenset().union(*each)


def plan_undo(
    changes: Mapping[str, Change],
    *,
    ours: Collection[str],
    others: Collection[str],
    now: Mapping[str, Node | None] | None = None,
) -> Mapping[str, Node | None]:
    """Return what to put back at each path; None where there was nothing.

    `changes` are all files of the branch against the base before it, `ours` and `others` the paths that the
    bot's commits and other people's have changed on it, and `now` is what a base holds into which the
    branch was merged. Raises ChangedSince when a file is not as the bot left it.
    """
    back: dict[str, Node | None] = {}
    refused: list[tuple[str, str]] = []
    for path, change in changes.items():
        there = change.after if now is None else now[path]
        if path not in ours or there == change.before:
            continue
        if path in others:
            refused.append((path, "a commit of somebody else on the branch changed it too"))
        elif there != change.after:
            refused.append((path, "the base has changed it since"))
        else:
            back[path] = change.before
    if refused:
        raise ChangedSince(tuple(refused))
    return back
