"""A bump on a code host: observe, take the next step, until there is none; then say how it stands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from bot.core.approval import acknowledged, approved_by_bot
from bot.core.errors import Refused, ServiceError
from bot.core.goldens.summary import golden_summary, summary_of
from bot.core.host import Actor, Comment, PullRequest
from bot.core.merge import Rederive, no_edit
from bot.core.plan import Plan
from bot.core.reconcile import (
    Action,
    AddLabels,
    Approve,
    BranchState,
    CommitEdits,
    Done,
    MergeBase,
    Observed,
    OpenPullRequest,
    Refuse,
    SetGate,
    Supersede,
    conflicting_labels,
    next_step,
)
from bot.core.rounds import NOT_BEGUN, CommitRound, Rest, State
from bot.flows.golden_changes import golden_changes
from bot.flows.messages import Messages
from bot.flows.observe import Observer, read_base
from bot.flows.perform import Performer
from bot.flows.request import BumpRequest
from bot.flows.rounds import ROUND_WRITTEN, RoundReport, Rounds
from bot.flows.status import status_comment, write_status
from bot.flows.target import Verify, settled
from bot.ports import CodeHost, ImageRegistry, Ledger, Texts

APPROVAL_DEADLINE = timedelta(minutes=15)
"""After this long without a sign of copy-pr-bot the bot says so, and never asks twice."""

WRITTEN: Mapping[type[Action], str] = {
    CommitEdits: "commit",
    MergeBase: "merge of the base",
    OpenPullRequest: "pull request",
    AddLabels: "labels",
    Supersede: "end of an older pull request",
    SetGate: "gate",
    Approve: "approval",
}
"""What a person calls that which a step writes."""

Approval = Literal["none", "asked", "taken", "late"]


@dataclass(frozen=True, slots=True)
class BumpOutcome:
    """How the bump stands, and what this run wrote. Without a pull request there was nothing to do.

    `adopted_from` is the person who opened the pull request from the bot's branch, if it was not the bot.
    `conflict_unknown` is true when the host has not found out yet whether it conflicts with the base.
    """

    plan: Plan
    pull_request: PullRequest | None = None
    sha: str | None = None
    approval: Approval = "none"
    written: tuple[str, ...] = ()
    adopted_from: Actor | None = None
    report: RoundReport | None = None
    conflict_unknown: bool = False


class Stopped(Refused):
    """A refusal where there is a pull request already; `outcome` is how it stands."""

    def __init__(self, refusal: Refused, outcome: BumpOutcome) -> None:
        super().__init__(refusal.message, path=refusal.path, line=refusal.line, hint=refusal.hint)
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to look for copy-pr-bot's answer once it was asked, and what waits before each look."""

    looks: int
    pause: Callable[[], None]


