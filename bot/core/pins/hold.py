"""Hold comments: a person wrote beside a pin that it must stay where it is."""

import re
from collections.abc import Iterator

from bot.core.pins.pin import Pin
from bot.core.pins.span import Span, line_end, line_of, line_start

_LINES_ABOVE = 3
_MARKS = "#/*!- \t\r"

# A comment begins at the start of a line or after a blank: the `#` of enroot's `nvcr.io#nvidia/…` and the
# `//` of a URL begin none. What stands in quotes is no comment either.
_COMMENT = re.compile(r"""(?<!\w)"[^"]*"|(?<!\w)'[^']*'|(?:^|(?<=\s))(?:\#|//)(?P<text>.*)""")

_HOLD = re.compile(
    r"""
      (?<!not[ ])(?<!longer[ ])\bpinned\b
        (?![ -]+(?:host|device|cpu|page|memory|mem|buffer|tensor|staging|alloc))   # a kind of memory
        (?![ ]+(?:in|by)[ ]+\S*\.(?:lock|txt|toml|ya?ml|json)\b)                   # what another file holds
    | (?<!not[ ])(?<!longer[ ])(?<!was[ ])(?<!were[ ])\bon[ ]hold\b
    | (?:^|[.,:;!(-][ ]*|\bplease[ ])hold\b                        # an order, not "rows that hold"
    | (?<!not[ ])(?<!on[ ])\bhold(?=$|[:.,;!)]|[ ](?:at|until|till|back|off|this|it|here|[0-9.]+)\b)
    | \b(?:do[ -]+not|don['\u2019]?t|never)[ -]+(?:bump|update|upgrade)\b
    | (?:^|[.,:;!(-][ ]*|\bplease[ ])(?:do[ -]+not|don['\u2019]?t|never)[ -]+(?:change|touch)\b
    | \b(?:cannot|can['\u2019]?t|(?:must|should|may|can)(?:[ ]+not|n['\u2019]t))
        [ ]+be[ ]+(?:bumped|updated|upgraded|changed|touched)\b
    | \bfrozen\b(?=[ ]*(?:$|[:.,;!)]|at|until|till|for|here))
    | \bkeep[ ](?:(?:it|this|them|these)[ ])?at\b(?![ ](?:least|most))
    """,
    re.IGNORECASE | re.VERBOSE,
)


def hold_comment(text: str, pin: Pin) -> tuple[int, str] | None:
    """Return the line and the text of the first comment that asks to leave the pin alone, or None.

    Looked at are the comments in the pin's context, or else one on its line and those that are
    whole lines among the three above.
    """
    comments = _comments_of(text, pin)
    return next(((line, comment) for line, comment in comments if _HOLD.search(comment)), None)


def _comments_of(text: str, pin: Pin) -> Iterator[tuple[int, str]]:
    window = pin.context or _default_window(text, pin)
    pin_line = line_of(text, pin.span.start)
    for number, line in enumerate(window.of(text).split("\n"), start=line_of(text, window.start)):
        if pin.context or number == pin_line or line.lstrip().startswith(("#", "//")):
            yield from ((number, comment) for comment in _comments_in(line))


def _default_window(text: str, pin: Pin) -> Span:
    return Span(line_start(text, pin.span.start, _LINES_ABOVE), line_end(text, pin.span.end))


def _comments_in(line: str) -> Iterator[str]:
    found = (match["text"] for match in _COMMENT.finditer(line))
    return (comment.strip(_MARKS) for comment in found if comment is not None)
