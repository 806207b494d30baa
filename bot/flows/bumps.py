"""The bumps of one repository: which are open, and one look at one of them, noted and counted."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.errors import Refused
from bot.core.recipe import BumpRecipe
from bot.core.reconcile import Goal
from bot.core.rounds import Rest, State, Words
from bot.core.standing import BumpStanding
from bot.core.watch import BUMP_BRANCHES
from bot.flows.bump import Bump, BumpOutcome, Patience
from bot.flows.notebook import Notebook
from bot.flows.request import BumpRequest
from bot.flows.rounds import Rounds
from bot.flows.shown import bump_shown, bump_stopped
from bot.flows.target import Target, resolve_target
from bot.ports import CodeHost, ImageRegistry, Ledger, Texts
from bot.service_ports import Meter

MakeRounds = Callable[[Goal, Words], Rounds | None]
"""Makes what takes a pull request on by its CI; None where the recipe says nothing of that."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A bump that somebody or the schedule wants. `number` and `head` are those of its pull request."""

    track: str
    tag: str
    base: str
    number: int = 0
    head: str = ""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a bump needs of the outside. `now` is the present moment with its zone."""

    host: CodeHost
    ledger: Ledger
    texts: Texts
    registry: ImageRegistry
    rounds: MakeRounds
    patience: Patience
    meter: Meter
    now: Callable[[], datetime]


class Bumps:
    """Runs the bumps of one recipe; how each one stands is noted in `notebook`."""

    def __init__(self, recipe: BumpRecipe, tools: Tools, notebook: Notebook) -> None:
        self._recipe = recipe
        self._tools = tools
        self._notebook = notebook
        self._targets: dict[tuple[str, str], Target] = {}

    def open(self) -> tuple[Wanted, ...]:
        """Return the bumps whose pull requests onto the recipe's base are open, one for each track and tag.

        Names of branches are claims: whoever runs a bump looks at what is behind it.
        """
        host, base = self._tools.host, self._recipe.base
        places = {host.repository.lower(), host.push_repository.lower()}
        pulls = (it for it in host.proposals(base, ()) if (it.head_repository or "").lower() in places)
        found = ((it, self._named(it.head_branch, base)) for it in pulls)
        return tuple(replace(named, number=it.number, head=it.head_sha) for it, named in found if named)

    def of(self, number: int) -> Wanted | None:
        """Return the open bump whose pull request has a number, None where it is none of the bot's."""
        return next((it for it in self.open() if it.number == number), None)

    def _named(self, branch: str, base: str) -> Wanted | None:
        rest = branch.removeprefix(f"{BUMP_BRANCHES}{base}/")
        if rest == branch:
            return None
        for name, track in self._recipe.tracks.items():
            tag = rest.removeprefix(f"{name}-")
            if tag != rest and track.scheme.release(tag) is not None:
                return Wanted(name, tag, base)
        return None

    def run(self, wanted: Wanted, words: Words | None = None, *, anyway: bool = False) -> BumpOutcome:
        """Take a bump as far as it goes now. Raises what `Bump.run` and `resolve_target` raise."""
        tools = self._tools
        target = self._target(wanted)
        request = BumpRequest(self._recipe, wanted.track, wanted.base, target, anyway=anyway)
        bump = Bump(
            request,
            tools.host,
            tools.ledger,
            texts=tools.texts,
            registry=tools.registry,
            now=tools.now,
            patience=tools.patience,
            rounds=tools.rounds(request.goal, words or Words()),
        )
        try:
            outcome = bump.run()
        except Refused as refusal:
            self._notebook.bump(self._stopped(request.goal, refusal, wanted.number))
            self._notebook.board.saw_bump(bump_stopped(request.goal, str(refusal), tools.now()))
            raise
        self._note(request.goal, target, outcome)
        return outcome

    def _target(self, wanted: Wanted) -> Target:
        # What a tag stands for is asked once: a tag that is pushed again is the schedule's to notice.
        key = (wanted.track, wanted.tag)
        if key not in self._targets:
            track = self._recipe.track(wanted.track)
            self._targets[key] = resolve_target(track, wanted.tag, self._tools.registry)
        return self._targets[key]

    def _note(self, goal: Goal, target: Target, outcome: BumpOutcome) -> None:
        meter, report = self._tools.meter, outcome.report
        for what in outcome.written:
            meter.wrote(re.sub(r"\W+", "_", what))
        for kind, judged in report.judged if report and "round" in outcome.written else ():
            meter.judged(kind, len(judged))
        if "ready for review" in outcome.written and target.manifest:
            name = self._recipe.track(goal.track).image
            seen = self._tools.ledger.saw_tag(name, goal.tag, target.manifest.digest)
            meter.ready((self._tools.now() - seen).total_seconds())
        if outcome.pull_request is not None:
            self._notebook.bump(self._stands(goal, outcome))
        shown = bump_shown(goal, outcome, self._tools.now())
        if shown is not None:
            self._notebook.board.saw_bump(shown)

    def _stands(self, goal: Goal, outcome: BumpOutcome) -> BumpStanding:
        report = outcome.report
        rest = Rest(report.state, report.sentences) if report else Rest(State.WAITING)
        return BumpStanding(
            goal.repository,
            goal.base,
            goal.track,
            goal.tag,
            rest.state.value,
            self._tools.now(),
            rest.sentences,
            outcome.pull_request.number if outcome.pull_request else 0,
            outcome.pull_request,
            outcome.sha or "",
            outcome.approval,
            report.run_url if report else None,
            tuple((kind.value, len(judged)) for kind, judged in report.judged) if report else (),
        )

    def _stopped(self, goal: Goal, refusal: Refused, number: int) -> BumpStanding:
        said = (str(refusal), *([refusal.hint] if refusal.hint else []))
        return BumpStanding(
            goal.repository, goal.base, goal.track, goal.tag, "stopped", self._tools.now(), said, number
        )
