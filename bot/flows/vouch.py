"""Why each commit on a branch of the bot is trusted, or that it is not."""

from collections.abc import Mapping, Sequence

from bot.core.approval import VouchedCommit, Voucher, possible_vetters
from bot.core.errors import Refused
from bot.core.host import Comment, Commit, CommitRange
from bot.core.image import ImageRef
from bot.core.plan import plan_bump
from bot.flows.request import BumpRequest
from bot.ports import CodeHost, Ledger

VETTERS = frozenset({"write", "maintain", "admin"})
"""The roles whose `/ok to test` counts (https://docs.gha-runners.nvidia.com/apps/copy-pr-bot)."""


class Vouching:
    """Looks for vouchers: in the ledger, in the comments of vetters, in what the plan makes of a parent."""

    def __init__(self, request: BumpRequest, host: CodeHost, ledger: Ledger) -> None:
        self._request = request
        self._track = request.track
        self._host = host
        self._ledger = ledger

    def of(
        self, found: CommitRange, branch: str, image: ImageRef, comments: Sequence[Comment] = ()
    ) -> tuple[VouchedCommit, ...]:
        """Return the commits of the bot's `branch`, which moves the track to `image`, with their vouchers."""
        recorded = self._ledger.commits(self._host.push_repository, branch)
        vouchers: dict[str, Voucher] = {it.sha: "ledger" for it in found.commits if it.sha in recorded}
        unknown = [it for it in found.commits if it.sha not in vouchers]
        vouchers |= dict.fromkeys(self._named_by_vetters(comments, unknown), "vetter")
        trees = {it.sha: it.tree for it in found.commits} | {found.merge_base.sha: found.merge_base.tree}
        for commit in unknown:
            if commit.sha not in vouchers and self._is_the_plans_tree(commit, trees, image):
                vouchers[commit.sha] = "same tree"
        return tuple(VouchedCommit(it, vouchers.get(it.sha)) for it in found.commits)

    def _named_by_vetters(self, comments: Sequence[Comment], unknown: Sequence[Commit]) -> set[str]:
        named = possible_vetters(comments, [it.sha for it in unknown])
        return {sha for login, sha in named if self._host.permission(login) in VETTERS}

    def _is_the_plans_tree(self, commit: Commit, trees: Mapping[str, str], image: ImageRef) -> bool:
        """Whether the commit's tree is, byte for byte, what the plan makes of its one parent."""
        if len(commit.parents) != 1 or commit.parents[0] not in trees:
            return False
        parent = commit.parents[0]
        try:
            plan = plan_bump(
                self._request.track_name, self._track, self._host.read(parent, self._track.paths), image
            )
        except Refused:
            return False
        return bool(plan.edits) and self._host.tree_id(trees[parent], plan.files) == commit.tree
