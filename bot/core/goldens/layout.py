"""JSON text → the same JSON, laid out as another file is; each number keeps its spelling.

Layouts are those of Python's `json.dumps`: on one line, or each item on a line of its own, indented.
"""

import re
from collections.abc import Iterator

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_INDENT = re.compile(r"[{\[](?P<end>\r?\n)(?P<indent>[ \t]*)[^\s\]}]")
_OPEN = frozenset("{[")
_CLOSE = frozenset("}]")


def in_layout_of(text: str, model: str) -> str:
    """Return the JSON `text` with the indent, line ends, separators and final newline of the JSON `model`."""
    found = _INDENT.search(model)
    end = found["end"] if found else ""
    indent = found["indent"] if found else ""
    colon = ":" if re.search(r'":[^\s]', model) and '": ' not in model else ": "
    comma = "," if found or ("," in model and ", " not in model) else ", "
    last = re.search(r"[ \t\r\n]*\Z", model)
    body = "".join(_laid_out(_TOKEN.findall(text), indent, end, {",": comma, ":": colon}))
    return body + (last[0] if last else "")


def _laid_out(tokens: list[str], indent: str, end: str, signs: dict[str, str]) -> Iterator[str]:
    depth = 0
    for sign, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if sign in _CLOSE and end:
            depth -= 1
        yield signs.get(sign, sign)
        if sign in _OPEN and end:
            depth += 1
        if not end:
            continue
        opened = sign in _OPEN and following not in _CLOSE
        closes = following in _CLOSE and sign not in _OPEN
        if opened or sign == ",":
            yield end + indent * depth
        elif closes:
            yield end + indent * (depth - 1)
