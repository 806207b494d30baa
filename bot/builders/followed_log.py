"""A log that grows while it is read, line by line."""

from collections.abc import Callable
from pathlib import Path

_PIECE = 1024 * 1024
_LONGEST = 64 * 1024
"""Bytes of a line; what is longer, such as a progress bar without end, comes in several."""


class FollowedLog:
    """Hands on the lines of a file that may not be there yet."""

    def __init__(self, path: Path, on_line: Callable[[str], None]) -> None:
        self._path = path
        self._on_line = on_line
        self._at = 0
        self._rest = b""

    def read(self) -> bool:
        """Hand on what has come since, and return whether that was anything."""
        before = self._at
        try:
            with self._path.open("rb") as file:
                file.seek(self._at)
                while piece := file.read(_PIECE):
                    self._at += len(piece)
                    self._take(piece)
        except FileNotFoundError:
            return False
        return self._at > before

    def close(self) -> None:
        """Hand on the last line, which may have no end."""
        if self._rest:
            self._say(self._rest)
        self._rest = b""

    def _take(self, piece: bytes) -> None:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._say(line)
        while len(self._rest) > _LONGEST:
            self._say(self._rest[:_LONGEST])
            self._rest = self._rest[_LONGEST:]

    def _say(self, line: bytes) -> None:
        self._on_line(line.removesuffix(b"\r").decode(errors="replace"))
