"""Output of `git grep -z -n` → matches."""

import re

from bot.ports import Match

_MATCH = re.compile(rb"(?P<path>[^\0]+)\0(?P<line>[0-9]+)[\0:](?P<text>[^\n]*)\n?")
_LONGEST = 20_000


def parse_matches(output: bytes) -> tuple[Match, ...]:
    """Return the matches in the order in which git printed them.

    What is not UTF-8 is replaced, and a very long line is cut.
    """
    return tuple(
        Match(
            path=found["path"].decode(errors="replace"),
            line=int(found["line"]),
            text=_line(found["text"]),
        )
        for found in _MATCH.finditer(output)
    )


def _line(text: bytes) -> str:
    # Cut as bytes first: a minified file is one line of megabytes.
    return text[: 4 * _LONGEST].decode(errors="replace").removesuffix("\r")[:_LONGEST]
