"""A line of a job's log as bytes → its time and the text that a program wrote.

GitHub puts a time before every line, the launcher's tail a task (`task-1/0`), torchrun a rank
(`[default3]:`, `[rank3]:`), pytest colours: none of it is what the program said.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

LONGEST = 64 * 1024
"""Bytes of a line that are looked at together; a longer one is read in parts."""

STAMP = re.compile(rb"(?:\xef\xbb\xbf)?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z ?")

_TEXT = 400

# Control sequences as ECMA-48 has them: CSI, OSC up to its end, and two-character escapes.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_PREFIX = re.compile(r"(?:[\w.-]+/\d+ )?(?:\[default\d+\]: ?)?(?:\[rank\d+\]: ?)?")


def time_of(line: bytes, start: int = 0) -> datetime | None:
    """Return the time (UTC, whole seconds) before the line at `start`, None where there is none."""
    found = STAMP.match(line, start)
    return _moment(found[1]) if found else None


def _moment(stamp: bytes) -> datetime | None:
    try:
        return datetime.fromisoformat(stamp.decode()).replace(tzinfo=UTC)
    except ValueError:  # the 31st of June, from a program that imitates the runner
        return None


def said(line: bytes) -> str:
    """Return what a line says, without time, colours and the launcher's prefixes.

    A progress bar rewrites its line: what stands between two carriage returns is handed in by itself.
    """
    stamp = STAMP.match(line)
    text = _ESCAPES.sub("", line[stamp.end() if stamp else 0 :].decode("utf-8", errors="replace"))
    prefix = _PREFIX.match(text)
    return text[prefix.end() if prefix else 0 :].rstrip()


def shortened(text: str) -> str:
    """Return the part of a text that is worth keeping as evidence."""
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"


def numbered(pieces: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield each text of a log with the number of its line, from 1; for logs that are read as a whole."""
    number, rest = 1, b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield from ((number, said(part)) for part in line.split(b"\r"))
            number += 1
        rest = rest[-LONGEST:]
    yield from ((number, said(part)) for part in rest.split(b"\r"))
