"""What a round needs to know: the head's run, its verdicts, the goldens it offers, what hung before."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from bot.core.approval import VouchedCommit
from bot.core.bad_image import find_bad_image
from bot.core.ci import Job, Run
from bot.core.errors import Refused
from bot.core.goldens.coverage import FileReason, Schedule, not_covered
from bot.core.goldens.offer import Refreshed, judge_offers
from bot.core.goldens.place import folder_of
from bot.core.goldens.refresh import Policy
from bot.core.recipe import BumpRecipe, Track
from bot.core.reconcile import Goal, Observed
from bot.core.rounds import RoundSeen, Words, leaving_tests, rounds_begun
from bot.core.testrecipes.plan import plan_quarantine
from bot.core.testrecipes.request import QuarantineRequest, Reason, issue_address
from bot.core.testrecipes.scopes import scopes_of_tests
from bot.core.testrecipes.target import FunctionalTest
from bot.core.triage.believed import disbelief
from bot.core.triage.jobs import Subject, current, golden_path
from bot.core.triage.label_proof import LabelSeen
from bot.core.triage.summary import Judged, Triage, is_bad_image
from bot.core.triage.verdict import VerdictKind
from bot.core.triage.verdicts import is_at_limit, was_stopped
from bot.flows.golden_offers import DRIFTS, Offered, of_run
from bot.flows.status import status_comment, was_ready
from bot.flows.triage import Reading, judge_job, label_in, triage_run
from bot.flows.words import recipe_files
from bot.ports import CodeHost

EARLIER_RUNS = 3
"""How many earlier runs of the pull request are looked into for a test that hangs."""

REASONS: Mapping[VerdictKind, Reason] = {
    VerdictKind.HANG: "hang",
    VerdictKind.OVER_BUDGET: "hang",
    VerdictKind.OOM: "oom",
    VerdictKind.CRASH: "crash",
}
"""The class under which a test leaves the gate; every other verdict is a regression."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was seen, and for the texts also what the run offered, and the goldens that it says nothing of."""

    seen: RoundSeen
    offered: Offered | None = None
    not_covered: tuple[FileReason, ...] = ()


