"""A request, the bump recipe and the files → the edits that take a test out of the gate, or why not."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.edits import FileEdit, unified_diff
from bot.core.errors import Refused, UsageError
from bot.core.pins.errors import PinError
from bot.core.plan import Files
from bot.core.recipe import BumpRecipe
from bot.core.recipe_results import Quarantine
from bot.core.testrecipes import allow_failure as failures
from bot.core.testrecipes import flip as flips
from bot.core.testrecipes.hunk import Hunk, apply
from bot.core.testrecipes.n_repeat import n_repeat
from bot.core.testrecipes.request import AllowFailure, Broken, QuarantineRequest, Repeats
from bot.core.testrecipes.rows import Row
from bot.core.testrecipes.select import Found, Selection, find, located, rows_of
from bot.core.testrecipes.target import FunctionalTest, UnitTest
from bot.core.testrecipes.unit_tests import is_marked, mark


@dataclass(frozen=True, slots=True)
class Change:
    """What happens in one file. `words` are pairs of a scope word or mark before and after, None for none."""

    path: str
    text: str
    hunks: tuple[Hunk, ...]
    words: tuple[tuple[str | None, str | None], ...]

    @property
    def edit(self) -> FileEdit:
        """The file before and after; the lines count in the text after."""
        moved, lines = 0, []
        for hunk in sorted(self.hunks, key=lambda it: it.line):
            lines += [line + moved for line in hunk.lines]
            moved += len(hunk.after) - len(hunk.before)
        return FileEdit(self.path, self.text, apply(self.text, self.hunks), tuple(lines))


@dataclass(frozen=True, slots=True)
class QuarantinePlan:
    """The changes for one test; none where everything is as asked for already.

    `test` is the name as it was asked for, `model` the folder of its goldens, empty for a unit test;
    `platform` is None where the remedy holds for all of them.
    """

    test: str
    model: str
    platform: str | None
    changes: tuple[Change, ...]
    notices: tuple[str, ...] = ()

    @property
    def edits(self) -> tuple[FileEdit, ...]:
        """The changes, each as the file before and after."""
        return tuple(change.edit for change in self.changes)

    @property
    def diff(self) -> str:
        """The changes as a unified diff."""
        return unified_diff(self.edits)

    @property
    def before(self) -> tuple[str, ...]:
        """The words or marks that go."""
        return tuple(old for change in self.changes for old, _ in change.words if old)

    @property
    def after(self) -> tuple[str, ...]:
        """The words or marks that come."""
        return tuple(new for change in self.changes for _, new in change.words if new)


def section(recipe: BumpRecipe) -> Quarantine:
    """Return the recipe's `quarantine`. Raises UsageError where it has none."""
    if recipe.quarantine is None:
        raise UsageError(
            f"recipe `{recipe.name}` does not say how a test is taken out of the gate",
            hint="add a `quarantine` section to the recipe",
        )
    return recipe.quarantine


def plan_quarantine(recipe: BumpRecipe, files: Files, request: QuarantineRequest) -> QuarantinePlan:
    """Return the edits that a request comes to.

    `files` are those of the folder of test recipes, and the test's `model_config.yaml` where its repeats are
    asked for; for a unit test, its own file. Raises Refused, in most cases with path and line, for what a
    person has to settle, and UsageError for a request that makes no sense.
    """
    _refuse_unexplained(request)
    if isinstance(request.target, UnitTest):
        return _plan_mark(section(recipe), files, request, request.target)
    rules, test = section(recipe), request.target
    if request.track != rules.environment:
        raise Refused(
            f"rows of environment `{request.track}` are left alone: only those of `{rules.environment}` go",
            hint="leave out `--track` for a functional test",
        )
    found = find(test, files, rules.recipes)
    if isinstance(request.remedy, Repeats):
        return _plan_repeats(rules, files, request, found, request.remedy.count)
    chosen = rows_of(test, found, request.platform, rules.environment)
    if isinstance(request.remedy, AllowFailure):
        changes = [_allowed(rules, place.found, place.rows, request) for place in chosen.places]
        notice = "only GitLab's CI reads `allow_failure`; the test goes on running there"
    else:
        changes = _flipped(rules, chosen, request)
        notice = "such rows run nowhere any more, neither on GitHub nor on GitLab"
    made = tuple(change for change in changes if change.hunks)
    return QuarantinePlan(str(test), chosen.model, chosen.platform, made, (notice,))


def place_of(recipe: BumpRecipe, files: Files, request: QuarantineRequest) -> tuple[str, str | None]:
    """Return the model folder and the platform of the test; empty and None for a unit test.

    The platform is None where the remedy holds for all of them. Raises as `plan_quarantine`.
    """
    if isinstance(request.target, UnitTest):
        return "", None
    rules = section(recipe)
    found = find(request.target, files, rules.recipes)
    if isinstance(request.remedy, Repeats):
        return found[0].recipe.model, None
    return found[0].recipe.model, rows_of(request.target, found, request.platform, rules.environment).platform


