"""What a round does on the host: two commits in one push, and the issues of what leaves the gate."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from bot.core.approval import VouchedCommit
from bot.core.bad_image import bad_image_marker
from bot.core.ci import Run
from bot.core.host import Commit, Head, Issue
from bot.core.plan import Files
from bot.core.recipe import BumpRecipe
from bot.core.reconcile import BranchState, Goal, Observed
from bot.core.rounds import (
    CommitRound,
    MarkReady,
    ReportBadImage,
    RetryFailed,
    RoundAction,
    TakeOut,
    round_title,
)
from bot.core.testrecipes.ledger_block import Entry
from bot.core.testrecipes.plan import QuarantinePlan, place_of, plan_quarantine, section
from bot.core.testrecipes.request import Evidence
from bot.core.triage.summary import Judged
from bot.flows.round_look import quarantine_request
from bot.flows.tracking_issue import Case, TrackingIssues
from bot.flows.words import WordPlans, merge_base
from bot.ports import CodeHost, Ledger, Reruns, Texts


@dataclass(frozen=True, slots=True)
class Outside:
    """Everything that a round needs of the outside."""

    host: CodeHost
    ci: Reruns
    ledger: Ledger
    texts: Texts
    today: date


@dataclass(frozen=True, slots=True)
class _Taken:
    """A test that leaves the gate: by which edits, under which issue, and what the ledger of that says."""

    plan: QuarantinePlan
    number: int | None
    tracked: tuple[Issue, Entry] | None = None


class RoundPerformer:
    """Does one step of a round at a time."""

    def __init__(self, recipe: BumpRecipe, goal: Goal, outside: Outside) -> None:
        self._recipe = recipe
        self._goal = goal
        self._host = outside.host
        self._ci = outside.ci
        self._ledger = outside.ledger
        self._texts = outside.texts
        self.reported: int | None = None
        """The issue about the image, where this very performer has opened it."""
        self._outside = outside
        self.planned: list[tuple[QuarantinePlan, int | None]] = []
        """What was done with single tests, each with the number of its issue."""

    @cached_property
    def issues(self) -> TrackingIssues:
        """The tracking issues of the repository."""
        outside = self._outside
        return TrackingIssues(self._recipe, outside.host, outside.texts, outside.today)

    @cached_property
    def words(self) -> WordPlans:
        """The plans of what people have said."""
        return WordPlans(self._recipe, self._host, self.issues)

    def perform(self, step: RoundAction, seen: Observed) -> Observed:
        """Do `step` and return what is there then. Raises what the ports raise."""
        pull, branch = seen.pull_request, seen.branch
        if pull is None or branch is None:
            raise AssertionError("a round has a pull request")
        match step:
            case RetryFailed(run, job):
                if job is None:
                    self._ci.retry_failed(run.id)
                else:
                    self._ci.retry_job(job)
                return seen
            case MarkReady():
                self._host.mark_ready(pull.number)
                return replace(seen, pull_request=replace(pull, draft=False))
            case ReportBadImage():
                self.reported = self._report(step, pull.url)
                return seen
            case CommitRound():
                return replace(seen, branch=self._commit(step, branch), gate=None)

    def _report(self, step: ReportBadImage, pull_request: str) -> int:
        scheme = self._recipe.track(self._goal.track)
        image = f"{scheme.image}:{self._goal.tag}"
        body = self._texts.render(
            "bad_image_issue.md.j2",
            marker=bad_image_marker(self._goal.branch),
            image=image,
            pull_request=pull_request,
            run_url=step.run.url,
            sha=step.run.sha,
            limit=step.limit,
            tests=[(it.subject.name, it.subject.platform) for it in step.hanging],
        )
        labels = self._host.labels_of(section(self._recipe).labels)
        return self._host.open_issue(f"Bad image: {image}", body, labels).number

    def _commit(self, step: CommitRound, branch: BranchState) -> BranchState:
        """Write the commits of a round, and move the branch once they are all recorded."""
        made: list[VouchedCommit] = []
        head = branch.head
        if step.goldens:
            title = round_title("Refresh golden values", self._goal.tag, step.number)
            head, commit = self._write(head, step.goldens, title, step.run)
            made.append(commit)
        files = self._words_files(step, branch.head.sha)
        if step.out or step.asked:
            taken, changed = self._take_out(step, files)
            files |= changed
            title = round_title("Take failing tests out of the gate", self._goal.tag, step.number)
            head, commit = self._write(head, changed, title, step.run, taken=taken)
            made.append(commit)
            for one in taken:
                self.planned.append((one.plan, one.number))
                if one.tracked is not None:
                    self.issues.record(one.tracked[0], one.plan, one.tracked[1], head.sha)
        if step.back:
            changed, back = self._put_back(step, files, merge_base(branch))
            title = round_title("Put tests back into the gate", self._goal.tag, step.number)
            head, commit = self._write(head, changed, title, step.run, back=back)
            made.append(commit)
        self._host.advance_branch(self._goal.branch, head.sha)
        return replace(branch, head=head, commits=(*branch.commits, *made))

    def _write(
        self,
        parent: Head,
        files: Mapping[str, bytes],
        title: str,
        run: Run,
        *,
        taken: Sequence[_Taken] = (),
        back: Sequence[QuarantinePlan] = (),
    ) -> tuple[Head, VouchedCommit]:
        """Write a commit that no branch points to yet; `taken` tests leave the gate, others come `back`."""
        author = self._host.actor("commit")
        kind = "quarantine" if taken else "back" if back else "goldens"
        message = self._texts.render(
            f"round_{kind}.txt.j2",
            title=title,
            files=sorted(files),
            run=run.url,
            sha=run.sha,
            taken=[(it.plan.test, it.plan.platform, it.number) for it in taken],
            back=[(it.test, it.platform) for it in back],
            name=author.login,
            email=f"{author.id}+{author.login}@users.noreply.github.com",
        )
        tree = self._host.write_tree(parent.tree, files)
        sha = self._host.write_commit(tree, parent.sha, message)
        # Before the branch points to it: what a branch shows later is the bot's only if it is recorded.
        self._ledger.created_commit(self._host.push_repository, sha, self._goal.branch)
        commit = Commit(sha, tree, (parent.sha,), author="", subject=title)
        return Head(sha, tree), VouchedCommit(commit, "ledger")

    def _words_files(self, step: CommitRound, sha: str) -> dict[str, bytes | None]:
        if not step.out and not step.asked and not step.back:
            return {}
        return dict(self.words.files(sha, step.asked, step.back))

    def _take_out(self, step: CommitRound, files: Files) -> tuple[list[_Taken], dict[str, bytes]]:
        """Find or open the issue of each test, and plan its edits on top of those of the test before."""
        wishes = [(self._wish(it), _evidence(it)) for it in step.out]
        taken: list[_Taken] = []
        changed: dict[str, bytes] = {}
        for word, evidence in [*wishes, *((it, ()) for it in step.asked)]:
            one = self._taken(word, Case(step.run.url, evidence), {**files, **changed})
            changed |= _after(one.plan)
            taken.append(one)
        return taken, changed

    def _wish(self, judged: Judged) -> TakeOut:
        return TakeOut(quarantine_request(judged, self._recipe.repository, 0), file_issue=True)

    def _taken(self, word: TakeOut, case: Case, files: Files) -> _Taken:
        asked = word.request
        if not word.file_issue:
            found = re.search(r"/issues/(\d+)\Z", asked.issue or "")
            return _Taken(plan_quarantine(self._recipe, files, asked), int(found[1]) if found else None)
        entry = self.issues.entry(asked, *place_of(self._recipe, files, asked))
        issue = self.issues.ensure(asked, entry, case)
        plan = plan_quarantine(self._recipe, files, self.words.under(asked, issue))
        return _Taken(plan, issue.number, (issue, entry))

    def _put_back(
        self, step: CommitRound, files: Files, before: str
    ) -> tuple[dict[str, bytes], list[QuarantinePlan]]:
        plans: list[QuarantinePlan] = []
        changed: dict[str, bytes] = {}
        for request in step.back:
            plans.append(self.words.back(request, {**files, **changed}, before))
            changed |= _after(plans[-1])
        self.planned += [(plan, None) for plan in plans]
        return changed, plans


def _evidence(judged: Judged) -> tuple[Evidence, ...]:
    return tuple(Evidence(it.source, it.text) for it in judged.verdict.evidence)


def _after(plan: QuarantinePlan) -> dict[str, bytes]:
    return {edit.path: edit.after.encode() for edit in plan.edits}
