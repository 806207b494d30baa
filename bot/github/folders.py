"""Folders of a tree in one GraphQL query, as git trees that their hashes can prove.

Source: https://docs.github.com/graphql/reference/objects#treeentry
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.core.host import Node
from bot.github.files import Question

FOLDERS_PER_QUERY = 50

_FOLDER = "    d{d}: object(expression: $d{d}) {{ ...folder }}"
_FRAGMENT = "fragment folder on Tree { entries { name mode oid } }"


def question(repository: str, tree: str, folders: Sequence[str]) -> Question:
    """Ask for what stands in each of `folders` (an empty name is the root) of a tree."""
    owner, _, name = repository.partition("/")
    variables = {"owner": owner, "name": name}
    variables |= {f"d{d}": f"{tree}:{folder}" for d, folder in enumerate(folders)}
    declared = ", ".join(f"${variable}: String!" for variable in variables)
    asked = "\n".join(_FOLDER.format(d=d) for d in range(len(folders)))
    place = "repository(owner: $owner, name: $name)"
    return Question(f"query({declared}) {{\n  {place} {{\n{asked}\n  }}\n}}\n{_FRAGMENT}\n", variables)


def answer(data: Mapping[str, Any], folders: Sequence[str]) -> dict[str, dict[str, Node]]:
    """Read the answer's `data`: name to node of each folder that is there; nothing is proved yet."""
    found = data.get("repository") or {}
    listed = {folder: (found.get(f"d{d}") or {}).get("entries") for d, folder in enumerate(folders)}
    return {
        folder: {entry["name"]: Node(f"{entry['mode']:06o}", entry["oid"]) for entry in entries}
        for folder, entries in listed.items()
        if entries is not None
    }
