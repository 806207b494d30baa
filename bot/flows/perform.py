"""The interpreter of steps: a few port calls each, and what the host shows afterwards."""

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from bot.core.approval import VouchedCommit, approval_text, approved_by_bot
from bot.core.errors import Refused
from bot.core.host import Commit, Head
from bot.core.reconcile import (
    Action,
    AddLabels,
    Approve,
    BranchState,
    CommitEdits,
    Goal,
    Observed,
    OpenPullRequest,
    SetGate,
    Supersede,
)
from bot.flows.messages import SUPERSEDED_MARKER
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
    ) -> None:
        self._goal = goal
        self._host = host
        self._ledger = ledger
        self._message = commit_message
        self._body = body
        self._superseded = superseded

    def perform(self, step: Action, seen: Observed) -> Observed:
        """Do `step` and return what is there then. Raises what the port raises."""
        match step:
            case CommitEdits():
                return self._commit(step, seen)
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
        host, goal, parent = self._host, self._goal, step.parent
        tree = host.write_tree(parent.tree, step.plan.files)
        sha = host.write_commit(tree, parent.sha, self._message())
        # Before any branch points to it: what a branch shows later is the bot's only if it is recorded.
        self._ledger.created_commit(host.push_repository, sha, goal.branch)
        if step.create:
            host.create_branch(goal.branch, sha)
        else:
            host.advance_branch(goal.branch, sha)
        made = VouchedCommit(Commit(sha, tree, (parent.sha,), author="", subject=goal.title), "ledger")
        before = seen.branch.commits if seen.branch else ()
        moved = replace(step.plan, edits=())
        return replace(
            seen, branch=BranchState(Head(sha, tree), (*before, made), moved, is_new=step.create), gate=None
        )

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
