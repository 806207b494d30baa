"""The pin format `whole-file`: the file is one reference and at most one line feed.

Such a file is read with `$(cat FILE)`, which drops final line feeds and keeps everything else: a
carriage return or a blank becomes part of the image's name. So the format is strict.
"""

from collections.abc import Mapping

from bot.core.pins.errors import PinError
from bot.core.pins.pin import Pin
from bot.core.pins.span import Span, line_of

KEYS: frozenset[str] = frozenset()
OPTIONAL_KEYS: frozenset[str] = frozenset()

_HINT = "the file must be one image reference and at most one final line feed"


def locate(text: str, where: Mapping[str, object]) -> tuple[Pin, ...]:  # noqa: ARG001 - no keys to read
    """Return the one pin. Raises PinError with the line of the first thing that has no place in the file."""
    if not text:
        raise PinError("the file is empty", line=1, hint=_HINT)
    if text.startswith("\ufeff"):
        raise PinError("the file begins with a byte order mark", line=1, hint=_HINT)
    if "\r" in text:
        line = line_of(text, text.index("\r"))
        raise PinError("a carriage return would become part of the image's name", line=line, hint=_HINT)
    first, *rest = text.split("\n")
    if not first.strip():
        raise PinError("the first line is blank", line=1, hint=_HINT)
    if any(character.isspace() for character in first):
        raise PinError("a blank or tab would become part of the image's name", line=1, hint=_HINT)
    if rest not in ([], [""]):
        _refuse_more_lines(rest)
    return (Pin(Span(0, len(first))),)


def _refuse_more_lines(rest: list[str]) -> None:
    for number, line in enumerate(rest, start=2):
        if line.strip():
            raise PinError("a second line stands in the file", line=number, hint=_HINT)
    raise PinError("a blank line follows the reference", line=2, hint=_HINT)
