"""Text from outside → Markdown in which it is only text.

A vetter bot obeys a comment that holds `/ok to test …`; GitHub notifies for `@name`, links `#1` and
`GH-1`, and reads HTML. Nothing that came from outside may reach a message in such a form:

    defused   a sentence            cell        one in a table
    code      a value               code_cell   one in a table
    fenced    a piece of a log      plain       a line for what is no Markdown, such as a commit message

`rows` keeps a table or list short enough; each value has a limit of its own.
"""

import re
from itertools import accumulate

# Nothing that a reader sees, and nothing that may stand between the letters of a command.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

# An invisible character after the sign keeps a reader's text and ends the sign's meaning.
_WORD_JOINER = "\u2060"
_SIGNS = re.compile(r"(?<![A-Za-z0-9_])@(?=\w)|#(?=[0-9])|\bGH-(?=[0-9])|<(?=!--)", re.IGNORECASE)

# A reader of commands may drop what is invisible, so their slash becomes another sign that looks alike.
_DIVISION_SLASH = "\u2215"
_COMMAND = re.compile(r"^((?:[^\w/]|_)*)/(?=[\w-]+(?:\s|\Z))|/(?=\W*ok\W+to\W+test)", re.IGNORECASE)

# Code spans stay. What else begins markup is escaped, and so is the backslash that could undo an escape;
# an underscore inside a word begins none.
_MARKUP = re.compile(
    r"(?P<span>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))|[\\<&[*~`]|(?<![^\W_])_|_(?![^\W_])|^[#>+=-]"
)
_NUMBERED = re.compile(r"^([0-9]{1,9})(?=[.)](?:\s|\Z))")

_FENCED_LINE = 400
"""Characters of a line in a code block."""


def one_line(text: str, limit: int = 120) -> str:
    """Return `text` as one line of at most `limit` characters, without what a reader cannot see."""
    return _capped(_visible(text).strip(), limit)


def plain(text: str, limit: int = 120) -> str:
    """Return outside text as one line that notifies nobody, links no issue and gives no command."""
    return _inert(one_line(text, limit))


def defused(text: str, limit: int = 120) -> str:
    """Return outside text as one line of Markdown in which nothing is markup but code spans."""
    line = _MARKUP.sub(lambda it: it[0] if it["span"] else f"\\{it[0]}", plain(text, limit))
    return _NUMBERED.sub(r"\1\\", line)


def code(text: str, limit: int = 120) -> str:
    """Return outside text as a code span that its own backticks cannot leave."""
    line = plain(text, limit)
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if not line or line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def cell(text: str, limit: int = 120) -> str:
    """Return outside text as a table cell: defused, with the table's own sign escaped."""
    return _without_pipes(defused(text, limit))


def code_cell(text: str, limit: int = 120) -> str:
    """Return outside text as a code span in a table cell."""
    return _without_pipes(code(text, limit))


def fenced(text: str, language: str = "", limit: int = 4_000) -> str:
    """Return outside text as a code block whose fence is longer than any run of backticks in it.

    It holds at most `limit` characters, cut between lines.
    """
    lines = (_inert(_capped(_visible(line).rstrip(), _FENCED_LINE)) for line in text.rstrip("\n").split("\n"))
    body = rows("".join(f"{line}\n" for line in lines), limit)
    fence = "`" * max(3, _longest_run(body) + 1)
    return f"{fence}{language}\n{body}{fence}"


def rows(text: str, limit: int, elsewhere: str = "") -> str:
    """Return the lines of a table or list that fit into `limit` characters, and one that counts the rest.

    `elsewhere` says where a reader finds all of them.
    """
    lines = text.splitlines(keepends=True)
    kept = [line for line, end in zip(lines, accumulate(map(len, lines)), strict=True) if end <= limit]
    if len(kept) == len(lines):
        return text
    lead = f"{text[0]} " if text[0] in "-|" else ""
    more = f"… and {len(lines) - len(kept)} more" + (f": {elsewhere}" if elsewhere else "")
    return f"{''.join(kept)}{lead}{more}\n"


def _visible(text: str) -> str:
    kept = (sign if sign.isprintable() else " " if sign.isspace() else "" for sign in text)
    return _IGNORABLE.sub("", "".join(kept))


def _capped(line: str, limit: int) -> str:
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _inert(line: str) -> str:
    line = _COMMAND.sub(rf"\1{_DIVISION_SLASH}", line)
    return _SIGNS.sub(rf"\g<0>{_WORD_JOINER}", line)


def _without_pipes(text: str) -> str:
    return text.replace("|", "\\|")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
