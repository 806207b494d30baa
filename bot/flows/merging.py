"""Whether a bump conflicts with its base, and the merge that settles it, from what the host shows."""

from bot.core.approval import unvouched
from bot.core.host import CommitRange, Head
from bot.core.merge import (
    MergePlan,
    NeedsPerson,
    Rederive,
    Versions,
    contested,
    first_of,
    judged_by_ci,
    no_edit,
    plan_merge,
    repinned,
)
from bot.core.plan import Plan
from bot.core.reconcile import Merge, Observed
from bot.flows.request import BumpRequest
from bot.ports import CodeHost


class Merging:
    """Plans merges of the base; `rederive` makes the bot's edits that are no pins."""

    def __init__(self, request: BumpRequest, host: CodeHost, rederive: Rederive = no_edit) -> None:
        goldens = request.recipe.goldens
        self._host = host
        self._rederive = first_of(repinned(request.track, request.target.image), rederive)
        self._yields = judged_by_ci(goldens.file if goldens else None)

    def of(self, found: CommitRange, seen: Observed) -> Merge:
        """Return what settles the conflict of the open pull request; None where there is none."""
        branch, pull = seen.branch, seen.pull_request
        if branch is None or pull is None or found.merge_base.sha == seen.base.sha:
            return None
        if unvouched(branch.commits) or not branch.complete or branch.defect:
            return None
        standing = self._host.standing(pull.number)
        if standing is None or standing.conflicts is None:
            return "unknown"
        # The host may lag behind a push; what it says is of the head that it shows.
        if standing.pull_request.head_sha != branch.head.sha:
            return "unknown"
        if not standing.conflicts:
            return None
        return self.plan(found.merge_base, branch.head, seen.base, seen.plan)

    def plan(self, parted: Head, head: Head, base: Head, edits: Plan) -> MergePlan | NeedsPerson:
        """Return the merge of `base` into `head`; `edits` is the plan of the bump on the base."""
        changes = self._host.differences(parted, head)
        if not changes.complete:
            return NeedsPerson((("…", "the branch changes more files than the host lists"),))
        paths = tuple(changes.files)
        folders = tuple(dict.fromkeys(folder for path in paths for folder in _folders(path)))
        there = self._host.nodes(base.tree, (*paths, *folders))
        versions = {path: Versions(it.before, it.after, there[path]) for path, it in changes.files.items()}
        texts = contested(versions, self._yields)
        return plan_merge(
            versions,
            {folder: there[folder] for folder in folders},
            edits=edits.files,
            parted=self._host.read(parted.sha, texts) if texts else {},
            base=self._host.read(base.sha, texts) if texts else {},
            rederive=self._rederive,
            yields=self._yields,
        )


def _folders(path: str) -> list[str]:
    return [path[:at] for at, letter in enumerate(path) if letter == "/"]
