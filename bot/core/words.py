"""Line → words: quotes as people and their phones write them, blanks and dashes of every kind."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.comment_text import Line

_DOUBLE = '"\u201c\u201d\u201e\u201f'
_SINGLE = "'\u2018\u2019\u201a\u201b"
_ZERO_WIDTH = "\u200b\ufeff"
# Phones make one long dash of two short ones.
_DASHES = re.compile("^[-\u2010-\u2015\u2212]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word without its quotes. `literal` where it began with a quote or in a code span: it is no flag."""

    text: str
    literal: bool = False

    @property
    def is_flag(self) -> bool:
        """Whether it names a flag."""
        return not self.literal and self.text.startswith("-") and len(self.text) > 1


class Unclosed(ValueError):
    """A quote is opened and not closed."""


def words(line: Line) -> tuple[Word, ...]:
    """Return the words of a line.

    A quote opens at the beginning of a word or behind the `=` of a flag, and closes at the end of a word:
    an apostrophe inside a word is no quote. Raises Unclosed.
    """
    signs = [(sign, piece.literal) for piece in line for sign in piece.text]
    found: list[Word] = []
    at = 0
    while at < len(signs):
        if _is_blank(signs, at):
            at += 1
            continue
        word, at = _word(signs, at)
        found.append(word)
    return tuple(found)


_Signs = Sequence[tuple[str, bool]]


def _word(signs: _Signs, start: int) -> tuple[Word, int]:
    text: list[str] = []
    at = start
    while at < len(signs) and not _is_blank(signs, at):
        sign, literal = signs[at]
        opens = not literal and sign in _DOUBLE + _SINGLE
        if opens and (at == start or (text[-1] == "=" and text[0] in "-\u2013\u2014")):
            end = _closing(signs, at)
            text += [it for it, _ in signs[at + 1 : end]]
            at = end + 1
        else:
            text.append(sign)
            at += 1
    is_literal = signs[start][1] or signs[start][0] in _DOUBLE + _SINGLE
    joined = "".join(text)
    return Word(joined if is_literal else _with_plain_dashes(joined), is_literal), at


def _closing(signs: _Signs, opened: int) -> int:
    family = _DOUBLE if signs[opened][0] in _DOUBLE else _SINGLE
    for at in range(opened + 1, len(signs)):
        sign, literal = signs[at]
        if not literal and sign in family and (at + 1 == len(signs) or _is_blank(signs, at + 1)):
            return at
    raise Unclosed


def _is_blank(signs: _Signs, at: int) -> bool:
    sign, literal = signs[at]
    return not literal and (sign.isspace() or sign in _ZERO_WIDTH)


def _with_plain_dashes(word: str) -> str:
    dashes = _DASHES.match(word)
    if not dashes or set(dashes[0]) == {"-"}:
        return word
    name = word[dashes.end() :]
    return ("--" if len(name.partition("=")[0]) > 1 else "-") + name
