"""The one next step from what is to what should be: a pure function of what was observed.

    nothing there ──▶ commit ──▶ pull request ──▶ labels ──▶ older pull requests closed ──▶ gate ──▶ approval
    the base moved, and conflicts ──▶ merge commit ──▶ gate ──▶ approval ──▶ …
          └────────────────────── refuse, at any point, with the reason ──────────────────────┘

Every step is the same whether it is the first run or the run after a kill: what is there is not done again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.core.approval import OURS, VouchedCommit, approval_text, approved_by_bot, unvouched
from bot.core.host import Actor, Comment, Commit, Gate, Head, Proposal, PullRequest
from bot.core.markdown import one_line
from bot.core.merge import MergePlan, NeedsPerson
from bot.core.plan import Plan
from bot.core.undo import undo_subject


@dataclass(frozen=True, slots=True)
class Goal:
    """What a bump wants to see on the host.

    `gate` is what the gate has to say where that does not follow from the plan.
    """

    repository: str
    base: str
    track: str
    tag: str
    branch: str
    title: str
    labels: tuple[str, ...]
    approval: bool
    anyway: bool = False
    gate: Gate | None = None


@dataclass(frozen=True, slots=True)
class BranchState:
    """The bot's branch: its head, what it adds to the base, and what is still to be edited on it.

    `complete` is false when the host did not list all commits; `defect` says what is wrong with the pins at
    the head, and the plan is then of no use. `is_new` is a branch that this very run has made. `merge_base`
    is where it parted from the base, None where that is not known.
    """

    head: Head
    commits: tuple[VouchedCommit, ...]
    plan: Plan
    complete: bool = True
    defect: str | None = None
    is_new: bool = False
    merge_base: Head | None = None


Merge = MergePlan | NeedsPerson | Literal["unknown"] | None
"""What settles the conflict of a branch with its base; None where there is none, `unknown` for now."""


@dataclass(frozen=True, slots=True)
class Sibling:
    """An open pull request of the bot that moves the same track of the same base to another `tag`.

    `others` are the commits on an older one that the bot has not made.
    """

    pull_request: PullRequest
    tag: str
    newer: bool
    others: Sequence[Commit] = ()


@dataclass(frozen=True, slots=True)
class Observed:
    """What the host shows. `plan` is the plan at the base's head; `branch` is None where there is none.

    `competitors` are open pull requests of others that move a pin file to the same tag; `template` is the
    repository's text for new pull requests, `mirror` the head of the branch that copy-pr-bot moves; `merge`
    is what settles the conflict with the base; `opener` is who opens the bot's pull requests, None as long
    as there is none.
    """

    base: Head
    plan: Plan
    bot: Actor
    now: datetime
    branch: BranchState | None = None
    pull_request: PullRequest | None = None
    closed: tuple[PullRequest, ...] = ()
    competitors: tuple[Proposal, ...] = ()
    siblings: tuple[Sibling, ...] = ()
    comments: tuple[Comment, ...] = ()
    gate: Gate | None = None
    mirror: str | None = None
    template: str = ""
    merge: Merge = None
    opener: Actor | None = None

    @property
    def adopted_from(self) -> Actor | None:
        """Whoever opened the pull request from the bot's branch in its place, None for the bot itself.

        It is the bump's all the same, for its commits are vouched for one by one; its text is not.
        """
        pull = self.pull_request
        if pull is None or self.opener is None or pull.author.id == self.opener.id:
            return None
        return pull.author


@dataclass(frozen=True, slots=True)
class CommitEdits:
    """Commit the plan's edits on `parent` and point the branch to it; a new branch where `create`."""

    plan: Plan
    parent: Head
    create: bool


@dataclass(frozen=True, slots=True)
class MergeBase:
    """Commit the merge of `base` into the branch, whose head is `parent`, as the plan has it."""

    plan: MergePlan
    parent: Head
    base: Head


@dataclass(frozen=True, slots=True)
class OpenPullRequest:
    """Open the draft."""


@dataclass(frozen=True, slots=True)
class AddLabels:
    """Add what is missing of the labels."""

    pull_request: PullRequest
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Supersede:
    """Close the pull request of an older release with a word about the newer one, `number`."""

    older: PullRequest
    number: int


