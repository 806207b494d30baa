"""A base branch that moved, and a bump that conflicts with it → what the merge commit holds, or who decides.

The tree is the base's. On it come the bot's own edits, derived anew from the base's texts, and whatever the
branch changed in files that the base left alone. A golden or lock file that both changed is the base's:
the next run judges it. Anything else that both changed is a person's to settle.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.core.blob import blob_id
from bot.core.errors import Refused
from bot.core.host import Node
from bot.core.image import ImageRef
from bot.core.pins.rewrite import rewrite
from bot.core.recipe import Track

FOLDER = "040000"

Rederive = Callable[[str, str], str | None]
"""What the bot makes of a file: its path and text go in; None where the bot has no edit for it."""

Contents = Mapping[str, bytes | None]


@dataclass(frozen=True, slots=True)
class Versions:
    """What stands at a path in three commits: where base and branch parted, on the branch, on the base."""

    parted: Node | None
    head: Node | None
    base: Node | None


@dataclass(frozen=True, slots=True)
class MergePlan:
    """The base's tree with `texts` and `nodes` in it.

    `nodes` come from the branch; at a path with None there is nothing any more. Of the files that both
    changed, `from_base` are the base's now, and `derived` the base's with the bot's edit made anew.
    """

    texts: Mapping[str, bytes]
    nodes: Mapping[str, Node | None]
    from_base: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NeedsPerson:
    """The files that the bot does not merge: each path with the reason."""

    files: tuple[tuple[str, str], ...]


def contested(versions: Mapping[str, Versions], yields: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the paths whose texts `plan_merge` has to know: both sides changed them, in different ways."""
    return tuple(path for path, it in versions.items() if _both_changed(it) and not yields(path))


def _both_changed(it: Versions) -> bool:
    return it.base not in {it.head, it.parted}


def plan_merge(
    versions: Mapping[str, Versions],
    above: Mapping[str, Node | None],
    *,
    edits: Mapping[str, bytes],
    parted: Contents,
    base: Contents,
    rederive: Rederive,
    yields: Callable[[str], bool],
) -> MergePlan | NeedsPerson:
    """Return the merge of a branch with its base.

    `versions` are all files that differ between the branch and where it parted, `above` is what the base
    holds at each folder above them; `edits` are the base's pin files as the bump wants them, `parted` and
    `base` the texts of the `contested` files; `yields` says which files are the base's if both changed them.
    """
    texts: dict[str, bytes] = {}
    nodes: dict[str, Node | None] = {}
    yielded: list[str] = []
    asked = [
        (path, "it is a folder on the branch and none on the base")
        for path, node in above.items()
        if node and node.mode != FOLDER
    ]
    for path, it in versions.items():
        if it.head == it.base:
            continue
        if it.base == it.parted:
            nodes[path] = it.head
        elif yields(path):
            yielded.append(path)
        elif (text := _derived_anew(it, path, parted, base, rederive)) is not None:
            texts[path] = text
        else:
            asked.append((path, "the base and the branch both changed it"))
    if asked:
        return NeedsPerson(tuple(asked))
    moved = {path: text for path, text in edits.items() if path not in nodes}
    return MergePlan({**moved, **texts}, nodes, tuple(yielded), tuple(texts))


def _derived_anew(
    it: Versions, path: str, parted: Contents, base: Contents, rederive: Rederive
) -> bytes | None:
    """Return the bot's edit on the base's text, if the branch has that edit and nothing else."""
    theirs, before = _text(base.get(path)), _text(parted.get(path))
    if theirs is None or before is None or it.head is None:
        return None
    ours = rederive(path, before)
    if ours is None or blob_id(ours.encode()) != it.head.sha:
        return None
    anew = rederive(path, theirs)
    return None if anew is None else anew.encode()


def _text(data: bytes | None) -> str | None:
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        return None


def repinned(track: Track, target: ImageRef) -> Rederive:
    """Return what moves the track's pins in one file; it has None for files without pins or with odd ones."""

    def rederive(path: str, text: str) -> str | None:
        sites = [site for site in track.sites if site.path == path]
        if not sites:
            return None
        try:
            for site in sites:
                text = rewrite(text, site, track.image, track.scheme, target).text
        except Refused:
            return None
        return text

    return rederive


def no_edit(_path: str, _text: str) -> str | None:
    """Return None: the bot has no edit but the pins."""
    return None


def first_of(*ways: Rederive) -> Rederive:
    """Return what asks one way of deriving after the other."""

    def rederive(path: str, text: str) -> str | None:
        found = (way(path, text) for way in ways)
        return next((it for it in found if it is not None), None)

    return rederive


def judged_by_ci(golden: str | None) -> Callable[[str], bool]:
    """Return whether a path is a golden, as the recipe's pattern `golden` has it, or a `uv.lock`."""
    pattern = re.escape(golden or "")
    names = re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", pattern))

    def yields(path: str) -> bool:
        return path.rpartition("/")[2] == "uv.lock" or names.fullmatch(path) is not None

    return yields
