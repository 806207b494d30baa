"""The rounds of a pull request: look at CI, decide, do one step; and what people are told of it."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.core.errors import UsageError
from bot.core.merge import Rederive, no_edit
from bot.core.recipe import BumpRecipe
from bot.core.recipe_results import Results
from bot.core.reconcile import Goal, Observed
from bot.core.rounds import (
    CommitRound,
    MarkReady,
    ReportBadImage,
    Rest,
    RetryFailed,
    RoundAction,
    RoundStep,
    State,
    Words,
    next_in_round,
)
from bot.core.testrecipes.again import quarantined_anew
from bot.core.testrecipes.plan import QuarantinePlan
from bot.core.testrecipes.tracking import Listed, list_quarantines
from bot.core.triage.summary import Judged, Triage
from bot.core.triage.verdict import VerdictKind
from bot.core.ways_out import ways_out
from bot.flows.round_look import Looked, RoundLook
from bot.flows.round_perform import Outside, RoundPerformer
from bot.flows.triage import Reading
from bot.flows.words import Due

ROUND_WRITTEN: Mapping[type[RoundAction], str] = {
    CommitRound: "round",
    RetryFailed: "another try",
    ReportBadImage: "issue about the image",
    MarkReady: "ready for review",
}
"""What a person calls that which a step of a round writes."""


@dataclass(frozen=True, slots=True)
class RoundReport:
    """Where a pull request stands with its CI, for the texts.

    `judged` are the verdicts by kind, the most frequent first; `not_refreshed` counts by reason the goldens
    that the run says nothing of or that were not taken. `ways_out` are commands that answer the questions,
    `quarantined` the tests that this pull request has taken out of the gate.
    """

    state: State
    sentences: tuple[str, ...] = ()
    run_url: str | None = None
    run_id: int | None = None
    judged: tuple[tuple[VerdictKind, tuple[Judged, ...]], ...] = ()
    passed: int = 0
    not_refreshed: tuple[tuple[str, int], ...] = ()
    ways_out: tuple[str, ...] = ()
    quarantined: tuple[Listed, ...] = ()


class Rounds:
    """Takes one pull request on from its approval to `ready for review`, a step at a time."""

    def __init__(
        self, recipe: BumpRecipe, goal: Goal, outside: Outside, reading: Reading, words: Words | None = None
    ) -> None:
        self._recipe = recipe
        self._words = words or Words()
        self._look = RoundLook(recipe, goal, outside.host, reading, self._words)
        self._performer = RoundPerformer(recipe, goal, outside)
        self._looked: Looked | None = None
        self.first_look: Looked | None = None
        """What was seen of CI before anything was done."""
        self.due = Due()
        """What of people's words about single tests was still to be done when CI was first looked at."""
        self.done: list[RoundAction] = []
        """The steps that were taken, in their order."""

    def next(self, seen: Observed) -> RoundStep:
        """Look at CI and return the next step. Raises what the ports raise."""
        if seen.pull_request is None or seen.branch is None:
            return Rest(State.WAITING)
        if not self.done and (self._words.out or self._words.back):
            self.due = self._performer.words.due(self._words, seen.branch)
        looked = self._look.look(seen)
        due = Due() if self.done else self.due
        self._looked = replace(looked, seen=replace(looked.seen, asked=due.asked, back=due.back))
        self.first_look = self.first_look or self._looked
        return self._decide(self._looked, is_draft=seen.pull_request.draft)

    def perform(self, step: RoundAction, seen: Observed) -> tuple[Rest | None, Observed]:
        """Do a step, and return what is there then; a Rest where nothing is to be looked at again now.

        Raises what the ports raise.
        """
        self.done.append(step)
        after = self._performer.perform(step, seen)
        if isinstance(step, RetryFailed):
            return Rest(State.WAITING, (f"failed jobs run again: {step.run.url}",)), after
        if isinstance(step, ReportBadImage) and self._looked:
            # A list of issues may show a new one late: looked for again, it might be opened twice.
            told = replace(self._looked.seen, bad_image=self._performer.reported)
            rest = self._decide(replace(self._looked, seen=told), is_draft=True)
            return (rest if isinstance(rest, Rest) else None), after
        return None, after

    def _decide(self, looked: Looked, *, is_draft: bool) -> RoundStep:
        return next_in_round(
            self._results, self._recipe.quarantine, looked.seen, self._words, is_draft=is_draft
        )

    @property
    def planned(self) -> Sequence[tuple[QuarantinePlan, int | None]]:
        """What was done with single tests, each with the number of its issue."""
        return self._performer.planned

    @property
    def rederive(self) -> Rederive:
        """What takes the tests of the tracking issues out of the gate in another text of their recipe."""
        if self._recipe.quarantine is None:
            return no_edit
        issues = self._performer.issues
        return quarantined_anew(self._recipe, lambda: [it for one in issues.known() for it in one.entries])

    def report(self, rest: Rest, pull_request: int = 0, commits: Collection[str] = ()) -> RoundReport:
        """Return what people are told once there is nothing more to do now.

        `commits` are those of the pull request. Once for each expired quarantine its issue is told as well.
        """
        looked = self._looked
        if looked is None or looked.seen.triage is None:
            run = looked.seen.run if looked else None
            return RoundReport(rest.state, rest.sentences, *((run.url, run.id) if run else ()))
        triage = looked.seen.triage
        return RoundReport(
            rest.state,
            rest.sentences,
            triage.run.url,
            triage.run.id,
            _by_kind(triage),
            len(triage.passed),
            _not_refreshed(looked),
            ways_out(triage, self._recipe.name, pull_request),
            self._quarantined(commits),
        )

    def _quarantined(self, commits: Collection[str]) -> tuple[Listed, ...]:
        if self._recipe.quarantine is None:
            return ()
        issues = self._performer.issues
        known = issues.known()
        issues.announce_expired(known)
        listed = list_quarantines(known, issues.today)
        return tuple(it for it in listed if any(done.commit in commits for done in it.entry.done))

    @property
    def _results(self) -> Results:
        if self._recipe.results is None:
            raise UsageError(
                f"recipe `{self._recipe.name}` does not say how CI is read", hint="add a `results` section"
            )
        return self._recipe.results


def _by_kind(triage: Triage) -> tuple[tuple[VerdictKind, tuple[Judged, ...]], ...]:
    def of(kind: VerdictKind) -> tuple[Judged, ...]:
        return tuple(it for it in triage.judged if it.verdict.kind is kind)

    return tuple((kind, of(kind)) for kind, _ in triage.counts)


def _not_refreshed(looked: Looked) -> tuple[tuple[str, int], ...]:
    refused = looked.offered.refused if looked.offered else ()
    return tuple(Counter(it.reason for it in (*refused, *looked.not_covered)).most_common())
