r"""An edit of whole lines as a value: what stood there, what stands there now, and the way back.

A line is what stands between two `\n`, as for git: a `\r` is part of its line, and a text without a
final newline keeps its last line as it is. So nothing but the lines of the hunk can change.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.core.pins.errors import PinError


@dataclass(frozen=True, slots=True)
class Hunk:
    """From line `line` (counted from 1), the lines `before` give way to the lines `after`.

    Without `before` the lines `after` come in ahead of that line; without `after` the lines go.
    """

    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of the lines that it writes; of a hunk that only takes lines away, of those."""
        return tuple(range(self.line, self.line + (len(self.after) or len(self.before))))


def apply(text: str, hunks: Iterable[Hunk]) -> str:
    """Return the text with hunks done, whose lines all count in `text`.

    Raises PinError with the line where `before` does not stand.
    """
    lines = text.split("\n")
    for hunk in sorted(hunks, key=lambda it: it.line, reverse=True):
        at = hunk.line - 1
        if tuple(lines[at : at + len(hunk.before)]) != hunk.before:
            raise PinError("the lines are not as they were planned", line=hunk.line)
        lines[at : at + len(hunk.before)] = hunk.after
    return "\n".join(lines)


def way_back(text: str, hunk: Hunk, within: range) -> Hunk | None:
    """Return the hunk that undoes `hunk`, whose lines may have moved; None where they are gone or changed.

    `within` are the numbers of the lines where they may stand; that they stand there twice counts as changed.
    """
    lines = text.split("\n")
    size = len(hunk.after)
    places = [at for at in within if at >= 1 and tuple(lines[at - 1 : at - 1 + size]) == hunk.after]
    return Hunk(places[0], hunk.after, hunk.before) if size and len(places) == 1 else None


def ending(lines: Sequence[str], at: int) -> str:
    r"""Return what a new line beside the line at index `at` has to end with: `\r` in a CRLF text.

    The last line of a text without a final newline says nothing, so the line above it does.
    """
    known = at if at < len(lines) - 1 else at - 1
    return "\r" if known >= 0 and lines[known].endswith("\r") else ""


def indentation(line: str) -> str:
    """Return the blanks with which a line begins; a byte order mark is none of them."""
    bare = line.removeprefix("\ufeff")
    return bare[: len(bare) - len(bare.lstrip(" "))]
