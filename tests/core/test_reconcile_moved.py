"""The next step once the base has moved, or the bump was taken back."""

import pytest

from bot.core.approval import approval_text
from bot.core.host import Gate
from bot.core.merge import MergePlan, NeedsPerson
from bot.core.reconcile import GATE, Approve, CommitEdits, Done, MergeBase, Refuse, SetGate, next_step
from bot.core.undo import undo_subject
from tests.core.bump_world import (
    BASE,
    GOAL,
    GREEN,
    NO_WORK,
    WORK,
    branch,
    comment,
    commit,
    observed,
    pull,
    replace,
    sha,
)

ON_BRANCH = branch(commit(1))
OPEN = pull(labels=GOAL.labels)
MERGE = MergePlan({"pin": b"new"}, {})
BY_HAND = "merge `main` into the branch by hand, and let somebody with write permission vouch for that"


def undone(*after, voucher="ledger", plan=WORK):
    """A branch whose second commit takes the first one back."""
    second = commit(2, voucher)
    second = replace(second, commit=replace(second.commit, subject=undo_subject(GOAL.title)))
    return branch(commit(1), second, *after, plan=plan)


@pytest.mark.parametrize(
    ("seen", "step"),
    [
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=OPEN, merge=MERGE),
            MergeBase(MERGE, ON_BRANCH.head, BASE),
            id="a conflict that can be settled, before the gate",
        ),
        pytest.param(
            observed(branch=branch(commit(1), plan=WORK), pull_request=OPEN, merge=MERGE),
            MergeBase(MERGE, ON_BRANCH.head, BASE),
            id="and before what is left to edit",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=OPEN, merge="unknown"),
            SetGate(sha(1), GREEN),
            id="a conflict that nobody knows yet is none",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=OPEN, merge=NeedsPerson((("a\nb", "why"), ("c", "too")))),
            Refuse(f"`{GOAL.branch}` conflicts with `main`: a b (why), c (too)", BY_HAND),
            id="a conflict for a person",
        ),
        pytest.param(
            observed(branch=undone(), pull_request=OPEN),
            Refuse(
                f"the bump on `{GOAL.branch}` was taken back with `bot undo`",
                "close the pull request, or say `--anyway` to bump again",
                is_said=True,
            ),
            id="taken back",
        ),
        pytest.param(
            observed(branch=undone(commit(3, "vetter", author="ada")), pull_request=OPEN, merge=MERGE),
            Refuse(
                f"the bump on `{GOAL.branch}` was taken back with `bot undo`",
                "close the pull request, or say `--anyway` to bump again",
                is_said=True,
            ),
            id="taken back, and somebody went on",
        ),
        pytest.param(
            observed(branch=undone(voucher="vetter"), pull_request=OPEN),
            CommitEdits(WORK, undone().head, create=False),
            id="a commit of somebody else with such a subject takes nothing back",
        ),
        pytest.param(
            observed(branch=undone(voucher="vetter", plan=NO_WORK), pull_request=OPEN, gate=GREEN),
            Approve(7, sha(2)),
            id="nor does it where the pins are moved",
        ),
        pytest.param(
            observed(branch=undone(commit(3)), pull_request=OPEN),
            CommitEdits(WORK, undone(commit(3)).head, create=False),
            id="taken back, and bumped again",
        ),
    ],
)
def test_the_next_step(seen, step):
    assert next_step(GOAL, seen) == step


def test_a_conflict_in_many_files_names_the_first():
    files = tuple((f"file {n}", "why") for n in range(13))

    step = next_step(GOAL, observed(branch=ON_BRANCH, pull_request=OPEN, merge=NeedsPerson(files)))

    assert isinstance(step, Refuse)
    assert step.reason.endswith("file 9 (why) and 3 more")


def test_a_bump_that_was_taken_back_is_made_again_when_somebody_asks_for_it():
    step = next_step(replace(GOAL, anyway=True), observed(branch=undone(), pull_request=OPEN))

    assert step == CommitEdits(WORK, undone().head, create=False)


def test_a_goal_may_have_a_gate_of_its_own():
    gate = Gate(GATE, passed=False, summary="as before the bump")
    goal = replace(GOAL, gate=gate)
    approved = comment(approval_text(sha(1)))
    seen = observed(branch=ON_BRANCH, pull_request=OPEN, gate=GREEN, comments=(approved,))

    assert next_step(goal, seen) == SetGate(sha(1), gate)
    assert next_step(goal, replace(seen, gate=gate)) == Done()
