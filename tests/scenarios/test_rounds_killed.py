"""A round that refreshes and takes out, killed at each of its requests and started again."""

import re

import pytest

from bot.core.rounds import Words
from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_tests import Outcome
from tests.judges.kill import Killed, killed, writes
from tests.scenarios.conftest import BRANCH, REPOSITORY
from tests.scenarios.round_story import (
    BOTH,
    OF_BOTH,
    OLD,
    ON_H100,
    RESUME,
    TAKEN_OUT,
    approvals,
    changed,
    ci,
    subjects,
    tracking_issues,
)

__all__ = ["ci"]

NEAR_BOTH = scaled(OLD[OF_BOTH["dgx_h100"]], {"lm loss": 1.000_01})
RECIPE = "tests/test_utils/recipes/h100/gpt.yaml"
OUT = Words(quarantine=[RESUME])
REFRESHED = "chore: Refresh golden values for 26.06-py3, round 1"
WRITES = 11
"""Requests of the round that write. A kill at one that reads is a kill before the next one that writes."""


@pytest.fixture
def red(story, ci):
    """A pull request whose run has ended: one test drifts, one is to leave the gate."""
    ci.goes(ON_H100, Outcome("oom"))
    ci.goes(f"{BOTH}@dgx_h100", Outcome("drift", NEAR_BOTH))
    story.bump()
    ci.finish()
    return story


def commits(story) -> list[str]:
    repository = story.lab.world.repository(REPOSITORY)
    return list(repository.git.commits(repository.branch(BRANCH), f"^{repository.branch('main')}"))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", range(1, WRITES + 1))
def test_killed_at_any_write_and_started_again_the_round_is_whole_and_there_once(red, number, when):
    with pytest.raises(Killed), killed(number, when, writes):
        red.bump(words=OUT)

    red.bump(words=OUT)

    assert subjects(red) == [REFRESHED, TAKEN_OUT.format(1)]
    assert changed(red) == {OF_BOTH["dgx_h100"], RECIPE}
    assert red.lab.world.files(REPOSITORY, BRANCH)[OF_BOTH["dgx_h100"]] == NEAR_BOTH
    first, _, last = commits(red)
    assert approvals(red) == [f"/ok to test {first}", f"/ok to test {last}"]
    [issue] = tracking_issues(red)
    assert re.findall(r'"commit": "([0-9a-f]{40})"', issue.body) == [last]
    assert sum(body.startswith("<!-- ngc-bump-bot:status -->") for body in red.comments()) == 1
    red.bump(words=OUT)
    assert red.bump(words=OUT).written == ()


def test_the_kill_table_reaches_the_last_write(red):
    with killed(None, "after", writes) as count:
        red.bump(words=OUT)

    assert count.begun == WRITES
