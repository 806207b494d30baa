"""What the host shows of a bump, gathered in as few requests as the next step needs."""

from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.approval import VouchedCommit
from bot.core.errors import Refused
from bot.core.host import Head
from bot.core.merge import Rederive, no_edit
from bot.core.plan import Files, Plan, plan_bump
from bot.core.reconcile import GATE, BranchState, Observed
from bot.flows.merging import Merging
from bot.flows.request import BumpRequest
from bot.flows.rivals import Rivals
from bot.flows.vouch import Vouching
from bot.ports import CodeHost, Ledger


@dataclass(frozen=True, slots=True)
class Base:
    """The head of the base branch, with the files of the track and the template for pull requests."""

    head: Head
    files: Files


def read_base(request: BumpRequest, host: CodeHost) -> Base:
    """Return the base of a bump. Raises Refused when the repository has no such branch."""
    head = host.base_head(request.base)
    if head is None:
        raise Refused(
            f"{host.repository} has no branch `{request.base}`", hint="name another one with `--base`"
        )
    template = request.recipe.pull_requests.template
    return Base(head, host.read(head.sha, [*request.track.paths, *([template] if template else [])]))


class Observer:
    """Looks at one bump on the host; `rederive` makes the bot's edits that are no pins."""

    def __init__(
        self, request: BumpRequest, host: CodeHost, ledger: Ledger, rederive: Rederive = no_edit
    ) -> None:
        self._request = request
        self._goal = request.goal
        self._track = request.track
        self._host = host
        self._vouching = Vouching(request, host, ledger, rederive)
        self._merging = Merging(request, host, rederive)

    def observe(self, base: Base, now: datetime) -> Observed:
        """Return what is there beside `base`. Raises Refused when its pins cannot be planned."""
        template = self._request.recipe.pull_requests.template
        text = (base.files.get(template or "") or b"").decode(errors="replace")
        plan = self._plan(base.files)
        seen = Observed(base.head, plan, self._host.actor("comment"), now, template=text)
        return self._with_branch(self._with_pull_requests(seen, base.files)) if plan.edits else seen

    def _plan(self, files: Files) -> Plan:
        target = self._request.target
        return plan_bump(self._goal.track, self._track, files, target.image, target.environment)

    def _plan_at(self, sha: str) -> Plan:
        return self._plan(self._host.read(sha, self._track.paths))

    def _with_pull_requests(self, seen: Observed, files: Files) -> Observed:
        ours = [pull for pull in self._host.pull_requests(self._goal.branch) if pull.base == self._goal.base]
        closed = tuple(pull for pull in ours if pull.state == "closed")
        opened = next((pull for pull in ours if pull.state == "open"), None)
        rivals = Rivals(self._request, self._host, self._vouching, files)
        seen = replace(seen, siblings=rivals.siblings())
        if opened or seen.siblings:
            seen = replace(seen, opener=self._host.actor("pull_request"))
        if opened is None:
            return replace(seen, closed=closed, competitors=rivals.competitors())
        return replace(
            seen,
            pull_request=opened,
            closed=closed,
            comments=self._host.comments(opened.number),
            mirror=self._host.mirror_head(opened.number) if self._goal.approval else None,
        )

    def _with_branch(self, seen: Observed) -> Observed:
        sha = self._host.bot_head(self._goal.branch)
        if sha is None:
            return seen
        found = self._host.commits(self._goal.base, sha)
        commits = self._vouching.of(found, self._goal.branch, self._request.target.image, seen.comments)
        tree = found.commits[-1].tree if found.commits else found.merge_base.tree
        state = self._state(seen, Head(sha, tree), commits)
        state = replace(state, complete=found.complete, merge_base=found.merge_base)
        seen = replace(seen, branch=state, gate=self._host.gate(sha, GATE))
        return replace(seen, merge=self._merging.of(found, seen))

    def _state(self, seen: Observed, head: Head, commits: tuple[VouchedCommit, ...]) -> BranchState:
        if head.sha == seen.base.sha:
            return BranchState(head, commits, seen.plan)
        try:
            return BranchState(head, commits, self._plan_at(head.sha))
        except Refused as refusal:
            return BranchState(head, commits, seen.plan, defect=str(refusal))
