"""What the files of a build context say about it."""

import re

_PATH = re.compile(r"^\s*path\s*=\s*\"?(?P<path>[^\"\n]+?)\"?\s*$", re.MULTILINE)


def submodules_of(gitmodules: str) -> tuple[str, ...]:
    """Return the paths of the submodules that a `.gitmodules` names, without those that leave the tree."""
    paths = (found["path"] for found in _PATH.finditer(gitmodules))
    return tuple(it for it in paths if not it.startswith("/") and ".." not in it.split("/"))
