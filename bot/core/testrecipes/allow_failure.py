"""Lets a row of a test recipe fail: `allow_failure: [true]` as its last key, which only GitLab's CI reads.

Source: https://github.com/NVIDIA/Megatron-LM/blob/main/tests/test_utils/python_scripts/generate_jet_trigger_job.py
"""

from collections.abc import Collection, Iterable, Sequence

from bot.core.errors import UsageError
from bot.core.pins.errors import PinError
from bot.core.testrecipes.comment import came_with_quarantine
from bot.core.testrecipes.flip import prove
from bot.core.testrecipes.hunk import Hunk, apply, ending
from bot.core.testrecipes.rows import RecipeOfTest, Row, read_recipe

_KEY = "allow_failure: [true]"


def allow_failure(
    text: str,
    recipe: RecipeOfTest,
    rows: Sequence[Row],
    read_elsewhere: Collection[str],
    comment: Sequence[str],
) -> tuple[Hunk, ...]:
    """Return the hunks that let rows fail, each with the one line of `comment` behind it.

    `read_elsewhere` are the scope words of rows that other CI runs as well, where the key does nothing:
    they are refused. Raises PinError with the line for those, for a row that has the key, and for one that
    does not stand on lines of its own; UsageError for a comment of several lines.
    """
    if len(comment) > 1:
        raise UsageError(
            "`--comment` has several lines, and `allow_failure` takes one", hint="write one line"
        )
    for row in rows:
        _refuse(row, read_elsewhere)
    hunks = tuple(_hunk(text, row, comment) for row in rows)
    prove(recipe, rows[0].tests[0], apply(text, hunks), {})
    return hunks


def is_allowed(text: str, row: Row, comment: Sequence[str]) -> bool:
    """Whether a row has the key with exactly this comment behind it."""
    if row.allow_failure is None:
        return False
    return text.split("\n")[row.allow_failure - 1].strip() == _line(comment)


def disallow(text: str, recipe: RecipeOfTest, row: Row, earlier: Iterable[str]) -> Hunk:
    """Return the hunk that takes the key away, with its comment.

    `earlier` are versions of the file, the newest first. Raises PinError with the line where no version shows
    the row without the key, and its comment does not tell that it came with a quarantine.
    """
    number = row.allow_failure or row.line
    lines = text.split("\n")
    line = lines[number - 1]
    comment = line.strip().removeprefix(_KEY).strip()
    known = line.strip().startswith(_KEY) and (
        came_with_quarantine([comment] if comment else []) or _was_without(row, earlier)
    )
    if not known or not row.own_line:
        problem = "`allow_failure` does not tell whether it came with a quarantine"
        raise PinError(problem, line=number, hint="take the line away by hand")
    hunk = Hunk(number, (line,), ())
    if number == len(lines) and lines[number - 2].endswith("\r"):
        # The last line of a CRLF text without a final newline leaves the line above as the last one.
        above = lines[number - 2]
        hunk = Hunk(number - 1, (above, line), (above.removesuffix("\r"),))
    prove(recipe, row.tests[0], apply(text, [hunk]), {})
    return hunk


def _was_without(row: Row, earlier: Iterable[str]) -> bool:
    for version in earlier:
        try:
            rows = read_recipe(version, row.tests[0]).rows
        except PinError:
            continue
        if any(it.meaning == row.meaning and it.allow_failure is None for it in rows):
            return True
    return False


def _line(comment: Sequence[str]) -> str:
    return "".join([_KEY, *(f" {it}" for it in comment)])


def _refuse(row: Row, read_elsewhere: Collection[str]) -> None:
    if row.allow_failure is not None:
        raise PinError("the row has `allow_failure` already", line=row.allow_failure)
    for word in row.words:
        if word in read_elsewhere:
            hint = "quarantine it instead: leave out `--as allow-failure`"
            line = row.scope_line
            raise PinError(
                f"GitHub's CI runs `{word}` and does not read `allow_failure`", line=line, hint=hint
            )
    if not row.own_line:
        raise PinError(
            "the row does not stand on lines of its own", line=row.line, hint="write it as a block"
        )


def _hunk(text: str, row: Row, comment: Sequence[str]) -> Hunk:
    lines = text.split("\n")
    end = ending(lines, row.last_line - 1)
    last = lines[row.last_line - 1]
    new = f"{' ' * row.column}{_line(comment)}{end}"
    if end and not last.endswith("\r"):
        # The row ends a CRLF text without a final newline: now its line needs one, and the new line none.
        return Hunk(row.last_line, (last,), (last + end, new.removesuffix(end)))
    return Hunk(row.last_line + 1, (), (new,))
