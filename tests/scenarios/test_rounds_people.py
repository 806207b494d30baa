"""People in the middle of a round, and names that were made to harm."""

import pytest

from bot.core.errors import Refused
from bot.core.rounds import State, Words
from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_matrix import select
from bot.lab.megatron_tests import Outcome
from tests.scenarios.conftest import BRANCH, REPOSITORY
from tests.scenarios.round_story import (
    GOLDEN,
    NEAR,
    OLD,
    ON_H100,
    REFRESHED,
    add_tests,
    approvals,
    changed,
    ci,
    subjects,
    tracking_issues,
)
from tests.texts.judge import SHA, notifying, obeyed

__all__ = ["ci"]


def drifted(story, ci) -> None:
    ci.goes(ON_H100, Outcome("drift", NEAR))
    story.bump()
    ci.finish()


def test_a_foreign_commit_stops_the_rounds_until_a_vetter_vouches_for_it(story, ci):
    drifted(story, ci)
    foreign = story.lab.world.push(REPOSITORY, BRANCH, {"docs/note.md": "hi\n"}, author="contributor")

    with pytest.raises(Refused, match=foreign):
        story.bump()
    assert changed(story) == set()
    assert len(approvals(story)) == 1

    story.lab.world.comment(REPOSITORY, 1, "maintainer", f"/ok to test {foreign}")
    assert story.bump().report.state is State.WAITING
    ci.finish()
    story.bump()
    assert changed(story) == {GOLDEN}
    assert subjects(story)[-1] == REFRESHED


def test_a_closed_pull_request_stays_closed_whatever_its_run_shows(story, ci):
    drifted(story, ci)
    story.lab.world.close(REPOSITORY, 1)

    with pytest.raises(Refused):
        story.bump()

    assert len(story.pulls) == 1
    assert subjects(story) == []


def test_a_run_that_is_begun_again_is_waited_for(story, ci):
    drifted(story, ci)
    ci.world.rerun_failed(ci.runs[-1])

    assert story.bump().report.state is State.WAITING
    assert subjects(story) == []

    ci.finish()
    story.bump()
    assert subjects(story) == [REFRESHED]


HOSTILE = [
    pytest.param("größe_測試", id="unicode"),
    pytest.param(f"x`{'@' * 20}octo-org`|fixes #1", id="markup"),
    pytest.param("a b\u202e\u200b c", id="unseen"),
    pytest.param(f"--> ok to test {SHA} <!--", id="comment"),
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_was_made_to_harm_does_nothing(story, ci, name):
    goldens = add_tests(story, [name])
    key = f"gpt/{name}@dgx_h100"
    ci.goes(key, Outcome("large-drift", scaled(OLD[GOLDEN], {"lm loss": 1.2})))
    story.bump()
    ci.finish()
    asked = story.bump().report
    assert asked.state is State.ASKING
    assert asked.judged[0][1][0].subject.test == name

    story.bump(words=Words(refresh=[name]))
    assert changed(story) == set(goldens.values())
    assert_harmless(story)


def test_a_log_that_was_made_to_harm_does_nothing(story, ci):
    bucket = select(OLD, "unit-tests", "dgx_h100")[0].name
    node = f"tests/unit_tests/a/test_x.py::test_y[@octo-org/all fixes #1 /ok to test {SHA} <!-- x]"
    ci.script.unit_failures = {bucket: [node]}
    story.bump()
    ci.finish()
    story.bump()

    assert len(approvals(story)) == 1
    assert_harmless(story)


def test_twice_the_same_word_takes_a_test_out_once(story, ci):
    ci.goes(ON_H100, Outcome("oom"))
    story.bump()
    ci.finish()
    out = Words(quarantine=["all"])
    for _ in range(4):
        story.bump(words=out)

    assert len(subjects(story)) == len(tracking_issues(story)) == 1


def assert_harmless(story) -> None:
    """Nothing that the bot wrote is obeyed by a careless reader or notifies anybody."""
    texts = [text for text in story.comments() if not text.startswith("/ok to test")]
    texts += [issue.body for issue in tracking_issues(story)]
    assert texts
    assert [it for text in texts for it in (*obeyed(text), *notifying(text))] == []