class Bump:
    """One request, from what the host shows to the goal; `now` is the clock.

    Where something is to move, `verify` is asked for the request's target; without it, that is verified.
    `rederive` makes the bot's edits that are no pins anew where the base has changed the same file; those of
    `rounds` do so unless another is given.
    """

    def __init__(
        self,
        request: BumpRequest,
        host: CodeHost,
        ledger: Ledger,
        *,
        texts: Texts,
        registry: ImageRegistry | None,
        now: Callable[[], datetime],
        patience: Patience,
        rounds: Rounds | None = None,
        verify: Verify | None = None,
        rederive: Rederive | None = None,
    ) -> None:
        self._request = request
        self._host = host
        self._ledger = ledger
        self._texts = texts
        self._registry = registry
        self._now = now
        self._patience = patience
        self._rounds = rounds
        self._verify = verify
        self._seen: Observed | None = None
        self._read: BranchState | None = None
        self._rederive = rederive or (rounds.rederive if rounds else no_edit)
        self._taken: list[Action] = []
        self._written: list[str] = []

    def run(self) -> BumpOutcome:
        """Bring the host to the goal, and return how it stands.

        Raises Refused when a person has to decide, Stopped if there is a pull request already, ServiceError
        when the host fails; run again, it goes on where it stopped.
        """
        try:
            return self._run()
        except Refused as refusal:
            if self._seen is None or self._seen.pull_request is None:
                raise
            raise Stopped(refusal, self._as_it_is(self._seen, self._seen.pull_request)) from refusal

    def _run(self) -> BumpOutcome:
        goal = self._request.goal
        base = read_base(self._request, self._host)
        target = settled(goal.track, self._request.track, base.files, self._request.target, self._verify)
        request = replace(self._request, target=target)
        seen = self._seen = Observer(request, self._host, self._ledger, self._rederive).observe(
            base, self._now()
        )
        self._read = seen.branch
        messages = Messages(self._texts, self._registry, request, seen.plan)
        template, known = seen.template, seen.pull_request
        performer = Performer(
            goal,
            self._host,
            self._ledger,
            commit_message=lambda: messages.commit(self._host.actor("commit")),
            body=lambda: messages.body(template),
            superseded=messages.superseded,
            merge_message=lambda plan: messages.merge(self._host.actor("commit"), plan),
        )
        rest: Rest | None = None
        while rest is None:
            step = next_step(goal, seen)
            if step in self._taken:
                raise ServiceError(
                    f"GitHub does not show what was just written ({WRITTEN[type(step)]})",
                    hint="look at the pull request, then run again: the bot goes on from what is there",
                )
            match step:
                case Done():
                    rest, seen = self._round(seen)
                    self._seen = seen
                case Refuse(reason, hint, is_said):
                    if not is_said:
                        self._say_stopped(seen, messages, reason)
                    raise Refused(reason, hint=hint)
                case _:
                    self._taken.append(step)
                    seen = self._seen = performer.perform(step, seen)
                    self._written.append(WRITTEN[type(step)])
        # A block in a text of somebody else's is not the bot's to change.
        if known is not None and seen.adopted_from is None:
            self._refresh_body(known, messages, seen.branch)
        return self._outcome(seen, messages, rest)

    def _round(self, seen: Observed) -> tuple[Rest | None, Observed]:
        """Take one step with the results of CI: where there is none to take, say where things rest."""
        if self._rounds is None or seen.pull_request is None:
            return Rest(State.WAITING), seen
        if any(isinstance(step, Approve) for step in self._taken):
            return NOT_BEGUN, seen
        step = self._rounds.next(seen)
        if isinstance(step, Rest):
            return step, seen
        rest, seen = self._rounds.perform(step, seen)
        self._written.append(ROUND_WRITTEN[type(step)])
        return rest, seen

    def _as_it_is(self, seen: Observed, pull: PullRequest) -> BumpOutcome:
        """Return how the bump stands without asking the host for anything more."""
        head = seen.branch.head.sha if seen.branch else pull.head_sha
        asked = approved_by_bot(seen.comments, seen.bot.id, head)
        approval: Approval = "taken" if seen.mirror == head else "asked" if asked else "none"
        return BumpOutcome(seen.plan, pull, head, approval, tuple(self._written), seen.adopted_from)

    def _refresh_body(self, pull: PullRequest, messages: Messages, branch: BranchState | None) -> None:
        body = messages.refreshed(pull.body, lambda limit: self._goldens(pull.body, branch, limit))
        if body.strip() != pull.body.strip():
            self._host.edit_pull_request(pull.number, body)
            self._written.append("description")

    def _goldens(self, body: str, branch: BranchState | None, limit: int) -> str:
        """Return the section about goldens: the one that is there, or a new one where that fits no more."""
        goldens = self._request.recipe.goldens
        if branch is None or goldens is None:
            return ""
        there = summary_of(body.replace("\r\n", "\n"), branch.head.sha)
        if there is not None and len(there) <= limit:
            return there
        if self._read is None or branch.merge_base is None:
            return ""
        done = self._rounds.done if self._rounds else ()
        fresh = {
            path: it for step in done if isinstance(step, CommitRound) for path, it in step.goldens.items()
        }
        pairs = golden_changes(self._host, goldens, self._read, fresh)
        return golden_summary(pairs, goldens, branch.head.sha, limit)

    def _say_stopped(self, seen: Observed, messages: Messages, reason: str) -> None:
        if seen.pull_request and seen.pull_request.state == "open" and seen.branch:
            status = messages.status(sha=seen.branch.head.sha, stopped=reason)
            self._write_status(seen.pull_request, status_comment(seen.comments, seen.bot), status)

    def _outcome(self, seen: Observed, messages: Messages, rest: Rest) -> BumpOutcome:
        if not seen.plan.edits:
            self._say_landed(messages)
        if seen.pull_request is None or seen.branch is None:
            return BumpOutcome(seen.plan, written=tuple(self._written))
        pull, head = seen.pull_request, seen.branch.head.sha
        approval = self._answer(seen, pull, head) if self._request.goal.approval else "none"
        conflicts = conflicting_labels(pull, self._request.track.conflicting_labels)
        adopted = seen.adopted_from
        commits = [it.commit.sha for it in seen.branch.commits]
        report = self._rounds.report(rest, pull.number, commits) if self._rounds else None
        status = messages.status(
            sha=head,
            conflicts=conflicts,
            approval=approval,
            opened_by=adopted.login if adopted else None,
            report=report,
        )
        is_ready = rest.state is State.READY
        self._write_status(pull, status_comment(seen.comments, seen.bot), status, is_ready=is_ready)
        return BumpOutcome(
            seen.plan,
            pull,
            head,
            approval,
            tuple(self._written),
            adopted,
            report,
            conflict_unknown=seen.merge == "unknown",
        )

    def _say_landed(self, messages: Messages) -> None:
        """Tell an open pull request that the base has the release; what else is on it is for people."""
        goal = self._request.goal
        for pull in self._host.pull_requests(goal.branch):
            if (pull.state, pull.base) == ("open", goal.base):
                bot = self._host.actor("comment")
                comments = self._host.comments(pull.number)
                self._write_status(pull, status_comment(comments, bot), messages.landed())

    def _answer(self, seen: Observed, pull: PullRequest, head: str) -> Approval:
        """Look a few times whether copy-pr-bot has moved its branch to the head, then once for its thumbs-up.

        A run of the head would prove nothing more: it begins with that very branch.
        """
        mirror = seen.mirror
        for _ in range(self._patience.looks):
            if mirror == head:
                break
            self._patience.pause()
            mirror = self._host.mirror_head(pull.number)
        if mirror == head:
            return "taken"
        asked = approved_by_bot(seen.comments, seen.bot.id, head)
        if asked and acknowledged(self._host.thumbs_up(asked.id)):
            return "taken"
        return "late" if asked and seen.now - asked.created_at > APPROVAL_DEADLINE else "asked"

    def _write_status(
        self, pull: PullRequest, old: Comment | None, body: str, *, is_ready: bool = False
    ) -> None:
        if write_status(self._host, pull, old, body, is_ready=is_ready):
            self._written.append("status")
