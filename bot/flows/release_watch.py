"""Watches the releases of a track: records what the registry shows, and begins the bump that is due."""

from dataclasses import dataclass

from bot.core.errors import BotError, Refused
from bot.core.plan import read_track
from bot.core.recipe import BumpRecipe
from bot.core.schedule import Candidate, Decision, Policy, decide
from bot.core.standing import ReleaseSeen
from bot.flows.bumps import Bumps, Tools, Wanted
from bot.flows.notebook import Notebook
from bot.flows.releases import list_releases

RELEASES_READ = 12
"""How many of the newest releases are looked at."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What came of a look: the decision, and whether a bump was begun for it."""

    decision: Decision
    begun: bool


class ReleaseWatch:
    """Looks after the scheduled track of one recipe."""

    def __init__(self, recipe: BumpRecipe, tools: Tools, bumps: Bumps, notebook: Notebook) -> None:
        self._recipe = recipe
        self._tools = tools
        self._bumps = bumps
        self._notebook = notebook

    def look(self, *, may_begin: bool) -> Watched | None:
        """Look at the registry and begin what is due; None where the recipe has no schedule.

        Without `may_begin` nothing is begun. Raises what the registry, the host and a bump raise.
        """
        schedule = self._recipe.schedule
        if schedule is None:
            return None
        track = self._recipe.track(schedule.track)
        rows = list_releases(
            self._tools.registry, self._tools.ledger, track.image, track.scheme, RELEASES_READ
        )
        seen = [Candidate(it.tag, it.platforms, it.digest, it.first_seen, it.repushed) for it in rows]
        policy = Policy(track.scheme, track.platforms, schedule)
        decision = decide(seen, self._pinned(schedule.track), policy, self._tools.now())
        if seen:
            newest = ReleaseSeen(
                self._recipe.repository,
                schedule.track,
                seen[0].tag,
                seen[0].first_seen,
                decision.reason,
                decision.alerts,
            )
            self._notebook.release(newest)
        if decision.tag is None or not may_begin:
            return Watched(decision, begun=False)
        self._begin(Wanted(schedule.track, decision.tag, self._recipe.base), decision)
        return Watched(decision, begun=True)

    def _pinned(self, name: str) -> tuple[str, ...]:
        """Return the tags at which the pins of the base branch are."""
        track, host = self._recipe.track(name), self._tools.host
        base = host.base_head(self._recipe.base)
        if base is None:
            raise Refused(f"{self._recipe.repository} has no branch `{self._recipe.base}`")
        state = read_track(name, track, host.read(base.sha, track.paths))
        return tuple(pin.image.tag or "" for pin in state.pins if pin.image)

    def _begin(self, wanted: Wanted, decision: Decision) -> None:
        outcome = self._bumps.run(wanted)
        if "pull request" in outcome.written and decision.due_since is not None:
            waited = self._tools.now() - decision.due_since
            self._tools.meter.released(wanted.track, waited.total_seconds())


def explained(error: BotError) -> str:
    """Return an error with its hint, as logs show it."""
    return f"{error}; {error.hint}" if error.hint else str(error)
