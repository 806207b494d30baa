"""Watches the releases of a track: records what the registry shows, and begins the bump that is due."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.board import Release, track_view
from bot.core.errors import Refused
from bot.core.plan import TrackState, read_track
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
        pins = self._pins(schedule.track)
        pinned = tuple(pin.image.tag or "" for pin in pins.pins if pin.image)
        decision = decide(seen, pinned, policy, self._tools.now())
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
        self._show(pins, track.platforms, seen)
        if decision.tag is None or not may_begin:
            return Watched(decision, begun=False)
        self._begin(Wanted(schedule.track, decision.tag, self._recipe.base), decision)
        return Watched(decision, begun=True)

    def _show(self, pins: TrackState, platforms: Sequence[str], seen: Sequence[Candidate]) -> None:
        newest = None
        if seen:
            it = seen[0]
            newest = Release(it.tag, it.platforms, it.digest, it.first_seen, repushed=bool(it.repushed))
        view = track_view(self._recipe.base, pins, platforms, newest)
        self._notebook.board.saw_track(self._recipe.repository, view)

    def _pins(self, name: str) -> TrackState:
        """Return what the base branch says of a track."""
        track, host = self._recipe.track(name), self._tools.host
        base = host.base_head(self._recipe.base)
        if base is None:
            raise Refused(f"{self._recipe.repository} has no branch `{self._recipe.base}`")
        return read_track(name, track, host.read(base.sha, track.paths))

    def _begin(self, wanted: Wanted, decision: Decision) -> None:
        outcome = self._bumps.run(wanted)
        if "pull request" in outcome.written and decision.due_since is not None:
            waited = self._tools.now() - decision.due_since
            self._tools.meter.released(wanted.track, waited.total_seconds())
