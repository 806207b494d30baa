"""The exact text that a row had before it was taken out of the gate.

Three witnesses: the ledger of its tracking issue, earlier versions of the file, the row itself. Each only
says what to look at: a way back is taken if taking the row out again gives exactly what stands there now.
"""

from collections.abc import Iterable, Mapping, Sequence

from bot.core.pins.errors import PinError
from bot.core.pins.span import line_of
from bot.core.testrecipes import hunk as hunks
from bot.core.testrecipes.comment import came_with_quarantine
from bot.core.testrecipes.flip import prove, rewritten
from bot.core.testrecipes.hunk import Hunk
from bot.core.testrecipes.rows import RecipeOfTest, Row, read_recipe

_BY_HAND = "put the row back by hand, as it was before"


def from_ledger(
    text: str, recipe: RecipeOfTest, row: Row, done: Hunk, scopes: Mapping[str, str]
) -> Hunk | None:
    """Return the hunk that undoes what a ledger says was done; None where the file does not bear it out."""
    within = range(row.line - len(done.after), row.last_line + 1)
    back = hunks.way_back(text, done, within)
    return back if back and _is_way_back(text, recipe, row, back, scopes) else None


def from_history(
    text: str, recipe: RecipeOfTest, row: Row, earlier: Iterable[str], scopes: Mapping[str, str]
) -> Hunk | None:
    """Return the hunk that gives a row the lines of the newest version in which all of it ran.

    `earlier` are the versions of the file, the newest first; None where no version shows the way.
    """
    now = _region(text, row)
    for version in earlier:
        for then in _rows_then(version, row):
            lines = _region(version, then)
            if set(then.words) & set(scopes.values()) or lines.after == now.after:
                continue
            back = Hunk(now.line, now.after, lines.after)
            return back if _is_way_back(text, recipe, row, back, scopes) else None
    return None


def from_row(text: str, recipe: RecipeOfTest, row: Row, scopes: Mapping[str, str]) -> Hunk:
    """Return the hunk that undoes a quarantine of which only the row itself tells.

    Raises PinError with the line where the row may have been another before: a word that runs beside one
    that does not, a word with two counterparts, comment lines that may have been there all along.
    """
    back = {out: [word for word, its in scopes.items() if its == out] for out in scopes.values()}
    for word in row.words:
        if len(back.get(word, ())) != 1:
            problem = f"`{word}` does not tell what the row was"
            raise PinError(problem, line=row.scope_line or row.line, hint=_BY_HAND)
    region = _region(text, row)
    if not region.after:
        raise PinError("the row has no scope", line=row.line, hint=_BY_HAND)
    scope = rewritten(text, row, [back[word][0] for word in row.words], ())
    above = region.after[: -len(scope.before)]
    taken = came_with_quarantine(above)
    if taken is None:
        problem = "the comment above does not tell whether it came with the quarantine"
        raise PinError(problem, line=region.line, hint=_BY_HAND)
    found = Hunk(region.line, region.after, (*above[: len(above) - taken], *scope.after))
    prove(
        recipe, row.tests[0], hunks.apply(text, [found]), {row.line: tuple(back[it][0] for it in row.words)}
    )
    return found


def _region(text: str, row: Row) -> Hunk:
    """Return the lines of a row's scope with the comment lines right above, as a hunk that wrote them."""
    if not row.scopes:
        return Hunk(row.line, (), ())
    lines = text.split("\n")
    start = (row.scope_line or row.line) - 1
    last = line_of(text, row.scopes[-1].span.end)
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return Hunk(start + 1, (), tuple(lines[start:last]))


def _rows_then(version: str, row: Row) -> tuple[Row, ...]:
    try:
        rows = read_recipe(version, row.tests[0]).rows
    except PinError:
        return ()
    same = (it for it in rows if it.meaning[:3] == row.meaning[:3])
    return tuple(it for it in same if len(it.words) == len(row.words))


def _is_way_back(text: str, recipe: RecipeOfTest, row: Row, back: Hunk, scopes: Mapping[str, str]) -> bool:
    """Whether the row runs after `back`, and taking it out again gives the scope lines that are there now.

    Beside the scope, `back` may only take comment lines away.
    """
    try:
        restored = hunks.apply(text, [back])
        then = read_recipe(restored, row.tests[0]).rows[recipe.rows.index(row)]
        prove(recipe, row.tests[0], restored, {row.line: then.words})
        again = rewritten(restored, then, row.words, ())
    except (PinError, IndexError, ValueError):
        return False
    pairs = list(zip(then.words, row.words, strict=True))
    runs = bool(pairs) and all(old in scopes and new in {old, scopes[old]} for old, new in pairs)
    return runs and _only_takes_comments(back, again)


def _only_takes_comments(back: Hunk, again: Hunk) -> bool:
    kept, gone = list(back.after), list(back.before)
    size = len(again.before)
    if tuple(kept[-size:]) != again.before or tuple(gone[-size:]) != again.after:
        return False
    return _is_part(kept[:-size], gone[:-size])


def _is_part(lines: Sequence[str], of: Sequence[str]) -> bool:
    """Whether `lines` are some of the comment lines `of`, in their order."""
    rest = iter(of)
    return all(it.lstrip().startswith("#") for it in of) and all(line in rest for line in lines)
