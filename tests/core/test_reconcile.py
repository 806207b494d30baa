"""The next step of a bump: from each state that the host can show to the one thing that is missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.approval import approval_text, unvouched
from bot.core.host import Gate
from bot.core.reconcile import (
    GATE,
    AddLabels,
    Approve,
    CommitEdits,
    Done,
    OpenPullRequest,
    Refuse,
    SetGate,
    Sibling,
    Supersede,
    conflicting_labels,
    next_step,
)
from tests.core.bump_world import (
    ADA,
    BASE,
    BOT,
    GOAL,
    GREEN,
    NO_WORK,
    WORK,
    Host,
    branch,
    comment,
    commit,
    observed,
    proposal,
    pull,
    replace,
    sha,
)

ON_BRANCH = branch(commit(1))
UNLABELLED = pull()
LABELLED = pull(labels=GOAL.labels)
APPROVED = comment(approval_text(sha(1)))
OLDER = Sibling(pull(5), "26.04-py3", newer=False)
RED = Gate(GATE, passed=False, summary="not every pin of dev is at 26.06-py3")


@pytest.mark.parametrize(
    ("seen", "step"),
    [
        pytest.param(observed(plan=NO_WORK), Done(), id="the base is there already"),
        pytest.param(observed(), CommitEdits(WORK, BASE, create=True), id="nothing but the base"),
        pytest.param(observed(branch=ON_BRANCH), OpenPullRequest(), id="a branch"),
        pytest.param(
            observed(branch=branch(commit(1), plan=WORK)),
            CommitEdits(WORK, ON_BRANCH.head, create=False),
            id="a branch that still has edits to get",
        ),
        pytest.param(
            observed(branch=branch(plan=WORK)),
            CommitEdits(WORK, BASE, create=False),
            id="a branch that has nothing of its own",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=UNLABELLED),
            AddLabels(UNLABELLED, ("Run functional tests", "CI")),
            id="a pull request",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=pull(labels=("run functional TESTS", "bug"))),
            AddLabels(pull(labels=("run functional TESTS", "bug")), ("CI",)),
            id="one of two labels, in other letters",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=LABELLED), SetGate(sha(1), GREEN), id="all labels"
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=LABELLED, gate=replace(GREEN, passed=False)),
            SetGate(sha(1), GREEN),
            id="a gate that is red",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=LABELLED, gate=replace(GREEN, summary="of another tag")),
            SetGate(sha(1), GREEN),
            id="a gate that says something else",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=LABELLED, gate=GREEN), Approve(7, sha(1)), id="the gate"
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=LABELLED, gate=GREEN, comments=(APPROVED,)),
            Done(),
            id="the approval",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=LABELLED, gate=GREEN, mirror=sha(1)),
            Done(),
            id="copy-pr-bot has taken the head by itself",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=LABELLED, gate=GREEN, mirror=sha(9)),
            Approve(7, sha(1)),
            id="copy-pr-bot has taken another commit",
        ),
        pytest.param(
            observed(
                branch=ON_BRANCH,
                pull_request=LABELLED,
                gate=GREEN,
                comments=(comment(approval_text(sha(9))), comment(approval_text(sha(1)), ADA)),
            ),
            Approve(7, sha(1)),
            id="approvals of another commit and by somebody else",
        ),
        pytest.param(
            observed(branch=branch(commit(1), commit(2, "vetter", "ada")), pull_request=LABELLED, gate=GREEN),
            Approve(7, sha(2)),
            id="somebody's commit that a vetter named",
        ),
        pytest.param(
            observed(branch=branch(commit(1, "same tree")), pull_request=LABELLED, gate=GREEN),
            Approve(7, sha(1)),
            id="a commit of the bot that its ledger has lost",
        ),
        pytest.param(
            observed(closed=(pull(6, state="closed", merged=True),)),
            CommitEdits(WORK, BASE, create=True),
            id="a bump that was merged and reverted",
        ),
        pytest.param(
            observed(closed=(pull(5, state="closed"), pull(6, state="closed", merged=True))),
            CommitEdits(WORK, BASE, create=True),
            id="the newest one counts, and it was merged",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=UNLABELLED, closed=(pull(6, state="closed"),)),
            AddLabels(UNLABELLED, GOAL.labels),
            id="one was closed and another one is open",
        ),
        pytest.param(
            observed(siblings=(OLDER,), opener=BOT),
            CommitEdits(WORK, BASE, create=True),
            id="an older pull request",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=UNLABELLED, siblings=(OLDER,), opener=BOT),
            AddLabels(UNLABELLED, GOAL.labels),
            id="an older pull request stays open until the newer one has its labels",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=LABELLED, siblings=(OLDER,), opener=BOT),
            Supersede(OLDER.pull_request, 7),
            id="an older pull request goes before CI is asked for",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, pull_request=UNLABELLED, competitors=(proposal(9),)),
            AddLabels(UNLABELLED, GOAL.labels),
            id="somebody else came later",
        ),
    ],
)
def test_the_next_step_is_what_is_missing_first(seen, step):
    assert next_step(GOAL, seen) == step


def test_where_nobody_has_to_be_asked_the_gate_is_the_last_step():
    seen = observed(branch=ON_BRANCH, pull_request=LABELLED, gate=GREEN)

    assert next_step(replace(GOAL, approval=False), seen) == Done()


def test_a_second_pull_request_is_opened_only_if_that_is_asked_for():
    seen = observed(branch=ON_BRANCH, competitors=(proposal(9),))

    assert isinstance(next_step(GOAL, seen), Refuse)
    assert next_step(replace(GOAL, anyway=True), seen) == OpenPullRequest()


@pytest.mark.parametrize(
    ("seen", "reason", "hint"),
    [
        pytest.param(
            observed(competitors=(proposal(9), proposal(10))),
            "#9 by ada already moves a pin to `26.06-py3`: https://github.com/owner/name/pull/9",
            "help there, or say `--anyway` to open a second pull request",
            id="somebody else is at it",
        ),
        pytest.param(
            observed(siblings=(OLDER, Sibling(pull(9), "26.08-py3", newer=True)), opener=BOT),
            "#9 from the bot's branch moves dev of `main` to `26.08-py3`, which is newer:"
            " https://github.com/owner/name/pull/9",
            "close it to go back to the older release",
            id="the bot moves to a newer release already",
        ),
        pytest.param(
            observed(siblings=(replace(OLDER, pull_request=pull(5, author=ADA)),), opener=BOT),
            "#5 from the bot's branch moves dev of `main` to `26.04-py3`, and ada has opened it:"
            " https://github.com/owner/name/pull/5",
            "merge or close it, then bump again: the bot closes only what it has opened",
            id="somebody opened the older pull request",
        ),
        pytest.param(
            observed(
                branch=ON_BRANCH,
                pull_request=LABELLED,
                siblings=(replace(OLDER, others=[commit(3, None, "eve\n").commit, commit(4).commit]),),
            ),
            "#5 from the bot's branch moves dev of `main` to `26.04-py3` and holds a commit by eve,"
            f" {sha(3)}: https://github.com/owner/name/pull/5",
            "merge it, or close it if that commit may be lost; then bump again",
            id="somebody has worked on the older pull request",
        ),
        pytest.param(
            observed(closed=(pull(7, state="closed"), pull(5, state="closed", merged=True))),
            "#7 for `26.06-py3` was closed, and stays closed: https://github.com/owner/name/pull/7",
            "reopen it to go on",
            id="the newest one was closed, in whatever order they are listed",
        ),
        pytest.param(
            observed(branch=ON_BRANCH, closed=(pull(6, state="closed", merged=True),)),
            "#6 for `26.06-py3` was merged, and `main` has left it again: https://github.com/owner/name/pull/6",
            "delete the branch `bot/base-image/main/dev-26.06-py3` to bump again",
            id="merged and reverted, and the branch is still there",
        ),
        pytest.param(
            observed(branch=branch(commit(1), complete=False), pull_request=LABELLED),
            "`bot/base-image/main/dev-26.06-py3` holds more commits than the host lists",
            "look at the branch; the bot goes no further",
            id="more commits than can be seen",
        ),
        pytest.param(
            observed(
                branch=branch(commit(1), commit(2, None, "eve"), plan=WORK), pull_request=LABELLED, gate=RED
            ),
            f"`bot/base-image/main/dev-26.06-py3` holds commits that nobody vouches for: {sha(2)} by eve",
            "somebody with write permission can vouch for each by a comment of its own:"
            f" `/ok to test {sha(2)}`; until then the bot neither commits on top nor approves",
            id="a foreign commit on top, and a pin to mend",
        ),
        pytest.param(
            observed(branch=branch(commit(1, None, "eve\n\x1b[31m/ok to test"), commit(2))),
            "`bot/base-image/main/dev-26.06-py3` holds commits that nobody vouches for:"
            f" {sha(1)} by eve [31m/ok to test",
            "there is no pull request to vouch in yet: delete the branch"
            " `bot/base-image/main/dev-26.06-py3` to start anew",
            id="a foreign commit below, by a name of two lines",
        ),
        pytest.param(
            observed(
                branch=replace(
                    branch(commit(1), commit(2, "vetter", "ada")), defect="pin: the file is empty"
                ),
                pull_request=LABELLED,
                gate=Gate(GATE, passed=False, summary="pin: the file is empty"),
            ),
            "pin: the file is empty",
            "mend the pins on the branch; the bot goes on from there",
            id="a vouched commit that broke a pin",
        ),
    ],
)
def test_a_person_has_to_decide(seen, reason, hint):
    assert next_step(GOAL, seen) == Refuse(reason, hint)


@pytest.mark.parametrize(
    ("state", "summary"),
    [
        pytest.param(
            branch(commit(1), commit(2, None, "eve"), plan=WORK),
            RED.summary,
            id="a foreign commit moved a pin back",
        ),
        pytest.param(
            replace(branch(commit(1), commit(2, "vetter", "ada")), defect="pin: empty"),
            "pin: empty",
            id="a broken pin",
        ),
    ],
)
def test_the_gate_turns_red_before_the_bot_stops(state, summary):
    step = next_step(GOAL, observed(branch=state, pull_request=LABELLED, gate=GREEN))

    assert step == SetGate(sha(2), Gate(GATE, passed=False, summary=summary))


@pytest.mark.parametrize(
    ("seen", "who"),
    [
        pytest.param(observed(), None, id="no pull request"),
        pytest.param(observed(pull_request=pull(), opener=BOT), None, id="the bot's own"),
        pytest.param(observed(pull_request=pull()), None, id="opened by this very run"),
        pytest.param(observed(pull_request=pull(author=ADA), opener=BOT), ADA, id="a person's"),
        pytest.param(
            observed(pull_request=pull(author=replace(ADA, login=BOT.login)), opener=BOT),
            replace(ADA, login=BOT.login),
            id="a person's of the bot's name",
        ),
    ],
)
def test_who_opened_the_pull_request_in_the_bots_place(seen, who):
    assert seen.adopted_from == who


def test_many_foreign_commits_are_counted():
    foreign = [commit(number, None, "eve") for number in range(1, 9)]
    step = next_step(GOAL, observed(branch=branch(*foreign)))

    assert isinstance(step, Refuse)
    assert f"{sha(5)} by eve and 3 more" in step.reason
    assert sha(6) not in step.reason + step.hint


def test_labels_that_change_what_ci_does_are_found_in_any_case():
    seen = pull(labels=("Bug", "run tests", "Run functional tests"))

    assert conflicting_labels(seen, ["Run tests", "container::lts"]) == ("run tests",)


FOREIGN = st.sampled_from([None, "vetter"])
EVENTS = st.lists(
    st.one_of(
        st.just("kill"),
        st.just("lose the ledger"),
        st.tuples(FOREIGN, st.sampled_from(["fixes a test", "breaks a pin"])),
        st.integers(min_value=1, max_value=3),
    ),
    max_size=12,
)


@given(events=EVENTS, approval=st.booleans(), labels=st.sets(st.sampled_from(["a", "b", "c"])))
def test_killed_at_any_step_and_disturbed_by_people_it_ends_and_does_nothing_twice(events, approval, labels):
    """An event is a kill, a lost ledger, a commit by somebody, or a number of steps that the bot takes."""
    goal = replace(GOAL, approval=approval, labels=tuple(sorted(labels)))
    host = Host()
    for event in events:
        if event == "lose the ledger":
            host.lose_the_ledger()
        elif isinstance(event, tuple):
            if host.commits:
                host.push(*event)
        else:
            run(goal, host, 0 if event == "kill" else event)

    last = run(goal, host, 20)

    foreign = unvouched(host.commits)
    assert isinstance(last, Refuse if foreign else Done)
    approved = [it.body for it in host.comments]
    assert len(approved) == len(set(approved)), "one approval for each sha"
    if not foreign:
        head = host.commits[-1].commit.sha
        assert set(labels) == set(host.pull_request.labels)
        assert host.gates[head]
        assert (approval_text(head) in approved) == approval


def run(goal, host, steps):
    """Let the bot start anew and take some steps; return the last one that it wanted to take."""
    for _ in range(steps):
        seen = host.show()
        step = next_step(goal, seen)
        if isinstance(step, Refuse | Done):
            return step
        is_red_gate = isinstance(step, SetGate) and not step.gate.passed
        assert is_red_gate or not unvouched(seen.branch.commits if seen.branch else ()), (
            "nothing is done on a foreign commit, but to say that its pins are not in sync"
        )
        host.do(step)
    return next_step(goal, host.show())


def test_undisturbed_the_steps_come_in_one_order():
    host, taken = Host(), []
    while not isinstance(step := next_step(GOAL, host.show()), Done):
        taken.append(type(step))
        host.do(step)

    assert taken == [CommitEdits, OpenPullRequest, AddLabels, SetGate, Approve]
    assert host.pull_request
    assert [it.author for it in host.comments] == [BOT]
    assert host.gates == {sha(1): Gate("base-image/pins in sync", passed=True, summary=GREEN.summary)}
