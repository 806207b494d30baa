"""Takes rows of a test recipe out of the gate: scope words are replaced, a comment comes above them."""

from collections.abc import Mapping, Sequence

from bot.core.pins.errors import PinError
from bot.core.pins.span import line_of, splice
from bot.core.testrecipes.hunk import Hunk, apply, ending, indentation
from bot.core.testrecipes.rows import RecipeOfTest, Row, read_recipe

_NOT_BY_THE_BOT = (
    "settle by hand what the row is for; the words are in `quarantine.scopes` of the bump recipe"
)


def flip(
    text: str, recipe: RecipeOfTest, rows: Sequence[Row], scopes: Mapping[str, str], comment: Sequence[str]
) -> tuple[Hunk, ...]:
    """Return the hunks that put each scope word's counterpart in its place, and `comment` above each list.

    `recipe` is what `text` says of the test, `rows` are some of its rows, `comment` whole comment lines
    without their indentation. Raises PinError with the line, unless each word is one that runs and that
    `scopes` replaces, and the result reads back with only those words changed.
    """
    for row in rows:
        _refuse(row, scopes)
    targets = {row.line: tuple(scopes[word] for word in row.words) for row in rows}
    hunks = tuple(rewritten(text, row, targets[row.line], comment) for row in rows)
    prove(recipe, rows[0].tests[0], apply(text, hunks), targets)
    return hunks


def is_flipped(text: str, row: Row, scopes: Mapping[str, str], comment: Sequence[str]) -> bool:
    """Whether every scope word of a row is a counterpart, with exactly these comment lines above."""
    if not row.scopes or not set(row.words) <= set(scopes.values()):
        return False
    at = (row.scope_line or row.line) - 1
    return [it.strip() for it in text.split("\n")[max(at - len(comment), 0) : at]] == list(comment)


def _refuse(row: Row, scopes: Mapping[str, str]) -> None:
    line = row.scope_line or row.line
    if not row.scopes:
        raise PinError("the row has no scope, so it never runs", line=line)
    for word in row.words:
        if word not in scopes:
            out = word in scopes.values()
            problem = "is out of the gate already" if out else "is no scope that the bot takes out"
            raise PinError(f"`{word}` {problem}", line=line, hint=_NOT_BY_THE_BOT)
    if len(set(row.words)) < len(row.words):
        raise PinError("a scope stands twice, and CI refuses such a row", line=line, hint=_NOT_BY_THE_BOT)


def rewritten(text: str, row: Row, words: Sequence[str], comment: Sequence[str]) -> Hunk:
    """Return the hunk that gives a row other scope words, one for each, with comment lines above them."""
    lines, at = text.split("\n"), (row.scope_line or row.line) - 1
    edits = [(word.span, new) for word, new in zip(row.scopes, words, strict=True)]
    last = line_of(text, row.scopes[-1].span.end)
    indent, end = indentation(lines[at]), ending(lines, at)
    above = [f"{indent}{it}{end}" for it in comment]
    return Hunk(at + 1, tuple(lines[at:last]), (*above, *splice(text, edits).split("\n")[at:last]))


def prove(before: RecipeOfTest, test: str, text: str, words: Mapping[int, tuple[str, ...]]) -> None:
    """Raise PinError unless `text` says of the test what `before` said, but for some rows' scope words.

    `words` are the new ones, by the line where the row began.
    """
    after = read_recipe(text, test)
    expected = [(*row.meaning[:3], words.get(row.line, row.words)) for row in before.rows]
    if [row.meaning for row in after.rows] != expected or after.model != before.model:
        line = min(words, default=None)
        raise PinError("the row does not read back as planned", line=line)
