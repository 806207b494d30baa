"""Text from outside → Markdown in which it is only text.

A vetter bot obeys a comment that holds `/ok to test …`, and GitHub notifies for `@name` and links `#1`;
nothing that came from outside may reach a comment in such a form.
"""

import re

# An invisible character after the sign keeps a reader's text and ends the sign's meaning.
_WORD_JOINER = "\u2060"
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


def one_line(text: str, limit: int = 120) -> str:
    """Return `text` as one line of at most `limit` characters, its controls and line ends as blanks."""
    line = _CONTROL.sub(" ", text).strip()
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def defused(text: str, limit: int = 120) -> str:
    """Return outside text as one line in which `@`, `#` and a leading `/` do nothing."""
    line = re.sub(r"[@#](?=\w)", lambda sign: sign[0] + _WORD_JOINER, one_line(text, limit))
    return re.sub(r"^/|(?<=\s)/(?=ok\b)", f"/{_WORD_JOINER}", line)


def code(text: str, limit: int = 120) -> str:
    """Return outside text as an inline code span that its own backticks cannot leave."""
    line = defused(text, limit)
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def cell(text: str, limit: int = 120) -> str:
    """Return outside text as a table cell: defused, with the table's own sign escaped."""
    return defused(text, limit).replace("|", "\\|")


def fenced(text: str, language: str = "") -> str:
    """Return outside text as a code block whose fence is longer than any run of backticks in it."""
    fence = "`" * max(3, _longest_run(text) + 1)
    lines = (re.sub(r"^(\s*)/(?=ok\b)", rf"\1/{_WORD_JOINER}", line) for line in text.splitlines())
    return "\n".join((f"{fence}{language}", *lines, fence))


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
