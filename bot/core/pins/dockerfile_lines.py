"""Logical lines of a Dockerfile: instructions and their words, with offsets into the file.

The rules are BuildKit's (https://github.com/moby/buildkit/tree/master/frontend/dockerfile/parser):
continuation lines, comments between them, the `escape` directive, here-documents.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from bot.core.pins.errors import PinError
from bot.core.pins.span import Span, line_of

_BOM = "\ufeff"
_DIRECTIVE = re.compile(r"#\s*(?P<name>escape|syntax|check)\s*=\s*(?P<value>\S+)\s*", re.IGNORECASE)
_HEREDOC = re.compile(r"[0-9]*<<(?P<tabs>-?)(?P<quote>[\"']?)(?P<name>[^<\"']+)(?P=quote)")
_WITH_HEREDOC = frozenset({"RUN", "COPY", "ADD"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word as written, quotes included, without line continuations inside it."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction in upper case and the words after it."""

    keyword: str
    words: tuple[Word, ...]


def instructions(text: str) -> Iterator[Instruction]:
    """Yield the instructions of a Dockerfile; comments and bodies of here-documents are passed over."""
    escape = _escape_character(text)
    lines = _physical_lines(text)
    for words in _logical_lines(lines, escape):
        keyword, *rest = words
        yield Instruction(keyword.text.upper(), tuple(rest))
        for ending in _heredocs(words):
            _pass_over(lines, ending)


def value_span(text: str, word: Word, start: int = 0) -> Span:
    """Return the place of a word's value from its character `start` on, without the quotes around it.

    Raises PinError with the line for a value that a cut could damage: continued on the next
    line, or with quotes or escapes inside.
    """
    line = line_of(text, word.span.start)
    if word.span.of(text) != word.text:
        raise PinError("the value is continued on the next line", line=line, hint="write it on one line")
    value = word.text[start:]
    quoted = len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]
    bare = value[1:-1] if quoted else value
    if set("\"'\\`") & set(bare):
        raise PinError(f"`{value[:80]}` has quotes or escapes inside", line=line, hint="write it plainly")
    at = word.span.start + start + quoted
    return Span(at, at + len(bare))


def _escape_character(text: str) -> str:
    for line in text.removeprefix(_BOM).split("\n"):
        found = _DIRECTIVE.fullmatch(line.strip())
        if found is None:
            break
        if found["name"].lower() == "escape" and found["value"] == "`":
            return "`"
    return "\\"


def _physical_lines(text: str) -> Iterator[tuple[int, str]]:
    at = len(_BOM) if text.startswith(_BOM) else 0
    for line in text[at:].split("\n"):
        yield at, line.rstrip("\r")
        at += len(line) + 1


def _logical_lines(lines: Iterator[tuple[int, str]], escape: str) -> Iterator[tuple[Word, ...]]:
    continuation = re.compile(rf"(?<!{re.escape(escape)}){re.escape(escape)}[ \t]*\Z")
    for first in lines:
        if _is_code(first[1]):
            words = _words(_pieces(first, lines, continuation), escape)
            if words:
                yield words


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _pieces(
    first: tuple[int, str], lines: Iterator[tuple[int, str]], continuation: re.Pattern[str]
) -> list[tuple[int, str]]:
    pieces: list[tuple[int, str]] = []
    for at, line in chain([first], lines):
        if _is_code(line):
            more = continuation.search(line)
            pieces.append((at, line[: more.start()] if more else line))
            if more is None:
                break
    return pieces


def _words(pieces: list[tuple[int, str]], escape: str) -> tuple[Word, ...]:
    char = re.escape(escape)
    word = re.compile(rf"(?:{char}.?|\"(?:{char}.|[^\"{char}])*\"?|'[^']*'?|[^\s\"'{char}])+", re.DOTALL)
    joined = "".join(line for _, line in pieces)
    offsets = [at + column for at, line in pieces for column in range(len(line))]
    return tuple(
        Word(found[0], Span(offsets[found.start()], offsets[found.end() - 1] + 1))
        for found in word.finditer(joined)
    )


def _heredocs(words: tuple[Word, ...]) -> Iterator[re.Match[str]]:
    names = [word.text.upper() for word in words[:2]]
    if names[0] in _WITH_HEREDOC or (names[0] == "ONBUILD" and names[-1] in _WITH_HEREDOC):
        yield from filter(None, (_HEREDOC.fullmatch(word.text) for word in words))


def _pass_over(lines: Iterable[tuple[int, str]], heredoc: re.Match[str]) -> None:
    for _, line in lines:
        if (line.lstrip("\t") if heredoc["tabs"] else line) == heredoc["name"]:
            return