@dataclass(frozen=True, slots=True)
class SetGate:
    """Say beside the head commit that the pins are in sync."""

    sha: str
    gate: Gate


@dataclass(frozen=True, slots=True)
class Approve:
    """Ask for CI on the head commit."""

    number: int
    sha: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """Stop: a person has to decide. `is_said` where the pull request says so already."""

    reason: str
    hint: str
    is_said: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """Everything is there."""


Action = CommitEdits | MergeBase | OpenPullRequest | AddLabels | Supersede | SetGate | Approve
Step = Action | Refuse | Done

FOREIGN_NAMED = 5
"""How many foreign commits a refusal names in full."""

CONFLICTS_NAMED = 10
"""How many files a refusal to merge names."""

GATE = "base-image/pins in sync"
GATE_SUMMARY = 140
"""Characters that a commit status shows (https://docs.github.com/rest/commits/statuses)."""


def next_step(goal: Goal, seen: Observed) -> Step:
    """Return the next step of a bump; done at once where the base needs no edit."""
    if not seen.plan.edits:
        return Done()
    return (
        _refusal(goal, seen)
        or _blocked(goal, seen)
        or _undone(goal, seen)
        or _next_merge(goal, seen)
        or _next_on_branch(seen)
        or _next_on_pull_request(goal, seen)
        or Done()
    )


def _refusal(goal: Goal, seen: Observed) -> Refuse | None:
    refusals = (_refuse_beside(goal, it, seen.opener) for it in seen.siblings)
    return next((it for it in refusals if it), None) or _refuse_again(goal, seen)


def _refuse_beside(goal: Goal, sibling: Sibling, opener: Actor | None) -> Refuse | None:
    """Return why the bot's pull request for another release stands in the way, if it does."""
    pull = sibling.pull_request
    tag = one_line(sibling.tag)
    what = f"#{pull.number} from the bot's branch moves {goal.track} of `{goal.base}` to `{tag}`"
    if sibling.newer:
        return Refuse(f"{what}, which is newer: {pull.url}", "close it to go back to the older release")
    if sibling.others:
        other = sibling.others[0]
        return Refuse(
            f"{what} and holds a commit by {one_line(other.author)}, {other.sha}: {pull.url}",
            "merge it, or close it if that commit may be lost; then bump again",
        )
    if opener is None or pull.author.id != opener.id:
        return Refuse(
            f"{what}, and {one_line(pull.author.login)} has opened it: {pull.url}",
            "merge or close it, then bump again: the bot closes only what it has opened",
        )
    return None


def _refuse_again(goal: Goal, seen: Observed) -> Refuse | None:
    if seen.competitors and not goal.anyway and seen.pull_request is None:
        other = seen.competitors[0]
        return Refuse(
            f"#{other.number} by {one_line(other.author)} already moves a pin to `{goal.tag}`: {other.url}",
            "help there, or say `--anyway` to open a second pull request",
        )
    if seen.closed and seen.pull_request is None:
        return _closed(goal, seen, max(seen.closed, key=lambda pull: pull.number))
    return None


def _closed(goal: Goal, seen: Observed, last: PullRequest) -> Refuse | None:
    if not last.merged:
        return Refuse(
            f"#{last.number} for `{goal.tag}` was closed, and stays closed: {last.url}", "reopen it to go on"
        )
    if seen.branch and not seen.branch.is_new:
        return Refuse(
            f"#{last.number} for `{goal.tag}` was merged, and `{goal.base}` has left it again: {last.url}",
            f"delete the branch `{goal.branch}` to bump again",
        )
    return None


def _blocked(goal: Goal, seen: Observed) -> Step | None:
    """Return the refusal of a head that the bot does not go on from; a red gate beside it comes first."""
    branch = seen.branch
    if branch is None:
        return None
    refusal = refuse_foreign(goal, seen, branch) or _defective(branch)
    gate = _gate(goal, branch)
    if refusal and seen.pull_request and not gate.passed and seen.gate != gate:
        return SetGate(branch.head.sha, gate)
    return refusal


