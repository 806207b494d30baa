"""Golden files of a clone or of two folders, each with what it is compared with."""

import os

from bot.core.goldens.place import may_be_golden
from bot.core.goldens.report import Pair
from bot.core.recipe_results import Goldens
from bot.ports import Clone, Folder

_ANYWHERE = "{folder}/golden_values{rest}.json"
_SUFFIX = ".json"


def changed_in_clone(clone: Clone, revision: str, goldens: Goldens | None) -> tuple[Pair, ...]:
    """Return each golden in which the work tree differs from a commit, which is the old side.

    Where the recipe does not say where goldens lie (None), every `golden_values*.json` is one.
    Raises UsageError when `revision` names no commit.
    """
    template = goldens.file if goldens else _ANYWHERE
    paths = [path for path in clone.changed(revision) if may_be_golden(path, template)]
    old, new = clone.read_at(revision, paths), clone.read(paths)
    return tuple(Pair(_shown(path), old[path], new[path]) for path in paths)


def in_two_folders(old: Folder, new: Folder) -> tuple[Pair, ...]:
    """Return every JSON file that either folder has."""
    paths = sorted({*old.files(_SUFFIX), *new.files(_SUFFIX)})
    before, after = old.read(paths), new.read(paths)
    return tuple(Pair(_shown(path), before[path], after[path]) for path in paths)


def _shown(path: str) -> str:
    """Return a path as text; a file's name may be bytes that are none."""
    return os.fsencode(path).decode(errors="replace")
