"""After a run of CI: one next step for the pull request, a pure function of what was seen and what was said.

    no run ─▶ waiting ─▶ run ended ─▶ round: refresh and take out, in one push ─▶ waiting …
                            ├─▶ failed jobs once more
                            ├─▶ a person is asked
                            └─▶ ready for review

A round begins only when the run of the head has ended; what it commits starts the next run. Nothing is
remembered between two steps: a round shows in the commits of the branch.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from bot.core.approval import VouchedCommit
from bot.core.ci import Run
from bot.core.errors import UsageError
from bot.core.goldens.offer import Refreshed, is_named
from bot.core.markdown import one_line
from bot.core.recipe_results import Quarantine, Results
from bot.core.testrecipes.request import QuarantineRequest, UnquarantineRequest
from bot.core.triage.jobs import Subject
from bot.core.triage.label_proof import LabelSeen
from bot.core.triage.summary import Judged, Triage, headline, is_bad_image, may_run_again
from bot.core.triage.verdict import VerdictKind

ROUNDS = 3
"""How many rounds the bot begins by itself before it asks a person."""

_ROUND = re.compile(r".*, round (\d{1,3})\Z")


class State(StrEnum):
    """Where a bump stands once the pull request is open and approved."""

    WAITING = "waiting"
    """For CI."""
    ASKING = "asking"
    """A person has to decide."""
    READY = "ready"


@dataclass(frozen=True, slots=True)
class TakeOut:
    """One test to take out of the gate; with `file_issue` its tracking issue is found, or opened."""

    request: QuarantineRequest
    file_issue: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """What people with the right to it have said, in comments or on the command line.

    `refresh` and `quarantine` name tests that failed in the head's run. `out` and `back` are complete wishes
    about any test. `retry` asks for another try whatever has failed, `job` for that of one job, by its number
    or its test. The goldens are those of the run with the number `run`, of passed tests too with `every`.
    """

    refresh: Collection[str] = ()
    quarantine: Collection[str] = ()
    retry: bool = False
    out: tuple[TakeOut, ...] = ()
    back: tuple[UnquarantineRequest, ...] = ()
    run: int | None = None
    every: bool = False
    job: str | None = None

    @property
    def begins_a_round(self) -> bool:
        """Whether a person wants something that takes a round, however many there were."""
        named = bool(self.refresh or self.quarantine or self.out or self.back)
        return named or self.retry or self.run is not None


@dataclass(frozen=True, slots=True)
class RoundSeen:
    """What is known of the head's run and of the rounds before it.

    `run` is the newest believed run of the head, `triage` is None until it has ended. `refreshed` judges the
    goldens that it offers, `changed_before` are goldens that this pull request has changed already,
    `hung_before` are tests that hung in an earlier run with the same pins, and `stays` says why a test that
    should leave the gate cannot. `rounds` counts those that the bot began since a person's last commit,
    `expected` are the platforms that the base branch's CI runs, `was_ready` is whether the bot has asked for
    a review before, `bad_image` is the number of the issue that says the image is at fault, if there is one.
    `asked` and `back` are those of a person's words that are still to be done.
    """

    run: Run | None = None
    triage: Triage | None = None
    label: LabelSeen = field(default_factory=lambda: LabelSeen("silent"))
    refreshed: Refreshed | None = None
    changed_before: Collection[str] = ()
    hung_before: Collection[Subject] = ()
    rounds: int = 0
    stays: Mapping[Subject, str] = field(default_factory=dict)
    expected: Collection[str] = ()
    was_ready: bool = False
    bad_image: int | None = None
    asked: tuple[TakeOut, ...] = ()
    back: tuple[UnquarantineRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitRound:
    """Commit new goldens, take tests out of the gate, put others back, and move the branch once.

    `out` are tests that failed, `asked` those of a person's own words.
    """

    number: int
    run: Run
    goldens: Mapping[str, bytes]
    out: tuple[Judged, ...]
    asked: tuple[TakeOut, ...] = ()
    back: tuple[UnquarantineRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class RetryFailed:
    """Run the failed jobs once more, or the one with the number `job`."""

    run: Run
    job: int | None = None


@dataclass(frozen=True, slots=True)
class ReportBadImage:
    """Open the one issue about an image with which these tests hang; `limit` is how many may."""

    run: Run
    hanging: tuple[Judged, ...]
    limit: int


@dataclass(frozen=True, slots=True)
class MarkReady:
    """Tell the reviewers that it is their turn."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing to do now, and why, in sentences."""

    state: State
    sentences: tuple[str, ...] = ()


