"""New goldens of a run take their places in a local clone, all of them or none."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.core.ci import Run
from bot.core.errors import Refused, UsageError
from bot.core.goldens.coverage import FileReason, Schedule, not_covered
from bot.core.goldens.offer import Refreshed, judge_offers
from bot.core.goldens.place import folder_of
from bot.core.goldens.refresh import Policy
from bot.core.plan import read_track
from bot.core.recipe import BumpRecipe
from bot.core.recipe_results import Goldens, Quarantine
from bot.core.testrecipes.scopes import scopes_of_tests
from bot.flows.golden_offers import Offered
from bot.ports import Clone


@dataclass(frozen=True, slots=True)
class CheckoutRefresh:
    """What was done with each golden of a clone, and of which commit the new ones are."""

    sha: str
    refreshed: Refreshed
    refused: tuple[FileReason, ...]
    not_covered: tuple[FileReason, ...]


def known_goldens(goldens: Goldens, clone: Clone) -> tuple[str, ...]:
    """Return the files in the folder where goldens lie."""
    return clone.list_files(folder_of(goldens.file))


def refresh_checkout(
    recipe: BumpRecipe,
    goldens: Goldens,
    offered: Offered,
    clone: Clone,
    accepted: Collection[str],
    *,
    dry_run: bool,
) -> CheckoutRefresh:
    """Write what a run offers into the clone; `accepted` are the tests that a person has named.

    Raises Refused when the run tested other pins than the clone has, or when a golden that would be written
    has changes of a person's.
    """
    _same_pins(recipe, offered.run, clone)
    files = [it.file for it in offered.offers]
    linter = goldens.linter
    has_linter = linter is not None and clone.read([linter])[linter] is not None
    refreshed = judge_offers(offered.offers, clone.read(files), Policy(goldens, has_linter), accepted)
    if dirty := clone.dirty(tuple(refreshed.written)):
        raise Refused("has changes that no commit holds", path=dirty[0], hint="commit or drop them first")
    if refreshed.written and not dry_run:
        clone.write(refreshed.written)
    return CheckoutRefresh(
        offered.run.sha,
        refreshed,
        _by_file(refreshed.refused, offered.refused),
        _not_covered(recipe, goldens, offered, clone),
    )


def _by_file(*reasons: Sequence[FileReason]) -> tuple[FileReason, ...]:
    return tuple(sorted((it for some in reasons for it in some), key=lambda it: it.file))


def _not_covered(
    recipe: BumpRecipe, goldens: Goldens, offered: Offered, clone: Clone
) -> tuple[FileReason, ...]:
    schedule = _schedule(recipe.quarantine, clone) if recipe.quarantine else None
    covered = offered.covered | {it.file for it in offered.not_left}
    known = known_goldens(goldens, clone)
    return _by_file(offered.not_left, not_covered(known, covered, goldens, offered.platforms, schedule))


def _schedule(rules: Quarantine, clone: Clone) -> Schedule:
    paths = [path for path in clone.list_files(rules.recipes) if path.endswith((".yaml", ".yml"))]
    return Schedule(scopes_of_tests(clone.read(paths)), frozenset(rules.scopes.values()))


def _same_pins(recipe: BumpRecipe, run: Run, clone: Clone) -> None:
    """Let goldens in only where the image is the one that made them."""
    paths = [path for track in recipe.tracks.values() for path in track.pin_paths]
    try:
        tested = clone.read_at(run.sha, paths)
    except UsageError as error:
        raise Refused(
            f"run {run.id} tested {run.sha}, which the clone does not have", hint="fetch it, or another run"
        ) from error
    here = clone.read(paths)
    for name, track in recipe.tracks.items():
        was, now = (read_track(name, track, files).image for files in (tested, here))
        if was != now:
            raise Refused(
                f"run {run.id} tested the {name} track at {was}, and the clone pins {now}",
                hint="check out what the run has tested",
            )