def _refuse_unexplained(request: QuarantineRequest) -> None:
    if isinstance(request.remedy, Repeats):
        return
    if request.reason is None:
        raise UsageError("the class of the failure is missing", hint="name it with `--class`")
    if request.issue is None:
        raise UsageError(
            "a test leaves the gate only with an issue",
            hint="name it with `--issue N`, or say `--file-issue`",
        )


def _flipped(rules: Quarantine, chosen: Selection, request: QuarantineRequest) -> list[Change]:
    comment = request.comment_lines
    changes = []
    for place in chosen.places:
        text = place.found.text
        rows = [row for row in place.rows if not flips.is_flipped(text, row, rules.scopes, comment)]
        try:
            hunks = flips.flip(text, place.found.recipe, rows, rules.scopes, comment) if rows else ()
        except PinError as error:
            raise located(error, place.found.path) from error
        words = tuple((word, rules.scopes[word]) for row in rows for word in row.words)
        changes.append(Change(place.found.path, text, hunks, words))
    return changes


def _allowed(rules: Quarantine, found: Found, rows: Sequence[Row], request: QuarantineRequest) -> Change:
    comment = request.comment_lines
    todo = [row for row in rows if not failures.is_allowed(found.text, row, comment)]
    try:
        hunks = (
            failures.allow_failure(found.text, found.recipe, todo, rules.on_github, comment) if todo else ()
        )
    except PinError as error:
        raise located(error, found.path) from error
    return Change(found.path, found.text, hunks, tuple((None, "allow_failure") for _ in todo))


def model_config_path(rules: Quarantine, model: str, test: str) -> str:
    """Return where the repeats of a test are set."""
    return rules.model_config_file.format(model=model, test=test)


def _plan_repeats(
    rules: Quarantine, files: Files, request: QuarantineRequest, found: Sequence[Found], count: int
) -> QuarantinePlan:
    model = found[0].recipe.model
    target = request.target
    name = target.name if isinstance(target, FunctionalTest) else ""
    path = model_config_path(rules, model, name)
    text = _text(files, path, "the test has no such file")
    try:
        hunk = n_repeat(text, count, request.comment_lines)
    except PinError as error:
        raise located(error, path) from error
    changes = (Change(path, text, (hunk,), ((None, f"N_REPEAT={count}"),)),) if hunk else ()
    notice = "the number of repeats holds for every platform of the test"
    return QuarantinePlan(str(target), model, None, changes, (notice,))


def _text(files: Files, path: str, missing: str) -> str:
    raw = files.get(path)
    if raw is None:
        raise Refused(missing, path=path)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise PinError("the file is not UTF-8", path=path, hint="save it as UTF-8") from error


def unit_mark(rules: Quarantine, test: UnitTest, track: str) -> str:
    """Return the mark that CI of a track leaves out. Raises UsageError where the recipe names none."""
    units = rules.unit_tests
    if units is None:
        raise UsageError("the recipe does not say how a unit test is marked", hint="add `unit_tests` to it")
    if not test.path.startswith(f"{units.folder}/"):
        raise UsageError(f"`{test.path}` is not below `{units.folder}`", hint="name a file of the unit tests")
    if track not in units.marks:
        raise UsageError(
            f"the recipe has no mark for track `{track}`", hint=f"it has {', '.join(units.marks)}"
        )
    return units.marks[track]


def _plan_mark(rules: Quarantine, files: Files, request: QuarantineRequest, test: UnitTest) -> QuarantinePlan:
    name = unit_mark(rules, test, request.track)
    if not isinstance(request.remedy, Broken):
        raise UsageError("a unit test can only be marked", hint="leave out `--as`")
    if request.platform is not None:
        raise UsageError("a mark holds for every platform", hint="leave out `--platform` for a unit test")
    text = _text(files, test.path, "there is no such file")
    comment = request.comment_lines
    try:
        hunks = () if is_marked(text, test, name, comment) else (mark(text, test, name, comment),)
    except PinError as error:
        raise located(error, test.path) from error
    changes = (Change(test.path, text, hunks, ((None, name),)),) if hunks else ()
    return QuarantinePlan(str(test), "", None, changes, mark_notices(rules, request.track))


def mark_notices(rules: Quarantine, track: str) -> tuple[str, ...]:
    """Return what a mark does not do."""
    if track == rules.environment:
        return ()
    reach = "only GitLab runs unit tests of that environment: GitHub's jobs go on running the test"
    return (f"the mark is for track `{track}`; {reach}",)