class RoundLook:
    """Looks at the CI of one pull request of the bot's."""

    def __init__(
        self, recipe: BumpRecipe, goal: Goal, host: CodeHost, reading: Reading, words: Words
    ) -> None:
        self._recipe = recipe
        self._goal = goal
        self._host = host
        self._reading = reading
        self._words = words

    @property
    def _track(self) -> Track:
        return self._recipe.track(self._goal.track)

    def look(self, seen: Observed) -> Looked:
        """Return what CI shows of the head. Raises what the ports raise."""
        if seen.branch is None or seen.pull_request is None:
            return Looked(RoundSeen())
        branch, number = seen.branch, seen.pull_request.number
        believed = self._believed(number, branch.commits)
        run = next((it for it in believed if it.sha == branch.head.sha), None)
        if run is None or not run.is_completed:
            return Looked(RoundSeen(run))
        triage = triage_run(self._reading, run.id, base=self._goal.base)
        if self._is_bad_image(triage):
            # Nothing is refreshed or taken out, so neither artifacts nor earlier runs are looked into.
            return Looked(RoundSeen(run, triage, label=self._label(triage), bad_image=self._reported()))
        offered = self._named(believed, branch.head.sha, triage) if self._words.run else self._offered(triage)
        refreshed = self._refreshed(seen, offered)
        hung = self._hung_before(triage, [it for it in believed if it.id != run.id], branch.head.sha)
        found = RoundSeen(
            run,
            triage,
            label=self._label(triage),
            refreshed=refreshed,
            changed_before=self._changed(branch.commits, branch.head.sha, refreshed),
            hung_before=hung,
            rounds=rounds_begun(branch.commits, run.attempt),
            expected=triage.base_platforms,
            was_ready=was_ready(status_comment(seen.comments, seen.bot)),
        )
        leaving = leaving_tests(triage, hung, self._words)
        found = replace(found, stays=self._stays(branch.head.sha, leaving))
        return Looked(found, offered, self._not_covered(branch.head.sha, triage, offered))

    def _believed(self, number: int, commits: Sequence[VouchedCommit]) -> list[Run]:
        vouched = {it.commit.sha for it in commits if it.voucher}
        return [
            run
            for run in self._reading.ci.runs(f"pull-request/{number}")
            if disbelief(run, self._reading.results, pull_request=number, vouched=vouched) is None
        ]

    def _is_bad_image(self, triage: Triage) -> bool:
        rules = self._recipe.quarantine
        return rules is not None and is_bad_image(triage.judged, rules.bad_image)

    def _reported(self) -> int | None:
        bot = self._host.actor("comment").id
        found = find_bad_image(self._host.bot_issues(), bot, self._goal.branch)
        return found.number if found else None

    def _label(self, triage: Triage) -> LabelSeen:
        """Return what the log of the job that reads the labels says; another track has other labels."""
        proof = self._track.label_proof
        if proof is None:
            return LabelSeen("silent")
        return label_in(self._reading.ci, proof, [job for _, job in triage.jobs])

    def _offered(self, triage: Triage) -> Offered | None:
        goldens = self._reading.goldens
        # The jobs run with one environment whatever the label: their goldens say nothing of another track.
        if goldens is None or goldens.environment != self._goal.track:
            return None
        drifts = any(it.verdict.kind in DRIFTS for it in triage.judged)
        return of_run(self._reading, triage, "failing") if drifts else None

    def _named(self, believed: Sequence[Run], head: str, triage: Triage) -> Offered:
        """Return what the run that a person named offers. Raises Refused where it proves nothing here."""
        goldens, number = self._reading.goldens, self._words.run
        if goldens is None or goldens.environment != self._goal.track:
            raise Refused(
                f"the jobs of this repository make no goldens of the {self._goal.track} track",
                hint="name the pull request of another track with `--pr N`",
            )
        run = next((it for it in believed if it.id == number), None)
        if run is None:
            raise Refused(
                f"run {number} is none of this pull request's, or none that is believed",
                hint="name a run of its CI that tested a commit of its branch",
            )
        pins = self._track.pin_paths
        if run.sha != head and self._host.read(run.sha, pins) != self._host.read(head, pins):
            raise Refused(
                f"run {number} tested {run.sha}, which has other pins", hint=f"name run {triage.run.id}"
            )
        of = triage if run.id == triage.run.id else triage_run(self._reading, run.id, base=self._recipe.base)
        return of_run(self._reading, of, "all" if self._words.every else "failing")

    def _not_covered(self, head: str, triage: Triage, offered: Offered | None) -> tuple[FileReason, ...]:
        goldens, results = self._reading.goldens, self._reading.results
        if goldens is None or goldens.environment != self._goal.track:
            return ()
        tests = (it for it, _ in triage.jobs if it.role == "functional" and it.platform)
        covered = offered.covered if offered else {golden_path(it, goldens) for it in tests}
        known = self._host.list_files(head, folder_of(goldens.file))
        platforms = frozenset(results.runners.values())
        return not_covered(known, covered, goldens, platforms, self._schedule(head))

    def _schedule(self, head: str) -> Schedule | None:
        rules = self._recipe.quarantine
        if rules is None:
            return None
        files = recipe_files(self._host, head, rules.recipes)
        return Schedule(scopes_of_tests(files), frozenset(rules.scopes.values()))

    def _refreshed(self, seen: Observed, offered: Offered | None) -> Refreshed | None:
        goldens = self._reading.goldens
        if offered is None or goldens is None or seen.branch is None:
            return None
        linter = goldens.linter
        has_linter = bool(linter and self._host.read(seen.base.sha, [linter])[linter] is not None)
        files = [it.file for it in offered.offers]
        old = self._host.read(seen.branch.head.sha, files) if files else {}
        return judge_offers(offered.offers, old, Policy(goldens, has_linter), self._words.refresh)

    def _changed(
        self, commits: Sequence[VouchedCommit], head: str, refreshed: Refreshed | None
    ) -> frozenset[str]:
        """Return those of the goldens to be written that the pull request has changed already."""
        files = list(refreshed.written) if refreshed else []
        # Whoever names a run wants its goldens, whatever was refreshed before.
        if not files or not commits or self._words.run is not None:
            return frozenset()
        before = self._host.read(commits[0].commit.parents[0], files)
        now = self._host.read(head, files)
        return frozenset(file for file in files if before[file] != now[file])

    def _hung_before(self, triage: Triage, earlier: Sequence[Run], head: str) -> frozenset[Subject]:
        """Return the tests that hang now and hung before with the same pins, in a run or an attempt."""
        hanging = {it.subject for it in triage.judged if it.verdict.kind is VerdictKind.HANG}
        found: set[Subject] = set()
        if not hanging:
            return frozenset()
        pins = self._host.read(head, self._track.pin_paths)
        runs = [it for it in earlier if it.is_completed and it.sha != head][:EARLIER_RUNS]
        same = [it for it in runs if self._host.read(it.sha, self._track.pin_paths) == pins]
        for run in (triage.run, *same):
            is_older = run.id != triage.run.id
            jobs = [it for it in self._reading.ci.jobs(run.id) if is_older or it.attempt < run.attempt]
            found |= self._hung_in(jobs, hanging - found)
        return frozenset(found)

    def _hung_in(self, jobs: Sequence[Job], hanging: AbstractSet[Subject]) -> set[Subject]:
        results = self._reading.results
        stopped = (
            (subject, job)
            for subject, job in current(jobs, results)
            if subject in hanging and was_stopped(job) and is_at_limit(job, results)
        )
        verdicts = ((subject, judge_job(self._reading, subject, job)) for subject, job in stopped)
        return {subject for subject, verdict in verdicts if verdict.kind is VerdictKind.HANG}

    def _stays(self, head: str, leaving: Sequence[Judged]) -> Mapping[Subject, str]:
        """Return why tests that should leave the gate cannot, found out before any issue is opened."""
        rules = self._recipe.quarantine
        if not leaving:
            return {}
        if rules is None:
            return dict.fromkeys((it.subject for it in leaving), "the recipe does not say how")
        files = recipe_files(self._host, head, rules.recipes)
        return {it.subject: reason for it in leaving if (reason := self._refusal(files, it))}

    def _refusal(self, files: Mapping[str, bytes | None], judged: Judged) -> str | None:
        try:
            plan_quarantine(self._recipe, files, quarantine_request(judged, self._recipe.repository, 0))
        except Refused as refusal:
            return str(refusal)
        return None


def quarantine_request(judged: Judged, repository: str, issue: int) -> QuarantineRequest:
    """Return the request that takes a test out of the gate under an issue."""
    return QuarantineRequest(
        target=FunctionalTest(judged.subject.test),
        reason=REASONS.get(judged.verdict.kind, "regression"),
        issue=issue_address(repository, issue),
        platform=judged.subject.platform,
        why=judged.verdict.why,
    )
