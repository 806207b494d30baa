"""A quarantined test → the edits that give it exactly the text that it had before, or why not."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.core.errors import Refused, UsageError
from bot.core.pins.errors import PinError
from bot.core.plan import Files
from bot.core.recipe import BumpRecipe
from bot.core.recipe_results import Quarantine
from bot.core.testrecipes.allow_failure import disallow
from bot.core.testrecipes.flip import prove
from bot.core.testrecipes.hunk import Hunk, apply
from bot.core.testrecipes.plan import Change, QuarantinePlan, mark_notices, section, unit_mark
from bot.core.testrecipes.request import UnquarantineRequest
from bot.core.testrecipes.rows import Row, read_recipe
from bot.core.testrecipes.select import Found, find, located, rows_of
from bot.core.testrecipes.target import UnitTest
from bot.core.testrecipes.unit_tests import unmark_from_file, unmark_from_history, unmark_from_ledger
from bot.core.testrecipes.way_back import from_history, from_ledger, from_row

Earlier = Callable[[str], Iterable[bytes]]
"""The versions of a file by its path, the newest first."""


@dataclass(frozen=True, slots=True)
class Witnesses:
    """What tells how a test stood before: hunks of a ledger by path, and the history of a file.

    The ledger is asked first, then the history, then the row itself.
    """

    ledger: Mapping[str, Sequence[Hunk]]
    earlier: Earlier


def plan_unquarantine(
    recipe: BumpRecipe, files: Files, request: UnquarantineRequest, witnesses: Witnesses
) -> QuarantinePlan:
    """Return the edits that put a test back; none where it runs.

    `files` are as for `plan_quarantine`. Raises Refused, in most cases with path and line, where the earlier
    text cannot be told, and UsageError for a request that makes no sense.
    """
    rules, target = section(recipe), request.target
    if isinstance(target, UnitTest):
        return _unmarked(rules, files, request, target, witnesses)
    found = find(target, files, rules.recipes)
    chosen = rows_of(target, found, request.platform, rules.environment)
    changes = tuple(_restored(rules, place.found, place.rows, witnesses) for place in chosen.places)
    made = tuple(change for change in changes if change.hunks)
    return QuarantinePlan(str(target), chosen.model, chosen.platform, made)


def _restored(rules: Quarantine, found: Found, rows: Sequence[Row], witnesses: Witnesses) -> Change:
    try:
        hunks = tuple(hunk for row in rows for hunk in _row_back(rules, found, row, witnesses))
        words = _words(found, rows, apply(found.text, hunks)) if hunks else ()
    except PinError as error:
        raise located(error, found.path) from error
    return Change(found.path, found.text, hunks, words)


def _row_back(rules: Quarantine, found: Found, row: Row, witnesses: Witnesses) -> Iterator[Hunk]:
    out = set(rules.scopes.values())
    unknown = [word for word in row.words if word not in rules.scopes and word not in out]
    if unknown:
        message = f"`{unknown[0]}` is no scope that the bot puts back"
        raise PinError(message, line=row.scope_line, hint="settle by hand what the row is for")
    if out & set(row.words):
        yield _scopes_back(rules, found, row, witnesses)
    if row.allow_failure is not None:
        yield disallow(found.text, found.recipe, row, _texts(witnesses.earlier(found.path)))


def _scopes_back(rules: Quarantine, found: Found, row: Row, witnesses: Witnesses) -> Hunk:
    for done in witnesses.ledger.get(found.path, ()):
        if back := from_ledger(found.text, found.recipe, row, done, rules.scopes):
            return back
    earlier = _texts(witnesses.earlier(found.path))
    back = from_history(found.text, found.recipe, row, earlier, rules.scopes)
    return back or from_row(found.text, found.recipe, row, rules.scopes)


def _texts(versions: Iterable[bytes]) -> Iterator[str]:
    for version in versions:
        try:
            yield version.decode()
        except UnicodeDecodeError:
            continue


def _words(found: Found, rows: Sequence[Row], text: str) -> tuple[tuple[str | None, str | None], ...]:
    """Return the scope words that change, and prove that nothing else does."""
    test = rows[0].tests[0]
    now = zip(found.recipe.rows, read_recipe(text, test).rows, strict=False)
    restored = {old.line: new.words for old, new in now if old in rows}
    prove(found.recipe, test, text, restored)
    pairs = ((old, new) for row in rows for old, new in zip(row.words, restored[row.line], strict=True))
    gone = (("allow_failure", None) for row in rows if row.allow_failure is not None)
    return (*((old, new) for old, new in pairs if old != new), *gone)


def _unmarked(
    rules: Quarantine, files: Files, request: UnquarantineRequest, test: UnitTest, witnesses: Witnesses
) -> QuarantinePlan:
    name = unit_mark(rules, test, request.track)
    if request.platform is not None:
        raise UsageError("a mark holds for every platform", hint="leave out `--platform` for a unit test")
    raw = files.get(test.path)
    if raw is None:
        raise Refused("there is no such file", path=test.path)
    try:
        text = raw.decode()
        hunk = _mark_back(text, test, name, witnesses)
    except UnicodeDecodeError as error:
        raise PinError("the file is not UTF-8", path=test.path, hint="save it as UTF-8") from error
    except PinError as error:
        raise located(error, test.path) from error
    changes = (Change(test.path, text, (hunk,), ((name, None),)),)
    return QuarantinePlan(str(test), "", None, changes, mark_notices(rules, request.track))


def _mark_back(text: str, test: UnitTest, name: str, witnesses: Witnesses) -> Hunk:
    for done in witnesses.ledger.get(test.path, ()):
        if back := unmark_from_ledger(text, test, name, done):
            return back
    back = unmark_from_history(text, test, name, _texts(witnesses.earlier(test.path)))
    return back or unmark_from_file(text, test, name)