NOT_BEGUN = Rest(State.WAITING, ("CI has not begun on the head",))

RoundAction = CommitRound | RetryFailed | ReportBadImage | MarkReady
RoundStep = RoundAction | Rest


def next_in_round(
    results: Results, quarantine: Quarantine | None, seen: RoundSeen, words: Words, *, is_draft: bool
) -> RoundStep:
    """Return the next step for a pull request whose pins, labels and approval are in place."""
    run, triage = seen.run, seen.triage
    if run is None:
        return NOT_BEGUN
    if triage is None:
        return Rest(State.WAITING, (f"CI is {run.status.replace('_', ' ')}: {run.url}",))
    if seen.label.state == "contradicted":
        line = seen.label.evidence[0]
        return Rest(State.ASKING, (f"CI did not see the label: `{line.source}` says `{line.text}`",))
    bad_image = quarantine.bad_image if quarantine else None
    if bad_image is not None and is_bad_image(triage.judged, bad_image):
        return _bad_image(run, triage, seen, bad_image)
    return (
        _round(run, seen, words, triage)
        or _retry(run, results, triage, words)
        or _asking(seen, triage, bad_image)
        or _ready(seen, triage, results, is_draft=is_draft)
    )


def _bad_image(run: Run, triage: Triage, seen: RoundSeen, limit: int) -> RoundStep:
    if seen.bad_image is None:
        hanging = tuple(it for it in triage.judged if it.verdict.kind is VerdictKind.HANG)
        return ReportBadImage(run, hanging, limit)
    return Rest(State.ASKING, (*headline(triage, limit), f"no test is taken out for that: #{seen.bad_image}"))


def _round(run: Run, seen: RoundSeen, words: Words, triage: Triage) -> RoundStep | None:
    refreshed = seen.refreshed
    goldens = {
        file: content
        for file, content in (refreshed.written if refreshed else {}).items()
        if file not in seen.changed_before or (refreshed and file in refreshed.accepted)
    }
    leaving = leaving_tests(triage, seen.hung_before, words)
    out = tuple(it for it in leaving if it.subject not in seen.stays)
    if not goldens and not out and not seen.asked and not seen.back:
        return None
    if seen.rounds >= ROUNDS and not words.begins_a_round:
        return Rest(
            State.ASKING, (f"{seen.rounds} rounds have not made it green; `/bot retry` begins another",)
        )
    number = 1 if words.retry else seen.rounds + 1
    return CommitRound(number, run, goldens, out, seen.asked, seen.back)


def leaving_tests(triage: Triage, hung_before: Collection[Subject], words: Words) -> tuple[Judged, ...]:
    """Return the tests that are to be taken out of the gate: on a person's word, or hung twice."""
    tests = (it for it in triage.judged if it.subject.role == "functional")
    return tuple(
        it
        for it in tests
        if is_named(it.subject.name, words.quarantine)
        or (it.verdict.kind is VerdictKind.HANG and it.subject in hung_before)
    )


def _retry(run: Run, results: Results, triage: Triage, words: Words) -> RoundStep | None:
    if words.job is not None:
        return RetryFailed(run, _job(triage, words.job))
    if words.retry and run.conclusion != "success":
        return RetryFailed(run)
    if run.attempt == 1 and may_run_again(triage.judged, results):
        return RetryFailed(run)
    return None


