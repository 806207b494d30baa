"""Edits of files as values, and the unified diff that shows them."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file before and after; `lines` are the changed ones, counted from 1."""

    path: str
    before: str
    after: str
    lines: tuple[int, ...]


def unified_diff(edits: Iterable[FileEdit]) -> str:
    r"""Return the edits as one diff that `git apply` takes, `\ No newline at end of file` included."""
    return "".join(_file_diff(edit) for edit in edits)


def _file_diff(edit: FileEdit) -> str:
    before, after = _lines(edit.before), _lines(edit.after)
    rows = difflib.unified_diff(before, after, f"a/{edit.path}", f"b/{edit.path}")
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _lines(text: str) -> list[str]:
    # Only LF ends a line here, as in git: a CR or a U+2028 inside a line is part of it.
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
