"""Places in a text, and the only way in which a text is edited: a cut at known places."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from bot.core.pins.errors import PinError


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """Half-open offsets into a text, counted in characters."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return what stands at this place in `text`."""
        return text[self.start : self.end]


def splice(text: str, edits: Iterable[tuple[Span, str]]) -> str:
    """Return `text` with each span replaced; every other character stays.

    Raises PinError with the line where two edits claim the same place.
    """
    ordered = sorted(edits)
    for (before, _), (after, _) in pairwise(ordered):
        if after.start < before.end or after.start == before.start:
            raise PinError("two edits claim the same place", line=line_of(text, after.start))
    pieces: list[str] = []
    at = 0
    for span, new in ordered:
        pieces += [text[at : span.start], new]
        at = span.end
    return "".join([*pieces, text[at:]])


def line_of(text: str, offset: int) -> int:
    r"""Return the number of the line at `offset`, from 1; only `\n` ends a line, as for git."""
    return text.count("\n", 0, offset) + 1


def line_start(text: str, offset: int, above: int = 0) -> int:
    """Return where the line at `offset` begins, or one `above` lines further up (at most the first)."""
    start = text.rfind("\n", 0, offset) + 1
    for _ in range(above):
        start = text.rfind("\n", 0, max(start - 1, 0)) + 1
    return start


def line_end(text: str, offset: int) -> int:
    r"""Return where the line at `offset` ends, before its `\n`."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end
