"""A bump taken back: by a commit on its branch while it is open, by a pull request once it is merged."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.core.errors import Refused
from bot.core.host import PullRequest
from bot.core.recipe import BumpRecipe
from bot.core.reconcile import GATE, BranchState, Observed, refuse_foreign
from bot.core.undo import plan_undo, undo_subject
from bot.flows.record import record_commit
from bot.flows.status import status_comment, write_status
from bot.flows.undo_merged import UndoMerged
from bot.flows.undo_messages import UndoMessages
from bot.flows.undo_subject import Finder, Subject
from bot.ports import CodeHost, Ledger, Texts


@dataclass(frozen=True, slots=True)
class UndoOutcome:
    """The pull request that takes the bump back, its own while that is open; None where nothing was to do.

    `restored` are the paths that get their old bytes back, `written` is whether this run wrote anything.
    """

    pull_request: PullRequest | None
    sha: str | None
    restored: tuple[str, ...] = ()
    written: bool = False


class Undo:
    """One undoing; run twice it is done once. `now` is the clock, `why` what a person said.

    With `base` the pull request has to be onto that branch.
    """

    def __init__(
        self,
        recipe: BumpRecipe,
        number: int,
        host: CodeHost,
        ledger: Ledger,
        *,
        texts: Texts,
        now: Callable[[], datetime],
        why: str = "",
        base: str | None = None,
    ) -> None:
        self._recipe = recipe
        self._number = number
        self._host = host
        self._ledger = ledger
        self._texts = texts
        self._now = now
        self._why = why
        self._base = base

    def run(self) -> UndoOutcome:
        """Take the bump back, and return what was put back.

        Raises Refused when a person has to decide (ChangedSince with the list of files where others have
        changed them); nothing is written then.
        """
        subject = Finder(self._recipe, self._host, self._ledger).find(self._number)
        if self._base not in {None, subject.pull.base}:
            raise Refused(f"#{self._number} is onto `{subject.pull.base}`, not `{self._base}`")
        messages = UndoMessages(self._texts, subject, self._why)
        if subject.pull.state == "open":
            return self._on_branch(subject, messages)
        merged = UndoMerged(subject, messages, self._host, self._ledger, self._now())
        back = merged.back
        if not back:
            return UndoOutcome(None, None)
        seen, steps = merged.run()
        head = seen.branch.head.sha if seen.branch else None
        return UndoOutcome(seen.pull_request, head, tuple(back), written=steps > 0)

    def _on_branch(self, subject: Subject, messages: UndoMessages) -> UndoOutcome:
        """Put the bot's files back on the branch. Nothing of the bot is left to test then: no approval."""
        host, pull = self._host, subject.pull
        self._refuse_foreign(subject)
        back = plan_undo(subject.changes, ours=subject.ours, others=subject.others)
        head = subject.head.sha
        if back:
            tree = host.write_tree(subject.head.tree, {}, back)
            message = messages.commit(
                host.actor("commit"), undo_subject(subject.request.goal.title), tuple(back)
            )
            branch = pull.head_branch
            made = record_commit(host, self._ledger, branch, tree=tree, parent=head, message=message)
            head = made.commit.sha
        gate = subject.gate
        gated = not back and host.gate(head, GATE) == gate
        if not gated:
            host.set_gate(head, gate)
        old = status_comment(host.comments(pull.number), host.actor("comment"))
        told = write_status(host, pull, old, messages.undone())
        return UndoOutcome(pull, head, tuple(back), written=told or not gated)

    def _refuse_foreign(self, subject: Subject) -> None:
        plan = subject.plan(())
        state = BranchState(subject.head, subject.commits, plan)
        seen = Observed(
            subject.before, plan, self._host.actor("comment"), self._now(), pull_request=subject.pull
        )
        refusal = refuse_foreign(subject.request.goal, seen, state)
        if refusal:
            raise Refused(refusal.reason, hint=refusal.hint)
