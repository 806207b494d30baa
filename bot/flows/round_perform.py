"""What a round does on the host: two commits in one push, and the issues of what leaves the gate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.core.approval import VouchedCommit
from bot.core.bad_image import bad_image_marker
from bot.core.ci import Run
from bot.core.host import Commit, Head, Issue
from bot.core.plan import Files
from bot.core.recipe import BumpRecipe
from bot.core.reconcile import BranchState, Goal, Observed
from bot.core.rounds import CommitRound, MarkReady, ReportBadImage, RetryFailed, RoundAction, round_title
from bot.core.testrecipes.ledger_block import Entry
from bot.core.testrecipes.plan import QuarantinePlan, place_of, plan_quarantine, section
from bot.core.testrecipes.request import Evidence
from bot.core.triage.summary import Judged
from bot.flows.round_look import quarantine_request, recipe_files
from bot.flows.tracking_issue import Case, TrackingIssues
from bot.ports import CiRuns, CodeHost, Ledger, Texts


@dataclass(frozen=True, slots=True)
class Outside:
    """Everything that a round needs of the outside."""

    host: CodeHost
    ci: CiRuns
    ledger: Ledger
    texts: Texts
    today: date


@dataclass(frozen=True, slots=True)
class _Taken:
    """A test that leaves the gate: under which issue, by which edits."""

    issue: Issue
    entry: Entry
    plan: QuarantinePlan


class RoundPerformer:
    """Does one step of a round at a time."""

    def __init__(self, recipe: BumpRecipe, goal: Goal, outside: Outside) -> None:
        self._recipe = recipe
        self._goal = goal
        self._host = outside.host
        self._ci = outside.ci
        self._ledger = outside.ledger
        self._texts = outside.texts
        self._issues = TrackingIssues(recipe, outside.host, outside.texts, outside.today)
        self.reported: int | None = None
        """The issue about the image, where this very performer has opened it."""

    def perform(self, step: RoundAction, seen: Observed) -> Observed:
        """Do `step` and return what is there then. Raises what the ports raise."""
        pull, branch = seen.pull_request, seen.branch
        if pull is None or branch is None:
            raise AssertionError("a round has a pull request")
        match step:
            case RetryFailed(run):
                self._ci.retry_failed(run.id)
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
        if step.out:
            taken, files = self._take_out(step, branch.head.sha)
            title = round_title("Take failing tests out of the gate", self._goal.tag, step.number)
            head, commit = self._write(head, files, title, step.run, taken=taken)
            made.append(commit)
            for one in taken:
                self._issues.record(one.issue, one.plan, one.entry, head.sha)
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
    ) -> tuple[Head, VouchedCommit]:
        """Write a commit that no branch points to yet; with `taken`, that of tests that leave the gate."""
        author = self._host.actor("commit")
        message = self._texts.render(
            "round_quarantine.txt.j2" if taken else "round_goldens.txt.j2",
            title=title,
            files=sorted(files),
            run=run.url,
            sha=run.sha,
            taken=[(it.plan.test, it.plan.platform, it.issue.number) for it in taken],
            name=author.login,
            email=f"{author.id}+{author.login}@users.noreply.github.com",
        )
        tree = self._host.write_tree(parent.tree, files)
        sha = self._host.write_commit(tree, parent.sha, message)
        # Before the branch points to it: what a branch shows later is the bot's only if it is recorded.
        self._ledger.created_commit(self._host.push_repository, sha, self._goal.branch)
        commit = Commit(sha, tree, (parent.sha,), author="", subject=title)
        return Head(sha, tree), VouchedCommit(commit, "ledger")

    def _take_out(self, step: CommitRound, head: str) -> tuple[list[_Taken], Mapping[str, bytes]]:
        """Find or open the issue of each test, and plan its edits on top of those of the test before."""
        files: Files = recipe_files(self._host, head, section(self._recipe).recipes)
        taken: list[_Taken] = []
        changed: dict[str, bytes] = {}
        for judged in step.out:
            one = self._taken(judged, step.run.url, files)
            after = {edit.path: edit.after.encode() for edit in one.plan.edits}
            changed |= after
            files = {**files, **after}
            taken.append(one)
        return taken, changed

    def _taken(self, judged: Judged, run_url: str, files: Files) -> _Taken:
        asked = quarantine_request(judged, self._recipe.repository, 0)
        entry = self._issues.entry(asked, *place_of(self._recipe, files, asked))
        evidence = [Evidence(it.source, it.text) for it in judged.verdict.evidence]
        issue = self._issues.ensure(asked, entry, Case(run_url, evidence))
        request = quarantine_request(judged, self._recipe.repository, issue.number)
        return _Taken(issue, entry, plan_quarantine(self._recipe, files, request))
