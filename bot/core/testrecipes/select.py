"""Test recipes by path → the rows of one test on one platform, or why there are none to be had."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from bot.core.errors import Refused, UsageError
from bot.core.pins.errors import PinError
from bot.core.plan import Files
from bot.core.testrecipes.rows import RecipeOfTest, Row, read_recipe
from bot.core.testrecipes.target import FunctionalTest, is_platform

_NAMED = re.compile(r"test_case:\s*\[([^\]]*)\]")
_SPLIT = "give it a row of its own first: the bot does not split rows"


@dataclass(frozen=True, slots=True)
class Found:
    """A file that names the test: its text, and what it says of it."""

    path: str
    text: str
    recipe: RecipeOfTest


@dataclass(frozen=True, slots=True)
class Place:
    """Rows of one file."""

    found: Found
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """All rows of a test on one platform, by file, in the order of the files."""

    model: str
    platform: str
    places: tuple[Place, ...]


def find(test: FunctionalTest, files: Files, folder: str) -> tuple[Found, ...]:
    """Return each file that has rows of the test, all of one model.

    `folder` is what messages call the place of the recipes. Raises Refused where no file has any, PinError
    with path and line for one that cannot be read, UsageError where the name is one of several models.
    """
    found = tuple(_found(test, files))
    models = sorted({it.recipe.model for it in found})
    if test.model is not None:
        found = tuple(it for it in found if it.recipe.model == test.model)
    elif len(models) > 1:
        names = ", ".join(f"`{model}/{test.name}`" for model in models)
        raise UsageError(f"several models have a test `{test.name}`", hint=f"name one of {names}")
    if not found:
        raise Refused(f"no test recipe names the test `{test}`", path=folder, hint=_similar(test.name, files))
    return found


def _found(test: FunctionalTest, files: Files) -> Iterator[Found]:
    for path, raw in files.items():
        # A file that does not hold the name says nothing of the test, so it need not be sound either.
        if raw is None or test.name.encode() not in raw:
            continue
        try:
            text = raw.decode()
            recipe = read_recipe(text, test.name)
        except UnicodeDecodeError as error:
            raise PinError("the file is not UTF-8", path=path, hint="save it as UTF-8") from error
        except PinError as error:
            raise located(error, path) from error
        if recipe.rows:
            yield Found(path, text, recipe)


def located(error: PinError, path: str) -> PinError:
    """Return the error with the path that the function which raised it did not know."""
    return PinError(error.message, path=error.path or path, line=error.line, hint=error.hint)


def _similar(name: str, files: Files) -> str:
    texts = (raw.decode(errors="replace") for raw in files.values() if raw)
    known = {word.strip() for text in texts for names in _NAMED.findall(text) for word in names.split(",")}
    close = get_close_matches(name, sorted(known), n=3)
    if not known:
        return "is this the folder of the test recipes?"
    return f"similar are: {', '.join(f'`{it}`' for it in close)}" if close else "name it as the recipe does"


def rows_of(
    test: FunctionalTest, found: Sequence[Found], platform: str | None, environment: str
) -> Selection:
    """Return all rows of the test on a platform and in an environment, each of which is of these alone.

    `platform` may be left out where there is one. Raises UsageError where there are several; PinError with
    path and line for rows that mix tests, platforms or environments, that never run, or that stand twice.
    """
    candidates = [(it, row) for it in found for row in it.recipe.rows if environment in row.environments]
    if not candidates:
        first = found[0]
        message = f"`{test}` has no row in environment `{environment}`"
        raise PinError(message, path=first.path, line=first.recipe.rows[0].line)
    chosen = platform or _only_platform(test, [row for _, row in candidates])
    here = [(it, row) for it, row in candidates if chosen in row.platforms]
    if not here:
        names = _names({name for _, row in candidates for name in row.platforms})
        at, row = candidates[0]
        message = f"`{test}` has no row on `{chosen}`, only on {names}"
        raise PinError(message, path=at.path, line=row.line)
    for at, row in here:
        _refuse_mixed(test, at.path, row)
    _refuse_twins(here)
    places = (Place(it, tuple(row for at, row in here if at is it)) for it in found)
    return Selection(found[0].recipe.model, chosen, tuple(it for it in places if it.rows))


def _only_platform(test: FunctionalTest, rows: Sequence[Row]) -> str:
    platforms = {name for row in rows for name in row.platforms}
    if len(platforms) > 1:
        names = _names(platforms)
        raise UsageError(f"`{test}` runs on {names}", hint="name one of them with `--platform`")
    return next(iter(platforms), "")


def _names(platforms: set[str]) -> str:
    return " and ".join(f"`{name}`" for name in sorted(platforms)) or "none"


def _refuse_mixed(test: FunctionalTest, path: str, row: Row) -> None:
    if row.tests[0] != test.name:
        message = f"CI reads only the first name of this `test_case`, so `{test}` never runs"
        raise PinError(message, path=path, line=row.line)
    for what, names in (
        ("tests", row.tests),
        ("environments", row.environments),
        ("platforms", row.platforms),
    ):
        if len(names) > 1:
            mixed = ", ".join(f"`{name}`" for name in names)
            raise PinError(f"the row mixes {what}: {mixed}", path=path, line=row.line, hint=_SPLIT)
    if not is_platform(row.platforms[0]):
        message = f"`{row.platforms[0]}` is no platform's name, so the row never runs"
        raise PinError(message, path=path, line=row.line, hint="mend the name first")


def _refuse_twins(rows: Sequence[tuple[Found, Row]]) -> None:
    """Refuse a scope that two rows have: CI finds two tests where it wants one, and runs neither."""
    seen: dict[str, str] = {}
    for at, row in rows:
        for word in row.words:
            where = f"{at.path}:{row.line}"
            if word in seen and seen[word] != where:
                message = f"{seen[word]} has the same test, platform and scope `{word}`, so CI runs neither"
                raise PinError(message, path=at.path, line=row.line, hint="remove one of the two rows")
            seen[word] = where