def refuse_foreign(goal: Goal, seen: Observed, branch: BranchState) -> Refuse | None:
    """Return the refusal of a branch with a commit that nobody vouches for, or with more than are listed."""
    foreign = unvouched(branch.commits)
    if foreign:
        named = ", ".join(f"{it.sha} by {one_line(it.author)}" for it in foreign[:FOREIGN_NAMED])
        vouch = ", ".join(f"`{approval_text(it.sha)}`" for it in foreign[:FOREIGN_NAMED])
        more = f" and {len(foreign) - FOREIGN_NAMED} more" if len(foreign) > FOREIGN_NAMED else ""
        hint = f"somebody with write permission can vouch for each by a comment of its own: {vouch}"
        return Refuse(
            f"`{goal.branch}` holds commits that nobody vouches for: {named}{more}",
            f"{hint}; until then the bot neither commits on top nor approves"
            if seen.pull_request
            else f"there is no pull request to vouch in yet: delete the branch `{goal.branch}` to start anew",
        )
    if not branch.complete:
        return Refuse(
            f"`{goal.branch}` holds more commits than the host lists",
            "look at the branch; the bot goes no further",
        )
    return None


def _defective(branch: BranchState) -> Refuse | None:
    if branch.defect is None:
        return None
    return Refuse(branch.defect, "mend the pins on the branch; the bot goes on from there")


def _gate(goal: Goal, branch: BranchState) -> Gate:
    if goal.gate:
        return goal.gate
    if branch.defect:
        return Gate(GATE, passed=False, summary=one_line(branch.defect, GATE_SUMMARY))
    if branch.plan.edits:
        return Gate(GATE, passed=False, summary=f"not every pin of {goal.track} is at {goal.tag}")
    return Gate(GATE, passed=True, summary=f"every pin of {goal.track} is at {goal.tag}")


def _undone(goal: Goal, seen: Observed) -> Refuse | None:
    """Return the refusal of a bump whose newest commit of the bot takes it back."""
    if seen.branch is None or not seen.branch.plan.edits:
        return None
    ours = [it.commit for it in seen.branch.commits if it.voucher in OURS]
    if goal.anyway or not ours or ours[-1].subject != undo_subject(goal.title):
        return None
    return Refuse(
        f"the bump on `{goal.branch}` was taken back with `bot undo`",
        "close the pull request, or say `--anyway` to bump again",
        is_said=True,
    )


def _next_merge(goal: Goal, seen: Observed) -> Step | None:
    if seen.branch and isinstance(seen.merge, MergePlan):
        return MergeBase(seen.merge, seen.branch.head, seen.base)
    if not isinstance(seen.merge, NeedsPerson):
        return None
    files = seen.merge.files
    named = ", ".join(f"{one_line(path)} ({reason})" for path, reason in files[:CONFLICTS_NAMED])
    more = f" and {len(files) - CONFLICTS_NAMED} more" if len(files) > CONFLICTS_NAMED else ""
    return Refuse(
        f"`{goal.branch}` conflicts with `{goal.base}`: {named}{more}",
        f"merge `{goal.base}` into the branch by hand, and let somebody with write permission vouch for that",
    )


def _next_on_branch(seen: Observed) -> Step | None:
    if seen.branch is None:
        return CommitEdits(seen.plan, seen.base, create=True)
    if seen.branch.plan.edits:
        return CommitEdits(seen.branch.plan, seen.branch.head, create=False)
    return None


def _next_on_pull_request(goal: Goal, seen: Observed) -> Step | None:
    if seen.branch is None or seen.pull_request is None:
        return OpenPullRequest()
    head = seen.branch.head.sha
    there = {label.casefold() for label in seen.pull_request.labels}
    missing = tuple(label for label in goal.labels if label.casefold() not in there)
    gate = _gate(goal, seen.branch)
    if missing:
        return AddLabels(seen.pull_request, missing)
    if seen.siblings:
        return Supersede(seen.siblings[0].pull_request, seen.pull_request.number)
    if seen.gate != gate:
        return SetGate(head, gate)
    if goal.approval and seen.mirror != head and not approved_by_bot(seen.comments, seen.bot.id, head):
        return Approve(seen.pull_request.number, head)
    return None


def conflicting_labels(pull_request: PullRequest, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels on a pull request that make CI do something else than the bump needs."""
    unwanted = {label.casefold() for label in labels}
    return tuple(label for label in pull_request.labels if label.casefold() in unwanted)
