"""What is to be undone: one of the bot's pull requests, its commits, and what they changed."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.approval import OURS, VouchedCommit
from bot.core.edits import FileEdit
from bot.core.errors import Refused
from bot.core.host import Change, Commit, CommitRange, Gate, Head, PullRequest, Standing
from bot.core.markdown import one_line
from bot.core.plan import Plan, TrackState, read_track
from bot.core.recipe import BumpRecipe
from bot.core.reconcile import GATE, GATE_SUMMARY
from bot.core.undo import BumpBranch, bump_of, changed_by
from bot.flows.request import BumpRequest
from bot.flows.target import resolve_target
from bot.flows.vouch import Vouching
from bot.ports import CodeHost, Ledger


@dataclass(frozen=True, slots=True)
class Subject:
    """A bump on the host.

    `before` is the base without the bump and `pins` what the track held there; `changes` are all files of
    the branch against it, `ours` and `others` the paths that the bot's and other people's commits changed.
    """

    pull: PullRequest
    bump: BumpBranch
    request: BumpRequest
    before: Head
    head: Head
    commits: tuple[VouchedCommit, ...]
    changes: Mapping[str, Change]
    ours: frozenset[str]
    others: frozenset[str]
    pins: TrackState

    @property
    def gate(self) -> Gate:
        """What the gate says once the pins are as they were: they need not have agreed."""
        if self.pins.image is not None:
            return Gate(
                GATE, passed=True, summary=f"every pin of {self.bump.track} is back at {self.pins.image.tag}"
            )
        problems = "; ".join(f"{it.where}: {it.problem}" for it in self.pins.pins if it.problem)
        return Gate(GATE, passed=False, summary=one_line(f"as before the bump: {problems}", GATE_SUMMARY))

    def plan(self, edits: tuple[FileEdit, ...]) -> Plan:
        """Return the way back as a plan: from the bump's image to the one before."""
        image = self.request.target.image
        before = next((it.image for it in self.pins.pins if it.image), image)
        return Plan(self.bump.track, image, before, edits)


class Finder:
    """Finds the subject; every question it asks only reads."""

    def __init__(self, recipe: BumpRecipe, host: CodeHost, ledger: Ledger) -> None:
        self._recipe = recipe
        self._host = host
        self._ledger = ledger

    def find(self, number: int) -> Subject:
        """Return the bump of pull request `number`.

        Raises Refused when there is none, when it is not the bot's, when it was closed without a merge,
        and when the host does not list all of it.
        """
        standing = self._host.standing(number)
        if standing is None:
            raise Refused(f"`{self._recipe.repository}` has no pull request #{number}")
        pull = standing.pull_request
        bump = self._bump(pull)
        if pull.state == "closed" and not pull.merged:
            raise Refused(f"#{number} was closed and never merged: there is nothing to undo")
        target = resolve_target(self._recipe.track(bump.track), bump.tag, None)
        request = BumpRequest(self._recipe, bump.track, pull.base, target)
        return self._subject(standing, bump, request)

    def _bump(self, pull: PullRequest) -> BumpBranch:
        in_place = (pull.head_repository or "").lower() == self._host.push_repository.lower()
        bump = bump_of(pull.head_branch, pull.base, self._recipe.tracks) if in_place else None
        if bump is None or not self._recipe.track(bump.track).scheme.release(bump.tag):
            raise Refused(
                f"#{pull.number} is no bump of the bot", hint="name a pull request that the bot opened"
            )
        return bump

    def _subject(self, standing: Standing, bump: BumpBranch, request: BumpRequest) -> Subject:
        pull = standing.pull_request
        found = self._commits(standing)
        if not found.complete:
            raise Refused(f"#{pull.number} holds more commits than the host lists", hint="undo it by hand")
        vouching, image = Vouching(request, self._host, self._ledger), request.target.image
        # Comments are left out at first: the bot's own approvals vouch as well, and would hide whose it is.
        commits = vouching.of(found, pull.head_branch, image)
        others = [it.commit for it in commits if it.voucher not in OURS]
        if len(others) == len(commits):
            raise Refused(f"#{pull.number} holds no commit of the bot", hint="undo it by hand")
        last = found.commits[-1]
        head = Head(last.sha, last.tree)
        changes = self._changes(found.merge_base, head, pull.number)
        ours, theirs = frozenset(changes), frozenset[str]()
        if others:
            ours = self._paths(found, [it.commit for it in commits if it.voucher in OURS])
            theirs = self._paths(found, others)
            commits = vouching.of(found, pull.head_branch, image, self._host.comments(pull.number))
        name, track = request.track_name, request.track
        pins = read_track(name, track, self._host.read(found.merge_base.sha, track.paths))
        return Subject(
            pull, bump, request, found.merge_base, head, commits, changes, ours=ours, others=theirs, pins=pins
        )

    def _commits(self, standing: Standing) -> CommitRange:
        pull = standing.pull_request
        if pull.state == "closed":
            return self._host.commits(standing.base_sha, pull.head_sha)
        # A pull request may lag behind a push to its branch.
        return self._host.commits(pull.base, self._host.bot_head(pull.head_branch) or pull.head_sha)

    def _changes(self, old: Head, new: Head, number: int) -> Mapping[str, Change]:
        found = self._host.differences(old, new)
        if not found.complete:
            raise Refused(f"#{number} changes more files than the host lists", hint="undo it by hand")
        return found.files

    def _paths(self, found: CommitRange, commits: list[Commit]) -> frozenset[str]:
        trees = {it.sha: it.tree for it in found.commits} | {found.merge_base.sha: found.merge_base.tree}
        diffs: dict[str, tuple[frozenset[str], ...]] = {}
        for commit in commits:
            new = Head(commit.sha, commit.tree)
            parents = [
                Head(it, trees[it]) if it in trees else self._host.commits(it, commit.sha).merge_base
                for it in commit.parents
            ]
            each = [self._host.differences(old, new) for old in parents]
            if not all(it.complete for it in each):
                raise Refused(
                    f"{commit.sha} changes more files than the host lists", hint="undo the bump by hand"
                )
            diffs[commit.sha] = tuple(frozenset(it.files) for it in each)
        return changed_by(diffs)
