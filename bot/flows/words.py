"""What people's words about single tests come to on a bump's branch: the edits, and what is done already."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot.core.errors import Refused
from bot.core.host import Issue
from bot.core.plan import Files
from bot.core.recipe import BumpRecipe
from bot.core.reconcile import BranchState
from bot.core.rounds import TakeOut, Words
from bot.core.testrecipes.plan import (
    QuarantinePlan,
    model_config_path,
    place_of,
    plan_quarantine,
    section,
)
from bot.core.testrecipes.plan_back import Witnesses, plan_unquarantine
from bot.core.testrecipes.request import (
    QuarantineRequest,
    Repeats,
    UnquarantineRequest,
    issue_address,
)
from bot.core.testrecipes.target import FunctionalTest, UnitTest
from bot.flows.tracking_issue import TrackingIssues
from bot.ports import CodeHost


@dataclass(frozen=True, slots=True)
class Due:
    """Those of the words that would change something at the head."""

    asked: tuple[TakeOut, ...] = ()
    back: tuple[UnquarantineRequest, ...] = ()


class WordPlans:
    """Plans what people have said of single tests, by the files of a commit."""

    def __init__(self, recipe: BumpRecipe, host: CodeHost, issues: TrackingIssues) -> None:
        self._recipe = recipe
        self._host = host
        self._issues = issues

    def due(self, words: Words, branch: BranchState) -> Due:
        """Return what is still to be done at the head. Raises Refused or UsageError for what cannot be."""
        if not words.out and not words.back:
            return Due()
        files = self.files(branch.head.sha, words.out, words.back)
        asked = [it for it in words.out if self.out(it, files).changes]
        before = merge_base(branch)
        back = [it for it in words.back if self.back(it, files, before).changes]
        return Due(tuple(asked), tuple(back))

    def files(self, sha: str, out: Iterable[TakeOut], back: Iterable[UnquarantineRequest]) -> Files:
        """Return the files at a commit in which the tests may stand."""
        rules = section(self._recipe)
        files = recipe_files(self._host, sha, rules.recipes)
        requests = [it.request for it in out]
        targets = [*(it.target for it in requests), *(it.target for it in back)]
        paths = [it.path for it in targets if isinstance(it, UnitTest)]
        for it in requests:
            if isinstance(it.remedy, Repeats) and isinstance(it.target, FunctionalTest):
                model, _ = place_of(self._recipe, files, it)
                paths.append(model_config_path(rules, model, it.target.name))
        return {**files, **self._host.read(sha, paths)} if paths else files

    def out(self, word: TakeOut, files: Files) -> QuarantinePlan:
        """Return the edits that take a test out, under the issue that is there or one yet to be opened."""
        if not word.file_issue:
            return plan_quarantine(self._recipe, files, word.request)
        entry = self._issues.entry(word.request, *place_of(self._recipe, files, word.request))
        return plan_quarantine(self._recipe, files, self.under(word.request, self._issues.find(entry)))

    def under(self, request: QuarantineRequest, issue: Issue | None) -> QuarantineRequest:
        """Return the request with the address of its issue; 0 stands for one that is yet to be opened."""
        number = issue.number if issue else 0
        return replace(request, issue=issue_address(self._recipe.repository, number))

    def back(self, request: UnquarantineRequest, files: Files, before: str) -> QuarantinePlan:
        """Return the edits that put a test back as it was at the commit `before` the pull request.

        Raises Refused where it was out of the gate there already.
        """
        earlier = self.files(before, (), (request,))

        def history(path: str) -> Sequence[bytes]:
            found = earlier.get(path)
            return () if found is None else (found,)

        witnesses = Witnesses(self._issues.hunks(request.target), history)
        plan = plan_unquarantine(self._recipe, files, request, witnesses)
        if plan.changes and self._was_out(request, earlier):
            raise Refused(
                f"`{plan.test}` was out of the gate before this pull request",
                hint="`--checkout DIR` puts it back in a clone; that takes a pull request of its own",
            )
        return plan

    def _was_out(self, request: UnquarantineRequest, earlier: Files) -> bool:
        """Whether there is anything to put back in the files `earlier`, even if it cannot be told how."""
        nothing = Witnesses({}, lambda _: ())
        try:
            return bool(plan_unquarantine(self._recipe, earlier, request, nothing).changes)
        except Refused:
            # A unit test without a mark is refused; a row that was flipped is, where nothing tells how.
            return not isinstance(request.target, UnitTest)


def merge_base(branch: BranchState) -> str:
    """Return the sha of the commit before the first one of a branch."""
    return branch.commits[0].commit.parents[0] if branch.commits else branch.head.sha


def recipe_files(host: CodeHost, sha: str, folder: str) -> Files:
    """Return every test recipe at a commit."""
    paths = [path for path in host.list_files(sha, folder) if path.endswith((".yaml", ".yml"))]
    return host.read(sha, paths)