def _job(triage: Triage, named: str) -> int:
    """Return the number of the failed job that a person means, by that number or by its test."""
    found = [it.job.id for it in triage.judged if named in _names(it)]
    if len(found) == 1:
        return found[0]
    what = "no failed job" if not found else f"{len(found)} failed jobs"
    raise UsageError(
        f"run {triage.run.id} has {what} `{one_line(named)}`",
        hint=f"name one by its number: `bot triage --run-id {triage.run.id} --json` has them",
    )


def _names(judged: Judged) -> frozenset[str]:
    return frozenset({str(judged.job.id), judged.job.name, judged.subject.name, judged.subject.test})


def _asking(seen: RoundSeen, triage: Triage, bad_image: int | None) -> Rest | None:
    questions = [*headline(triage, bad_image), *(_question(it, seen) for it in _undecided(triage))]
    return Rest(State.ASKING, tuple(questions)) if questions else None


def _undecided(triage: Triage) -> Sequence[Judged]:
    return [it for it in triage.judged if it.subject.role != "unit"]


_QUESTIONS: Mapping[VerdictKind, str] = {
    VerdictKind.DRIFT: "drifts; its golden was refreshed before, or none is offered that may be taken",
    VerdictKind.LARGE_DRIFT: "moved beyond the limits; `/bot refresh {test}` accepts the new values",
    VerdictKind.INFERENCE_DRIFT: "answers otherwise; `/bot refresh {test}` accepts the new values",
    VerdictKind.HANG: "hangs; it leaves the gate once it hangs in a second run, or by `/bot quarantine`",
    VerdictKind.OVER_BUDGET: "is over the time limit while its repeats pass: give it fewer repeats",
    VerdictKind.BROKEN_ON_BASE: "fails on the base branch as well",
}
"""What a person is told of a test; for every other verdict its own reason is said."""


def _question(judged: Judged, seen: RoundSeen) -> str:
    verdict, subject = judged.verdict, judged.subject
    name = f"`{subject.name}` on {subject.platform}" if subject.platform else f"`{subject.name}`"
    if stays := seen.stays.get(subject):
        return f"{name}: {verdict.kind}, and it cannot leave the gate: {stays}"
    said = _QUESTIONS.get(verdict.kind, f"{verdict.kind}: {verdict.why}")
    return f"{name} {said.replace('{test}', subject.test)}"


def _ready(seen: RoundSeen, triage: Triage, results: Results, *, is_draft: bool) -> RoundStep:
    gate = [it for it in triage.passed if it.role == "other" and it.test == results.gate]
    if not gate:
        return Rest(State.ASKING, (f"nothing failed, and `{results.gate}` is not green: {triage.run.url}",))
    ran = {it.platform for it in triage.passed if it.role == "functional"}
    missing = sorted(set(seen.expected) - ran)
    if missing:
        return Rest(State.ASKING, (f"green, but no functional test ran on {' and '.join(missing)}",))
    return MarkReady() if is_draft and not seen.was_ready else Rest(State.READY)


def round_title(what: str, tag: str, number: int) -> str:
    """Return the subject of a commit of a round, by which the round is counted later."""
    return f"chore: {what} for {tag}, round {number}"


_OWN_ATTEMPTS = 2
"""Attempts of a run that the bot alone may have begun: the first, and one more."""


def rounds_begun(commits: Sequence[VouchedCommit], attempt: int = 1) -> int:
    """Return how many rounds the bot has begun since a person last had a hand in it.

    A person has where a commit is not the bot's, where the numbers begin again, and where the head's run is
    in an `attempt` that the bot does not begin by itself. Subjects prove nothing; those of commits in the
    ledger are the bot's own.
    """
    numbers: list[int] = []
    for commit in commits:
        found = _ROUND.match(commit.commit.subject)
        if commit.voucher != "ledger":
            numbers.clear()
        elif found:
            number = int(found[1])
            numbers = [*(it for it in numbers if it < number), number]
    return 0 if attempt > _OWN_ATTEMPTS else len(numbers)
