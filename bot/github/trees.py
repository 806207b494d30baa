"""Changed files as git trees: the entries to send, cut into calls, and the id that will come out.

Source: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence

from bot.core.blob import blob_id
from bot.core.errors import Refused
from bot.core.host import Node

BYTES_PER_CALL = 1_000_000

FOLDER = "040000"
_FILE, _EXECUTABLE = "100644", "100755"
_KINDS = {"160000": "commit", FOLDER: "tree"}


Listing = Mapping[str, Node]
"""Path to node, with everything that stands in each folder on the way to the changed files."""

Entry = Mapping[str, str | None]
"""One file as `POST git/trees` takes it: with its text, with the id of an object, or to be removed."""


def folders(paths: Sequence[str]) -> tuple[str, ...]:
    """Return each folder above `paths`, parents first; the root, named by an empty string, is left out."""
    above = {path[:at] for path in paths for at, letter in enumerate(path) if letter == "/"}
    return tuple(sorted(above))


def as_text(data: bytes) -> str | None:
    """Return the text of a file, or None if a JSON string cannot carry its bytes unchanged."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def entries(listing: Listing, files: Mapping[str, bytes]) -> list[Entry]:
    """Return the entry of each file; a file that is executable stays so.

    Raises Refused where something other than a file is at the path, or other than a folder above it.
    """
    return [_entry(path, _mode(listing, path), data) for path, data in files.items()]


def _mode(listing: Listing, path: str) -> str:
    for folder in folders([path]):
        if listing.get(folder, Node(FOLDER, "")).mode != FOLDER:
            raise Refused("this is no folder, and a file is wanted below it", path=folder)
    node = listing.get(path, Node(_FILE, ""))
    if node.mode not in {_FILE, _EXECUTABLE}:
        raise Refused("a symbolic link, folder or submodule stands here, not a file", path=path)
    return node.mode


def _entry(path: str, mode: str, data: bytes) -> Entry:
    text = as_text(data)
    content = {"sha": blob_id(data)} if text is None else {"content": text}
    return {"path": path, "mode": mode, "type": "blob", **content}


def moved(nodes: Mapping[str, Node | None], listing: Listing) -> list[Entry]:
    """Return the entry of each object that is there already; None removes what `listing` has at the path."""
    there = {path: node or listing.get(path) for path, node in nodes.items()}
    shas = {path: node.sha if node else None for path, node in nodes.items()}
    return [
        {"path": path, "mode": node.mode, "type": _KINDS.get(node.mode, "blob"), "sha": shas[path]}
        for path, node in there.items()
        if node
    ]


def batches(entries: Sequence[Entry], limit: int = BYTES_PER_CALL) -> Iterator[list[Entry]]:
    """Cut entries, in their order, into lists of at most `limit` bytes of JSON; a larger one stands alone."""
    batch: list[Entry] = []
    room = limit
    for entry in entries:
        size = len(json.dumps(entry))
        if batch and size > room:
            yield batch
            batch, room = [], limit
        batch.append(entry)
        room -= size
    if batch:
        yield batch


def root_id(
    listing: Listing, files: Mapping[str, bytes], moved: Mapping[str, Node | None] | None = None
) -> str:
    """Return the id of the tree that `listing` is with `files` in it. Raises Refused as `entries` does.

    `moved` are objects that are there already; at a path with None there is nothing any more.
    """
    nodes: dict[str, Node | None] = {**listing, **(moved or {})}
    for path, data in files.items():
        nodes[path] = Node(_mode(listing, path), blob_id(data))
    given = {path for path, node in nodes.items() if node and path in (moved or {})}
    for folder in (it for it in reversed(folders((*files, *(moved or {})))) if it not in given):
        inside = _children(nodes, folder)
        # Git keeps no empty folder.
        nodes[folder] = Node(FOLDER, tree_sha(inside)) if inside else None
    return tree_sha(_children(nodes, ""))


def _children(nodes: Mapping[str, Node | None], folder: str) -> dict[str, Node]:
    return {
        path.rpartition("/")[2]: node
        for path, node in nodes.items()
        if path and node and path.rpartition("/")[0] == folder
    }


def tree_sha(children: Mapping[str, Node]) -> str:
    """Return the id under which git keeps a folder, from the names and nodes of what stands in it."""
    # Git sorts a folder as if its name ended in a slash.
    order = sorted(children, key=lambda name: (name + "/" * (children[name].mode == FOLDER)).encode())
    data = b"".join(
        f"{children[name].mode.lstrip('0')} {name}\0".encode() + bytes.fromhex(children[name].sha)
        for name in order
    )
    return hashlib.sha1(b"tree %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
