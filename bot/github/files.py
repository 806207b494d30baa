"""Files of a commit in one GraphQL query, each proved by its git hash.

A file whose text does not hash to the blob's id (it is binary, cut off, or not UTF-8) is named with
that id, to be read alone. Source: https://docs.github.com/graphql/reference/objects#blob
"""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.core.blob import blob_id

FILES_PER_QUERY = 100

_REPOSITORY = """
  r{r}: repository(owner: $owner{r}, name: $name{r}) {{
    commit: object(expression: $sha) {{ oid }}
{files}
  }}"""
_FILE = "    f{f}: object(expression: $f{f}) {{ ...file }}"
_FRAGMENT = "fragment file on Blob { oid text isBinary isTruncated byteSize }"


@dataclass(frozen=True, slots=True)
class Question:
    """A query with its variables: nothing that is asked for is ever part of the query's text."""

    text: str
    variables: Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Unproven:
    """A file that is there, and whose bytes have to be read as the blob `oid`."""

    oid: str


def question(repositories: Sequence[str], sha: str, paths: Sequence[str]) -> Question:
    """Ask for `paths` at the commit `sha` in each of the repositories that may know it."""
    variables = {"sha": sha}
    for r, repository in enumerate(repositories):
        variables[f"owner{r}"], _, variables[f"name{r}"] = repository.partition("/")
    for f, path in enumerate(paths):
        variables[f"f{f}"] = f"{sha}:{path}"
    return Question(_query(len(repositories), len(paths)), variables)


def _query(repositories: int, files: int) -> str:
    names = ["sha"]
    names += [f"{word}{r}" for r in range(repositories) for word in ("owner", "name")]
    names += [f"f{f}" for f in range(files)]
    declared = ", ".join(f"${name}: String!" for name in names)
    asked = "\n".join(_FILE.format(f=f) for f in range(files))
    blocks = "".join(_REPOSITORY.format(r=r, files=asked) for r in range(repositories))
    return f"query({declared}) {{{blocks}\n}}\n{_FRAGMENT}\n"


def answer(
    data: Mapping[str, Any], sha: str, paths: Sequence[str]
) -> tuple[int, dict[str, bytes | Unproven | None]] | None:
    """Read the answer's `data`: the first repository that knows the commit, and its files.

    Returns None when no repository knows the commit, which is not the same as having no files. Raises
    LookupError where nothing is answered.
    """
    if not data:
        raise LookupError("no repository was answered for")
    for r in range(len(data)):
        found = data.get(f"r{r}")
        if found and found["commit"] and found["commit"]["oid"] == sha:
            return r, {path: _file(found[f"f{f}"]) for f, path in enumerate(paths)}
    return None


def _file(blob: Mapping[str, Any] | None) -> bytes | Unproven | None:
    # A folder is an object without the fields of a file.
    if not blob:
        return None
    text = (blob["text"] or "").encode("utf-8", "surrogatepass")
    return text if blob_id(text) == blob["oid"] else Unproven(blob["oid"])


def blobs_question(repository: str, ids: Sequence[str]) -> Question:
    """Ask for files by their ids alone, whatever commit holds them."""
    owner, _, name = repository.partition("/")
    variables = {"owner": owner, "name": name, **{f"f{f}": oid for f, oid in enumerate(ids)}}
    declared = ", ".join(f"${variable}: String!" for variable in variables)
    asked = "\n".join(_FILE.format(f=f) for f in range(len(ids)))
    place = "repository(owner: $owner, name: $name)"
    return Question(f"query({declared}) {{\n  {place} {{\n{asked}\n  }}\n}}\n{_FRAGMENT}\n", variables)


def blobs_answer(data: Mapping[str, Any], ids: Sequence[str]) -> dict[str, bytes | Unproven]:
    """Read the answer's `data`: the bytes of each id that is known and a file's."""
    found = {oid: _file(data["repository"][f"f{f}"]) for f, oid in enumerate(ids)}
    return {oid: content for oid, content in found.items() if content is not None}


def proved(document: Mapping[str, Any], oid: str) -> bytes | None:
    """Return the bytes of an answer to `GET git/blobs/{oid}`, or None if they are not that blob."""
    data = b64decode(document["content"])
    return data if blob_id(data) == oid else None
