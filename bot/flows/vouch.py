"""Why each commit on a branch of the bot is trusted, or that it is not."""

from collections.abc import Sequence

from bot.core.approval import VouchedCommit, Voucher, possible_vetters
from bot.core.errors import Refused
from bot.core.host import Comment, Commit, CommitRange, Head
from bot.core.image import ImageRef
from bot.core.merge import NeedsPerson, Rederive, no_edit
from bot.core.plan import Plan, plan_bump
from bot.flows.merging import Merging
from bot.flows.request import BumpRequest
from bot.ports import CodeHost, Ledger

VETTERS = frozenset({"write", "maintain", "admin"})
"""The roles whose `/ok to test` counts (https://docs.gha-runners.nvidia.com/apps/copy-pr-bot)."""

PARENTS_OF_A_MERGE = 2


class Vouching:
    """Looks for vouchers: in the ledger, in the comments of vetters, in what the plan makes of a parent."""

    def __init__(
        self, request: BumpRequest, host: CodeHost, ledger: Ledger, rederive: Rederive = no_edit
    ) -> None:
        self._request = request
        self._track = request.track
        self._host = host
        self._ledger = ledger
        self._merging = Merging(request, host, rederive)

    def of(
        self, found: CommitRange, branch: str, image: ImageRef, comments: Sequence[Comment] = ()
    ) -> tuple[VouchedCommit, ...]:
        """Return the commits of the bot's `branch`, which moves the track to `image`, with their vouchers."""
        recorded = self._ledger.commits(self._host.push_repository, branch)
        vouchers: dict[str, Voucher] = {it.sha: "ledger" for it in found.commits if it.sha in recorded}
        unknown = [it for it in found.commits if it.sha not in vouchers]
        vouchers |= dict.fromkeys(self._named_by_vetters(comments, unknown), "vetter")
        for commit in unknown:
            if commit.sha not in vouchers and self._is_the_bots_tree(commit, found, image):
                vouchers[commit.sha] = "same tree"
        return tuple(VouchedCommit(it, vouchers.get(it.sha)) for it in found.commits)

    def _named_by_vetters(self, comments: Sequence[Comment], unknown: Sequence[Commit]) -> set[str]:
        named = possible_vetters(comments, [it.sha for it in unknown])
        return {sha for login, sha in named if self._host.permission(login) in VETTERS}

    def _is_the_bots_tree(self, commit: Commit, found: CommitRange, image: ImageRef) -> bool:
        """Whether the commit's tree is, byte for byte, what the bot would make of its parents."""
        added = {it.sha: it.tree for it in found.commits}
        trees = added | {found.merge_base.sha: found.merge_base.tree}
        if not 1 <= len(commit.parents) <= PARENTS_OF_A_MERGE or not found.complete:
            return False
        # A parent that the branch does not add is the base's own; an older one has to be asked for.
        head, *merged = (
            Head(it, trees[it]) if it in trees else self._host.commits(it, commit.sha).merge_base
            for it in commit.parents
        )
        try:
            if merged:
                base = merged[0]
                return base.sha not in added and self._is_the_merge(head, base, image, commit.tree)
            if commit.tree == found.merge_base.tree:
                # Everything is taken back: the base's own tree carries nothing of anybody.
                return True
            plan = self._plan_at(head.sha, image)
            return bool(plan.edits) and self._host.tree_id(head.tree, plan.files) == commit.tree
        except Refused:
            return False

    def _plan_at(self, sha: str, image: ImageRef) -> Plan:
        return plan_bump(
            self._request.track_name, self._track, self._host.read(sha, self._track.paths), image
        )

    def _is_the_merge(self, head: Head, base: Head, image: ImageRef, tree: str) -> bool:
        parted = self._host.commits(base.sha, head.sha).merge_base
        merge = self._merging.plan(parted, head, base, self._plan_at(base.sha, image))
        # Without a conflict the bot makes none: such a merge is somebody else's, whatever it holds.
        if isinstance(merge, NeedsPerson) or not (merge.derived or merge.from_base):
            return False
        return self._host.tree_id(base.tree, merge.texts, merge.nodes) == tree
