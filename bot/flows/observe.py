"""What the host shows of a bump, gathered in as few requests as the next step needs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from bot.core.approval import VouchedCommit, Voucher, possible_vetters
from bot.core.blob import blob_id
from bot.core.errors import Refused
from bot.core.host import Commit, CommitRange, Head, Proposal
from bot.core.plan import Files, Plan, plan_bump, read_track
from bot.core.reconcile import GATE, BranchState, Observed, is_of_bot
from bot.flows.request import BumpRequest
from bot.ports import CodeHost, Ledger

VETTERS = frozenset({"write", "maintain", "admin"})
"""The roles whose `/ok to test` counts (https://docs.gha-runners.nvidia.com/apps/copy-pr-bot)."""

COMPETITORS_READ = 20
"""How many pull requests of others, whose pins are at the tag, are asked what they change."""


class Observer:
    """Looks at one bump on the host."""

    def __init__(self, request: BumpRequest, host: CodeHost, ledger: Ledger) -> None:
        self._request = request
        self._goal = request.goal
        self._track = request.track
        self._host = host
        self._ledger = ledger

    def observe(self, now: datetime) -> Observed:
        """Return what is there.

        Raises Refused when the repository has no such base branch, or when its pins cannot be planned.
        """
        base = self._host.base_head(self._goal.base)
        if base is None:
            raise Refused(
                f"{self._goal.repository} has no branch `{self._goal.base}`",
                hint="name another one with `--base`",
            )
        template = self._request.recipe.pull_requests.template
        files = self._host.read(base.sha, [*self._track.paths, *([template] if template else [])])
        text = (files.get(template or "") or b"").decode(errors="replace")
        seen = Observed(base, self._plan(files), self._host.actor("comment"), now, template=text)
        return self._with_branch(self._with_pull_requests(seen, files)) if seen.plan.edits else seen

    def _plan(self, files: Files) -> Plan:
        target = self._request.target
        return plan_bump(self._goal.track, self._track, files, target.image, target.environment)

    def _plan_at(self, sha: str) -> Plan:
        return self._plan(self._host.read(sha, self._track.paths))

    def _with_pull_requests(self, seen: Observed, files: Files) -> Observed:
        ours = [pull for pull in self._host.pull_requests(self._goal.branch) if pull.base == self._goal.base]
        closed = tuple(pull for pull in ours if pull.state == "closed")
        opened = next((pull for pull in ours if pull.state == "open"), None)
        if opened is None:
            return replace(seen, closed=closed, competitors=self._competitors(files))
        return replace(
            seen,
            pull_request=opened,
            closed=closed,
            comments=self._host.comments(opened.number),
            mirror=self._host.mirror_head(opened.number) if self._goal.approval else None,
        )

    def _competitors(self, files: Files) -> tuple[Proposal, ...]:
        """Return open pull requests of others that move a pin of the base to this release."""
        paths, tag = self._track.pin_paths, self._goal.tag
        there = {path: raw if raw is None else blob_id(raw) for path, raw in self._pin_files(files).items()}
        found = self._host.proposals(self._goal.base, paths)
        others = [it for it in found if not is_of_bot(it, self._goal, self._host.push_repository)]
        unlike = [it for it in others if it.files != there]
        # Most are merely behind the base, and name the few ids that it had before.
        ids = dict.fromkeys(oid for it in unlike for oid in it.files.values() if oid)
        contents = self._host.contents(tuple(ids)) if ids else {}
        pins = self._pins_at(files, tag)
        moving = [
            it
            for it in unlike
            if self._pins_at({path: contents.get(oid or "") for path, oid in it.files.items()}, tag) > pins
        ][:COMPETITORS_READ]
        # Who branched off while the base was at the release, before it was moved back, changes nothing.
        changing = self._host.touching([it.number for it in moving], paths) if moving else frozenset()
        return tuple(it for it in moving if it.number in changing)

    def _pin_files(self, files: Files) -> Files:
        return {path: files.get(path) for path in self._track.pin_paths}

    def _pins_at(self, files: Files, tag: str) -> int:
        """Return how many pins are at a tag: one lane of the base may be there already."""
        state = read_track(self._goal.track, self._track, files)
        return sum(1 for pin in state.pins if pin.image and pin.image.tag == tag)

    def _with_branch(self, seen: Observed) -> Observed:
        sha = self._host.bot_head(self._goal.branch)
        if sha is None:
            return seen
        found = self._host.commits(self._goal.base, sha)
        commits = self._vouched(found, seen)
        tree = found.commits[-1].tree if found.commits else found.merge_base.tree
        state = self._state(seen, Head(sha, tree), commits)
        state = replace(state, complete=found.complete)
        return replace(seen, branch=state, gate=self._host.gate(sha, GATE))

    def _state(self, seen: Observed, head: Head, commits: tuple[VouchedCommit, ...]) -> BranchState:
        if head.sha == seen.base.sha:
            return BranchState(head, commits, seen.plan)
        try:
            return BranchState(head, commits, self._plan_at(head.sha))
        except Refused as refusal:
            return BranchState(head, commits, seen.plan, defect=str(refusal))

    def _vouched(self, found: CommitRange, seen: Observed) -> tuple[VouchedCommit, ...]:
        recorded = self._ledger.commits(self._host.push_repository, self._goal.branch)
        vouchers: dict[str, Voucher] = {it.sha: "ledger" for it in found.commits if it.sha in recorded}
        unknown = [it for it in found.commits if it.sha not in vouchers]
        vouchers |= dict.fromkeys(self._named_by_vetters(seen, unknown), "vetter")
        trees = {it.sha: it.tree for it in found.commits} | {found.merge_base.sha: found.merge_base.tree}
        for commit in unknown:
            if commit.sha not in vouchers and self._is_the_plans_tree(commit, trees):
                vouchers[commit.sha] = "same tree"
        return tuple(VouchedCommit(it, vouchers.get(it.sha)) for it in found.commits)

    def _named_by_vetters(self, seen: Observed, unknown: Sequence[Commit]) -> set[str]:
        named = possible_vetters(seen.comments, [it.sha for it in unknown])
        return {sha for login, sha in named if self._host.permission(login) in VETTERS}

    def _is_the_plans_tree(self, commit: Commit, trees: Mapping[str, str]) -> bool:
        """Whether the commit's tree is, byte for byte, what the plan makes of its one parent."""
        if len(commit.parents) != 1 or commit.parents[0] not in trees:
            return False
        try:
            plan = self._plan_at(commit.parents[0])
        except Refused:
            return False
        return bool(plan.edits) and self._host.tree_id(trees[commit.parents[0]], plan.files) == commit.tree
