"""Everything that may go wrong in one bump at once, and the one remedy that each failure gets."""

import pytest

from bot.core.rounds import State
from bot.lab.megatron_artifacts import scaled, truncated
from bot.lab.megatron_matrix import select
from bot.lab.megatron_tests import Outcome
from tests.scenarios.conftest import BRANCH, REPOSITORY
from tests.scenarios.round_story import (
    BOTH,
    GOLDEN,
    MORE,
    NEAR,
    OF_BOTH,
    OLD,
    ON_H100,
    TAKEN_OUT,
    add_tests,
    approvals,
    changed,
    ci,
    run_in_merge_queue,
    subjects,
    tracking_issues,
)

__all__ = ["ci"]

NAMES = ("far", "hanging", "slow", "full", "flaky", "lost", "old_trouble")
FAR, LOST = scaled(OLD[GOLDEN], {"lm loss": 1.2}), scaled(OLD[GOLDEN], {"lm loss": 1.000_03})
NEAR_BOTH = scaled(OLD[OF_BOTH["dgx_h100"]], {"lm loss": 1.000_01})
REFRESHED = "chore: Refresh golden values for 26.06-py3, round {}"


@pytest.fixture
def goldens(story, ci):
    found = add_tests(story, NAMES)
    ci.goes(ON_H100, Outcome("drift", NEAR))
    ci.goes(f"{BOTH}@dgx_h100", Outcome("drift", NEAR_BOTH))
    outcomes = {
        "far": [Outcome("large-drift", FAR)],
        "hanging": [Outcome("hang")],
        "slow": [Outcome("over-budget")],
        "full": [Outcome("oom", truncated(OLD[GOLDEN], 3))],
        "flaky": [Outcome("nccl"), Outcome()],
        "lost": [Outcome("drift", LOST)],
        "old_trouble": [Outcome("oom", on_base=True)],
    }
    for name, outcome in outcomes.items():
        ci.goes(f"gpt/{name}@dgx_h100", *outcome)
    run_in_merge_queue(ci)
    return found


def kinds(report) -> dict[str, str]:
    return {it.subject.test: str(kind) for kind, tests in report.judged for it in tests}


def finish_without(ci, lost: str) -> None:
    for artifact in ci.finish().artifacts:
        if f"-{lost}-" in artifact.name:
            artifact.expired = True


def settle(story):
    """Run the bot until it writes nothing any more, which is soon; return the last report."""
    outcomes = [story.bump() for _ in range(3)]
    assert outcomes[-1].written == ()
    return outcomes[-1].report


def test_each_failure_gets_its_one_remedy_and_a_second_pass_changes_nothing(story, ci, goldens):
    bucket = select(OLD, "unit-tests", "dgx_h100")[0].name
    ci.script.unit_failures = {bucket: ["tests/unit_tests/a/test_x.py::test_y"]}
    settle(story)
    ci.finish()

    # No functional test has run: there is nothing to remedy until the unit tests pass.
    report = settle(story)
    assert report.state is State.ASKING
    assert report.sentences[0] == "no functional test ran, because unit tests failed"
    assert (subjects(story), changed(story)) == ([], set())

    ci.script.unit_failures = {}
    fix = story.lab.world.push(REPOSITORY, BRANCH, {"megatron/core/x.py": "fixed\n"}, author="maintainer")
    story.lab.world.comment(REPOSITORY, 1, "maintainer", f"/ok to test {fix}")
    settle(story)
    finish_without(ci, "lost")

    # First round: what drifted alone, on its own platform; all others wait.
    settle(story)
    assert changed(story) == {GOLDEN, OF_BOTH["dgx_h100"]}
    assert subjects(story)[1:] == [REFRESHED.format(1)]
    assert tracking_issues(story) == []

    # Second round: what hung again leaves the gate, and the lost artifact is there this time.
    ci.finish()
    settle(story)
    assert changed(story) == {GOLDEN, OF_BOTH["dgx_h100"], goldens["lost"], MORE}
    assert subjects(story)[2:] == [REFRESHED.format(2), TAKEN_OUT.format(2)]
    [issue] = tracking_issues(story)
    assert "hanging" in issue.title

    # No commit is due any more: what was bad luck runs once more.
    ci.finish()
    assert story.bump().written[0] == "another try"
    ci.finish()
    report = settle(story)
    assert report.state is State.ASKING
    assert kinds(report) == {
        "far": "large-drift",
        "slow": "over-budget",
        "full": "oom",
        "old_trouble": "broken-on-base",
    }
    assert len(subjects(story)) == 4
    assert len(tracking_issues(story)) == 1
    files = story.lab.world.files(REPOSITORY, BRANCH)
    assert (files[GOLDEN], files[OF_BOTH["dgx_h100"]], files[goldens["lost"]]) == (NEAR, NEAR_BOTH, LOST)
    assert ci.runs[-1].attempt == 2
    assert len(approvals(story)) == len(set(approvals(story)))


def test_a_lost_artifact_is_asked_about_and_never_refreshed(story, ci):
    ci.goes(ON_H100, Outcome("drift", NEAR))
    story.bump()
    finish_without(ci, "gpt_small_tp1_pp4_resume")

    report = settle(story)

    assert report.state is State.ASKING
    assert any("its artifact has expired" in line for line in report.sentences)
    assert changed(story) == set()


def test_over_budget_is_never_taken_out_by_the_bot_alone(story, ci):
    ci.goes(ON_H100, Outcome("over-budget"))
    ci.goes(f"{BOTH}@dgx_h100", Outcome("drift", NEAR_BOTH))
    story.bump()
    ci.finish()
    story.bump()
    ci.finish()

    report = settle(story)

    assert any("give it fewer repeats" in line for line in report.sentences)
    assert changed(story) == {OF_BOTH["dgx_h100"]}
    assert tracking_issues(story) == []


def test_so_many_hangs_are_one_issue_and_nothing_leaves_the_gate(story, ci):
    names = [f"hangs_{number}" for number in range(25)]
    add_tests(story, names)
    for name in names:
        ci.goes(f"gpt/{name}@dgx_h100", Outcome("hang"))
    ci.goes(ON_H100, Outcome("drift", NEAR))
    story.bump()
    ci.finish()

    first = story.bump()

    assert first.written[0] == "issue about the image"
    report = settle(story)
    [issue] = tracking_issues(story)
    assert issue.title == "Bad image: nvcr.io/nvidia/pytorch:26.06-py3"
    assert all(f"`gpt/{name}`" in issue.body for name in names)
    assert str(ci.runs[-1].id) in issue.body
    assert report.sentences == (
        "25 tests hang, more than 20: the image is at fault",
        f"no test is taken out for that: #{issue.number}",
    )
    assert report.sentences == first.report.sentences
    assert (subjects(story), changed(story)) == ([], set())
    assert len(approvals(story)) == 1

    # Closed by a person, it stays closed; another attempt opens no other.
    story.lab.world.close(REPOSITORY, issue.number)
    ci.world.rerun_failed(ci.runs[-1])
    ci.finish()
    settle(story)
    assert tracking_issues(story) == [issue]
    assert issue.state == "closed"
