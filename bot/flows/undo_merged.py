"""A merged bump taken back: a branch from the base's head and one draft pull request, step by step."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from bot.core.approval import VouchedCommit
from bot.core.edits import FileEdit
from bot.core.errors import Refused, ServiceError
from bot.core.host import CommitRange, Head, Node
from bot.core.reconcile import (
    GATE,
    Action,
    BranchState,
    CommitEdits,
    Done,
    Goal,
    Observed,
    Refuse,
    next_step,
)
from bot.core.undo import plan_undo, undo_branch, undo_subject
from bot.flows.perform import Performer
from bot.flows.record import record_commit
from bot.flows.undo_messages import UndoMessages
from bot.flows.undo_subject import Subject
from bot.flows.vouch import Vouching
from bot.ports import CodeHost, Ledger


class UndoMerged:
    """The steps of a bump, with a commit that puts files back in place of one that edits pins."""

    def __init__(
        self, subject: Subject, messages: UndoMessages, host: CodeHost, ledger: Ledger, now: datetime
    ) -> None:
        self._subject = subject
        self._messages = messages
        self._host = host
        self._ledger = ledger
        self._now = now

    @cached_property
    def _base(self) -> Head:
        branch = self._subject.pull.base
        base = self._host.base_head(branch)
        if base is None:
            raise Refused(f"{self._host.repository} has no branch `{branch}` any more")
        return base

    @cached_property
    def back(self) -> Mapping[str, Node | None]:
        """What to put back at each path of the base; empty where the base has all of it already."""
        subject = self._subject
        now = self._host.nodes(self._base.tree, tuple(subject.changes))
        return plan_undo(subject.changes, ours=subject.ours, others=subject.others, now=now)

    @cached_property
    def _goal(self) -> Goal:
        pull, goal = self._subject.pull, self._subject.request.goal
        return replace(
            goal,
            branch=undo_branch(pull.base, self._subject.bump),
            title=undo_subject(goal.title),
            gate=self._subject.gate,
        )

    def run(self) -> tuple[Observed, int]:
        """Take the steps that are left, and return what is there then and how many steps were taken."""
        template, seen = self._observe()
        performer = Performer(
            self._goal,
            self._host,
            self._ledger,
            commit_message=str,
            body=lambda: self._messages.body(tuple(self.back), template),
            merge_message=str,
            superseded=str,
        )
        taken: list[Action] = []
        while True:
            step = next_step(self._goal, seen)
            if step in taken:
                raise ServiceError("GitHub does not show what was just written", hint="run the command again")
            match step:
                case Done():
                    return seen, len(taken)
                case Refuse(reason, hint):
                    raise Refused(reason, hint=hint)
                case CommitEdits(_, parent):
                    seen = self._commit(seen, parent)
                case _:
                    seen = performer.perform(step, seen)
            taken.append(step)

    def _commit(self, seen: Observed, parent: Head) -> Observed:
        goal = self._goal
        made = record_commit(
            self._host,
            self._ledger,
            goal.branch,
            tree=self._host.write_tree(parent.tree, {}, self.back),
            parent=parent.sha,
            message=self._messages.commit(self._host.actor("commit"), goal.title, tuple(self.back)),
            create=True,
        )
        head = Head(made.commit.sha, made.commit.tree)
        branch = BranchState(head, (made,), self._subject.plan(()), is_new=True)
        return replace(seen, branch=branch, gate=None)

    def _observe(self) -> tuple[str, Observed]:
        host, goal, path = self._host, self._goal, self._subject.request.recipe.pull_requests.template
        template = (host.read(self._base.sha, [path])[path] if path else None) or b""
        pulls = [it for it in host.pull_requests(goal.branch) if it.base == goal.base]
        opened = next((it for it in pulls if it.state == "open"), None)
        # The steps ask of a plan only whether it has edits: the bytes come from objects that are there.
        edits = tuple(FileEdit(path, "", "", ()) for path in self.back)
        seen = Observed(
            self._base,
            self._subject.plan(edits),
            host.actor("comment"),
            self._now,
            pull_request=opened,
            closed=tuple(it for it in pulls if it.state == "closed"),
            comments=host.comments(opened.number) if opened else (),
            mirror=host.mirror_head(opened.number) if opened and goal.approval else None,
        )
        return template.decode(errors="replace"), self._with_branch(seen)

    def _with_branch(self, seen: Observed) -> Observed:
        sha = self._host.bot_head(self._goal.branch)
        if sha is None:
            return seen
        found = self._host.commits(self._goal.base, sha)
        commits = self._vouched(found, seen)
        tree = found.commits[-1].tree if found.commits else found.merge_base.tree
        state = BranchState(Head(sha, tree), commits, self._subject.plan(()), complete=found.complete)
        return replace(seen, branch=state, gate=self._host.gate(sha, GATE))

    def _vouched(self, found: CommitRange, seen: Observed) -> tuple[VouchedCommit, ...]:
        request = self._subject.request
        vouching = Vouching(request, self._host, self._ledger)
        commits = vouching.of(found, self._goal.branch, request.target.image, seen.comments)
        first = next((it for it in commits if it.voucher is None), None)
        if first is None or first.commit.parents != (found.merge_base.sha,):
            return commits
        if self._host.tree_id(found.merge_base.tree, {}, self.back) != first.commit.tree:
            return commits
        return tuple(replace(it, voucher="same tree") if it is first else it for it in commits)
