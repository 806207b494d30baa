"""A bump as the host shows it: states by hand, and a host that does what it is asked and is read anew."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from bot.core.approval import VouchedCommit, Voucher, approval_text
from bot.core.edits import FileEdit
from bot.core.host import Actor, Comment, Commit, Gate, Head, Proposal, PullRequest
from bot.core.image import ImageRef
from bot.core.plan import Plan
from bot.core.reconcile import (
    GATE,
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

NOW = datetime(2026, 6, 1, tzinfo=UTC)
BOT, ADA = Actor(1, "bump-bot"), Actor(2, "ada")
OLD, NEW = (ImageRef("nvcr.io", "nvidia/pytorch", tag) for tag in ("26.04-py3", "26.06-py3"))
WORK = Plan("dev", OLD, NEW, (FileEdit("pin", "old", "new", (1,)),))
NO_WORK = Plan("dev", NEW, NEW, ())
BASE = Head("b" * 40, "base tree")
GOAL = Goal(
    repository="owner/name",
    base="main",
    track="dev",
    tag="26.06-py3",
    branch="bot/base-image/main/dev-26.06-py3",
    title="move to 26.06-py3",
    labels=("Run functional tests", "CI"),
    approval=True,
)
GREEN = Gate(GATE, passed=True, summary="every pin of dev is at 26.06-py3")


def sha(number):
    return f"{number:040x}"


def commit(number, voucher: Voucher | None = "ledger", author="bump-bot"):
    parent = sha(number - 1) if number > 1 else BASE.sha
    return VouchedCommit(Commit(sha(number), f"tree {number}", (parent,), author, "move"), voucher)


def branch(*commits, plan=NO_WORK, complete=True):
    head = commits[-1].commit if commits else None
    return BranchState(Head(head.sha, head.tree) if head else BASE, commits, plan, complete)


def pull(number=7, **changed):
    opened = PullRequest(
        number=number,
        url=f"https://github.com/owner/name/pull/{number}",
        title=GOAL.title,
        body="",
        state="open",
        merged=False,
        draft=True,
        author=BOT,
        base="main",
        head_branch=GOAL.branch,
        head_sha=sha(1),
        head_repository="owner/name",
    )
    return replace(opened, **changed)


def proposal(number=7, **changed):
    listed = Proposal(
        number=number,
        url=f"https://github.com/owner/name/pull/{number}",
        title="Move",
        author="ada",
        head_branch=GOAL.branch,
        head_sha=sha(1),
        head_repository="owner/name",
        files={},
    )
    return replace(listed, **changed)


def comment(body, author=BOT, number=1):
    return Comment(number, author, body, NOW)


def observed(**changed):
    return replace(Observed(BASE, WORK, BOT, NOW), **changed)


@dataclass
class Host:
    """Does steps and shows what is there then; what it cannot show, such as the ledger, may be lost."""

    commits: list[VouchedCommit] = field(default_factory=list)
    pull_request: PullRequest | None = None
    comments: list[Comment] = field(default_factory=list)
    gates: dict[str, Gate] = field(default_factory=dict)
    mirror: str | None = None

    def show(self) -> Observed:
        """Return the state as an observer would gather it; the newest commit carries all edits."""
        there = branch(*self.commits, plan=self._plan()) if self.commits else None
        gate = self.gates.get(there.head.sha) if there else None
        return observed(
            branch=there,
            pull_request=self.pull_request,
            comments=tuple(self.comments),
            gate=gate,
            mirror=self.mirror,
        )

    def _plan(self) -> Plan:
        return WORK if self.commits[-1].commit.subject == "breaks a pin" else NO_WORK

    def push(self, voucher: Voucher | None, subject="fixes a test") -> None:
        """Somebody pushes a commit; `voucher` says whether a vetter has named it."""
        made = commit(len(self.commits) + 1, voucher, author="ada")
        self.commits.append(replace(made, commit=replace(made.commit, subject=subject)))

    def lose_the_ledger(self) -> None:
        """What the bot made is known only by its tree from now on."""
        self.commits = [
            replace(it, voucher="same tree") if it.voucher == "ledger" else it for it in self.commits
        ]

    def do(self, step: Action) -> None:
        """Do a step, and refuse what no host would do twice."""
        match step:
            case CommitEdits(_, parent, create):
                assert create == (not self.commits), "a branch is made once"
                assert parent.sha == (self.commits[-1].commit.sha if self.commits else BASE.sha)
                self.commits.append(commit(len(self.commits) + 1))
            case OpenPullRequest():
                assert self.pull_request is None, "a pull request is opened once"
                self.pull_request = pull()
            case AddLabels(there, labels):
                assert not set(labels) & set(there.labels), "a label is added once"
                self.pull_request = replace(there, labels=(*there.labels, *labels))
            case SetGate(at, gate):
                assert self.gates.get(at) != gate, "a gate is set once"
                self.gates[at] = gate
            case Supersede():
                raise AssertionError("there is one pull request")
            case Approve(_, approved):
                self.comments.append(comment(approval_text(approved), number=len(self.comments) + 1))
