"""Comment → the lines of its top-level text that begin with `/bot`, as a reader of the comment sees them.

A Markdown parser decides what is text: no code, quote, list, heading, table, HTML comment or element.
GitHub's own rendering is the reference (https://github.github.com/gfm/), so a line right below a quote
belongs to the quote, and a line right above `---` is a heading.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

PREFIX = "/bot"
"""What a command begins with."""

_LONGEST = 1_000_000
"""Characters of a comment that are still read; GitHub keeps 65,536."""

_DEEPEST = 100
"""Levels of nested blocks that are read; what follows deeper ones in their comment is not."""

# Not `\s*`: it would read on over line breaks, once more for each line.
_COMMAND = re.compile(rf"^[^\S\n]*{PREFIX}(?=\s|$)", re.MULTILINE)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)[^<>]*>")
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_SIGNS = {"em_open", "em_close", "strong_open", "strong_close", "s_open", "s_close"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line. `literal` where it stood in a code span, behind a backslash or as an entity."""

    text: str
    literal: bool = False


Line = tuple[Piece, ...]
"""A line as it is shown; signs of emphasis are kept, since a name may hold them."""


def command_lines(body: str) -> Iterator[Line]:
    """Yield the lines of a comment that begin with `/bot`, in their order.

    A comment of more than a million characters has none. Time and memory grow with the length alone.
    """
    if PREFIX not in body or len(body) > _LONGEST:
        return
    # Blocks alone: of the paragraphs, only those that can hold a command are looked into.
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    definitions: dict[str, object] = {}
    blocks = parser.parse(body, definitions)
    shallow = MarkdownIt("commonmark").enable("strikethrough")
    around = _Elements()
    for before, token in pairwise(blocks):
        if before.type == "html_block" and before.level == 0:
            around.read(before.content)
        is_top_level = before.type == "paragraph_open" and before.level == 0 and not around.is_inside
        if is_top_level and _COMMAND.search(token.content):
            inline: list[Token] = []
            shallow.inline.parse(token.content, shallow, definitions, inline)
            yield from _command_lines(inline)


class _Elements:
    """The HTML elements that are open: what is inside of one is not at the top level."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @property
    def is_inside(self) -> bool:
        return self._open.total() > 0

    def read(self, html: str) -> None:
        for closes, name in _TAG.findall(html):
            lowered = name.lower()
            if not closes and lowered not in _VOID:
                self._open[lowered] += 1
            elif closes and self._open[lowered]:
                self._open[lowered] -= 1


def _command_lines(inline: Sequence[Token]) -> Iterator[Line]:
    elements = _Elements()
    line: list[Piece] = []
    begins_at_top = True
    for token in inline:
        if token.type in {"softbreak", "hardbreak"}:
            yield from _if_command(line, begins_at_top=begins_at_top)
            line, begins_at_top = [], True
        elif token.type == "html_inline":
            elements.read(token.content)
            begins_at_top = begins_at_top and bool(line)
        elif piece := _piece(token):
            if not line:
                begins_at_top = begins_at_top and token.level == 0 and not elements.is_inside
            line.append(piece)
    yield from _if_command(line, begins_at_top=begins_at_top)


def _if_command(line: Sequence[Piece], *, begins_at_top: bool) -> Iterator[Line]:
    is_text = bool(line) and not line[0].literal
    if begins_at_top and is_text and _COMMAND.match("".join(piece.text for piece in line)):
        yield tuple(line)


def _piece(token: Token) -> Piece | None:
    if token.type in _SIGNS:
        return Piece(token.markup)
    if token.type in {"text_special", "code_inline"}:
        return Piece(token.content, literal=True)
    return Piece(token.content) if token.type == "text" and token.content else None
