"""Words → one pattern of bytes that is in every line with one of them, and that is found fast.

Python's `re` looks at each byte that may begin a match. So of each word only the end is looked for, from a
byte on that is rare in logs, and few such bytes are chosen for all words together. What is found is more than
what is asked for: the words themselves are looked for afterwards, in the lines that are left.
"""

import re
from collections.abc import Iterable, Mapping

_LEAST = 6
"""Bytes that are left of a word at least."""

# How often a byte stands in a thousand bytes of build logs; of those that are not here it is less than five.
_COMMON = (
    (" ", 132),
    ("e", 66),
    ("tnior", 45),
    ("sal", 33),
    ("cd/-", 26),
    ("pu.", 21),
    ("fhmg1:b0v", 14),
    ("y326'_k57", 7),
)
_COST = {byte: times for alike, times in _COMMON for byte in alike}
_RARE = 4


def prefilter(words: Iterable[str]) -> re.Pattern[bytes]:
    """Return a pattern that matches in each text in which one of the words stands; no word may be empty."""
    beginnings = {word: _beginnings(word) for word in words}
    chosen = _chosen(list(beginnings.values()))
    ends = (
        word[min(at for byte, at in begins.items() if byte in chosen) :]
        for word, begins in beginnings.items()
    )
    return re.compile(_tree(set(ends)).encode())


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that matches in the texts in which one of the words stands, and in no other."""
    return re.compile(_tree(words))


def _beginnings(word: str) -> Mapping[str, int]:
    """Return where the end of a word may begin, by the byte that stands there."""
    return {word[at]: at for at in reversed(range(max(1, len(word) - _LEAST + 1)))}


def _chosen(words: list[Mapping[str, int]]) -> set[str]:
    """Return bytes of which each word has one: those first that serve many words and are rare."""
    chosen: set[str] = set()
    left = words
    while left:
        served = {byte: sum(byte in word for word in left) for word in left for byte in word}
        chosen.add(max(sorted(served), key=lambda byte: served[byte] / _COST.get(byte, _RARE)))
        left = [word for word in left if not chosen & word.keys()]
    for byte in sorted(chosen, key=lambda it: -_COST.get(it, _RARE)):
        if all(chosen & word.keys() - {byte} for word in words):
            chosen.remove(byte)
    return chosen


def _tree(words: Iterable[str]) -> str:
    """Return a pattern in which the common beginnings of words are looked at once."""
    rests: dict[str, set[str]] = {}
    for word in words:
        rests.setdefault(word[:1], set()).add(word[1:])
    if "" in rests:
        return ""
    branches = [re.escape(head) + _tree(rest) for head, rest in sorted(rests.items())]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
