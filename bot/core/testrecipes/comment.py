"""The comments that say why a test is out of the gate: the bot's own words, or a person's."""

import re
from collections.abc import Sequence

from bot.core.errors import UsageError
from bot.core.markdown import one_line

_OURS = re.compile(r"#\s*Quarantined \((?:hang|oom|crash|regression)\)")
_NAMES_AN_ISSUE = re.compile(r"#[0-9]+\b|/issues/[0-9]+\b")
_LONGEST = 400
"""Characters of a line."""


def default_comment(reason: str, why: str, issue: str) -> str:
    """Return the bot's comment: the class of the failure, why, and the address of the issue."""
    because = f": {one_line(why)}" if why.strip() else ""
    return f"Quarantined ({reason}){because}; see {issue}"


def comment_lines(words: str) -> tuple[str, ...]:
    """Return a comment as lines, each with `#` before it unless it has its own.

    Raises UsageError for a comment that says nothing, and for signs that would end its line or that
    nobody sees: some parsers of YAML end a line at each of them.
    """
    lines = words.replace("\r\n", "\n").strip("\n").split("\n")
    if not words.strip():
        raise UsageError("`--comment` says nothing", hint="leave it out for the bot's own words")
    if any(not line.isprintable() or len(line) > _LONGEST for line in lines):
        raise UsageError(
            f"`--comment` holds a sign that is not printable, or a line of more than {_LONGEST} characters",
            hint="write plain lines, without tabs",
        )
    return tuple(line if line.startswith("# ") else f"# {line}".rstrip() for line in lines)


def came_with_quarantine(lines: Sequence[str]) -> int | None:
    """Return how many of the comment lines above a row or mark came with its quarantine, the last ones.

    None where that cannot be told. The bot's own words are one line; a lone line that names an issue is taken
    for a person's words; any other comment may have been there before.
    """
    if not lines:
        return 0
    if _OURS.match(lines[-1].strip()) or (len(lines) == 1 and _NAMES_AN_ISSUE.search(lines[0])):
        return 1
    return None
