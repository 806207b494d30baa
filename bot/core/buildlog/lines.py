"""The pieces of a log, of any size → the lines in which a telltale word stands, each with its number.

A log is read once and never held. Carriage returns end a text as line feeds do (progress bars rewrite
their line), but only line feeds count. Of a text that never ends the first part is looked at.
"""

import re
from collections.abc import Iterator

LONGEST = 64 * 1024
"""Bytes of a text that are looked at."""

_TO_THE_END = re.compile(rb"[^\r\n]*")
_WINDOW = 256 * 1024
_TEXT = 400
_HEAD = 6 * 1024
_TAIL = 2 * 1024

# Control sequences as ECMA-48 has them: CSI, OSC up to its end, and two-character escapes.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
# GitHub writes a time before each line, GitLab a time, the stream and whether the line goes on.
_STAMP = re.compile(r"\ufeff?(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?(?:[0-9a-f]{2}[EO][ +])?)?")


def said(line: bytes) -> str:
    """Return what a line says, without time and colours; the middle of a very long one is left out."""
    kept = line if len(line) <= _HEAD + _TAIL else line[:_HEAD] + b" " + line[-_TAIL:]
    text = _ESCAPES.sub("", kept.decode("utf-8", errors="replace"))
    stamp = _STAMP.match(text)
    return text[stamp.end() if stamp else 0 :].rstrip()


def shortened(text: str) -> str:
    """Return the part of a text that is worth keeping as evidence."""
    text = text.strip()
    return text if len(text) <= _TEXT else f"{text[: _TEXT // 2 - 1]}…{text[-_TEXT // 2 :]}"


class LineReader:
    """Is fed the pieces of a log and yields the telling lines; `count` is how many lines there were."""

    def __init__(self, telltale: re.Pattern[bytes]) -> None:
        self._telltale = telltale
        self._pending = b""
        self._overlong = False
        self._number = 1
        self._ended = True

    @property
    def count(self) -> int:
        """How many lines were read, the last one too when it has no end."""
        return self._number - self._ended

    def feed(self, piece: bytes) -> Iterator[tuple[int, str]]:
        """Yield number and text of each telling line that ends in this piece."""
        for at in range(0, len(piece), _WINDOW):
            yield from self._take(piece[at : at + _WINDOW])

    def close(self) -> Iterator[tuple[int, str]]:
        """Yield the last line, if it has no end and tells something."""
        yield from self._read(self._pending)
        self._pending = b""

    def _take(self, piece: bytes) -> Iterator[tuple[int, str]]:
        self._ended = piece.endswith(b"\n")
        end = max(piece.rfind(b"\n"), piece.rfind(b"\r")) + 1
        if end:
            whole = piece[:end]
            if self._overlong:
                # Of a text whose beginning was cut nothing more is looked at.
                whole = _TO_THE_END.sub(b"", whole, count=1)
            yield from self._read(self._pending + whole)
            self._pending, self._overlong = b"", False
        self._pending += piece[end:]
        if len(self._pending) > LONGEST:
            self._pending, self._overlong = self._pending[:LONGEST], True

    def _read(self, block: bytes) -> Iterator[tuple[int, str]]:
        counted, found = 0, self._telltale.search(block)
        while found:
            start, end = _around(block, found.start(), found.end())
            self._number += block.count(b"\n", counted, start)
            counted = start
            if found.end() <= start + LONGEST:
                yield self._number, said(block[start : min(end, start + LONGEST)])
            found = self._telltale.search(block, end)
        self._number += block.count(b"\n", counted)


def _around(block: bytes, start: int, end: int) -> tuple[int, int]:
    """Return where the text around a place begins and ends."""
    first = max(block.rfind(b"\n", 0, start), block.rfind(b"\r", 0, start)) + 1
    last = block.find(b"\n", end)
    last = len(block) if last < 0 else last
    inner = block.find(b"\r", end, last)
    return first, last if inner < 0 else inner
