"""Which goldens of a repository a run says nothing about, and why."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from bot.core.goldens.place import may_be_golden, place_of
from bot.core.recipe_results import Goldens

_SECOND_RUN = "_2nd"


@dataclass(frozen=True, slots=True)
class FileReason:
    """A golden that stays as it is, and why: a sentence without subject."""

    file: str
    reason: str


def not_covered(
    known: Iterable[str], covered: Collection[str], goldens: Goldens, platforms: Collection[str]
) -> tuple[FileReason, ...]:
    """Return the goldens among the `known` files that are not `covered` by a run, by path.

    `platforms` are those on which the CI runs tests at all, as golden files spell them.
    """
    files = sorted({file for file in known if may_be_golden(file, goldens.file)} - set(covered))
    return tuple(FileReason(file, _reason(file, goldens, platforms)) for file in files)


def _reason(file: str, goldens: Goldens, platforms: Collection[str]) -> str:
    place = place_of(file, goldens.file)
    if place is None:
        return "has a name that no test writes"
    if place.platform.endswith(_SECOND_RUN):
        return "is of the second run of a test, which nothing reads"
    if place.environment != goldens.environment:
        return f"is of environment `{place.environment}`, which this CI does not run"
    if place.platform not in platforms:
        return f"is of platform `{place.platform}`, which this CI does not run"
    return "is of a test that did not run: it is nightly or weekly, of another scope, or in quarantine"
