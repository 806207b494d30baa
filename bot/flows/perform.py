"""The interpreter of steps: a few port calls each, and what the host shows afterwards."""

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from bot.core.approval import approval_text, approved_by_bot
from bot.core.errors import Refused
from bot.core.host import Head
from bot.core.merge import MergePlan
from bot.core.reconcile import (
    Action,
    AddLabels,
    Approve,
    BranchState,
    CommitEdits,
    Goal,
    MergeBase,
    Observed,
    OpenPullRequest,
    SetGate,
    Supersede,
)
from bot.flows.messages import SUPERSEDED_MARKER
from bot.flows.record import record_commit
from bot.ports import CodeHost, Ledger


class Performer:
    """Does one step at a time; nothing is done twice when the whole bump is run again after a kill."""

    def __init__(
        self,
        goal: Goal,
        host: CodeHost,
        ledger: Ledger,
        *,
        commit_message: Callable[[], str],
        body: Callable[[], str],
        superseded: Callable[[int], str],
        merge_message: Callable[[MergePlan], str],
    ) -> None:
        self._goal = goal
        self._host = host
        self._ledger = ledger
        self._message = commit_message
        self._body = body
        self._superseded = superseded
        self._merge_message = merge_message

    def perform(self, step: Action, seen: Observed) -> Observed:
        """Do `step` and return what is there then. Raises what the port raises."""
        match step:
            case CommitEdits() | MergeBase():
                return self._commit(step, seen) if isinstance(step, CommitEdits) else self._merge(step, seen)
            case OpenPullRequest():
                goal = self._goal
                opened = self._host.open_pull_request(goal.branch, goal.base, goal.title, self._body())
                return replace(seen, pull_request=opened)
            case AddLabels(pull, labels):
                self._host.add_labels(pull.number, labels)
                return replace(seen, pull_request=replace(pull, labels=(*pull.labels, *labels)))
            case Supersede():
                return self._supersede(step, seen)
            case SetGate(sha, gate):
                self._host.set_gate(sha, gate)
                return replace(seen, gate=gate)
            case Approve():
                return self._approve(step, seen)
            case _:
                assert_never(step)

    def _commit(self, step: CommitEdits, seen: Observed) -> Observed:
        parent = step.parent
        tree = self._host.write_tree(parent.tree, step.plan.files)
        made = record_commit(
            self._host,
            self._ledger,
            self._goal.branch,
            tree=tree,
            parent=parent.sha,
            message=self._message(),
            create=step.create,
        )
        before = seen.branch.commits if seen.branch else ()
        moved = replace(step.plan, edits=())
        branch = BranchState(Head(made.commit.sha, tree), (*before, made), moved, is_new=step.create)
        return replace(seen, branch=branch, gate=None)

    def _merge(self, step: MergeBase, seen: Observed) -> Observed:
        plan, branch = step.plan, seen.branch
        tree = self._host.write_tree(step.base.tree, plan.texts, plan.nodes)
        made = record_commit(
            self._host,
            self._ledger,
            self._goal.branch,
            tree=tree,
            parent=step.parent.sha,
            message=self._merge_message(plan),
            merged=step.base.sha,
        )
        before, left = (branch.commits, branch.plan.edits) if branch else ((), ())
        # A pin file of the branch that the base left alone may still lack its edit.
        still = replace(seen.plan, edits=tuple(edit for edit in left if edit.path in plan.nodes))
        branch = BranchState(Head(made.commit.sha, tree), (*before, made), still)
        return replace(seen, branch=branch, gate=None, merge=None)

    def _supersede(self, step: Supersede, seen: Observed) -> Observed:
        older = step.older.number
        comments = self._host.comments(older)
        # Killed between the comment and the end, the bot does not say it twice.
        if not any(it.author.id == seen.bot.id and it.body.startswith(SUPERSEDED_MARKER) for it in comments):
            self._host.write_comment(older, self._superseded(step.number))
        self._host.close_pull_request(older)
        return replace(seen, siblings=tuple(it for it in seen.siblings if it.pull_request != step.older))

    def _approve(self, step: Approve, seen: Observed) -> Observed:
        # Somebody may have pushed since the branch was read; the approval would then carry their commit.
        head = self._host.bot_head(self._goal.branch)
        if head != step.sha:
            raise Refused(
                f"`{self._goal.branch}` moved from {step.sha} to {head} meanwhile; nothing was approved",
                hint="run the command again",
            )
        # Another bot may have been faster: a commit is approved once.
        comments = self._host.comments(step.number)
        if approved_by_bot(comments, seen.bot.id, step.sha):
            return replace(seen, comments=comments)
        comment = self._host.write_comment(step.number, approval_text(step.sha))
        return replace(seen, comments=(*comments, comment))
