"""Which goldens of a repository a run says nothing about, and why."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.core.goldens.place import Place, may_be_golden, place_of
from bot.core.recipe_results import Goldens
from bot.core.testrecipes.scopes import TestRow

_SECOND_RUN = "_2nd"


@dataclass(frozen=True, slots=True)
class FileReason:
    """A golden that stays as it is, and why: a sentence without subject."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """When tests run: the scope words of each, and those under which a test in quarantine never does."""

    scopes: Mapping[TestRow, Sequence[str]]
    resting: Collection[str]


def not_covered(
    known: Iterable[str],
    covered: Collection[str],
    goldens: Goldens,
    platforms: Collection[str],
    schedule: Schedule | None,
) -> tuple[FileReason, ...]:
    """Return the goldens among the `known` files that are not `covered` by a run, by path.

    `platforms` are those on which the CI runs tests at all, as golden files spell them. Without a `schedule`
    the reasons are less precise.
    """
    files = sorted({file for file in known if may_be_golden(file, goldens.file)} - set(covered))
    named = {(it.model, it.test) for it in schedule.scopes} if schedule else set()

    def reason(file: str) -> str:
        place = place_of(file, goldens.file)
        if place is None:
            return "has a name that no test writes"
        out_of_reach = _out_of_reach(place, goldens, platforms)
        if out_of_reach or schedule is None:
            return out_of_reach or "is of a test that did not run"
        if (place.model, place.test) not in named:
            return "is of a test that no test recipe names"
        return _at_rest(place, schedule)

    return tuple(FileReason(file, reason(file)) for file in files)


def _out_of_reach(place: Place, goldens: Goldens, platforms: Collection[str]) -> str | None:
    if place.platform.endswith(_SECOND_RUN):
        return "is of the second run of a test, which nothing reads"
    if place.environment != goldens.environment:
        return f"is of environment `{place.environment}`, which this CI does not run"
    if place.platform not in platforms:
        return f"is of platform `{place.platform}`, which this CI does not run"
    return None


def _at_rest(place: Place, schedule: Schedule) -> str:
    row = TestRow(place.model, place.test, place.environment, place.platform)
    words = schedule.scopes.get(row)
    if words is None:
        return f"is of a test that no test recipe runs on `{place.platform}`"
    running = [word for word in words if word not in schedule.resting]
    if running:
        return f"is of a test that runs in {_listed(running)} and did not run here"
    return f"is of a test in quarantine: {_listed(words)}" if words else "is of a test without scope"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(f"`{word}`" for word in words)
