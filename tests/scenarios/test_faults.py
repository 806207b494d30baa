"""What GitHub may say in the middle of a bump: a clear end, and the next run goes on from there."""

import pytest

from bot.core.errors import BotError
from bot.lab.github_api import Fault, secondary_limit
from tests.scenarios.conftest import REPOSITORY

REPO = f"/repos/{REPOSITORY}"
WRITES = [
    pytest.param(f"{REPO}/git/trees", id="tree"),
    pytest.param(f"{REPO}/git/commits", id="commit"),
    pytest.param(f"{REPO}/git/refs", id="branch"),
    pytest.param(f"{REPO}/pulls", id="pull request"),
    pytest.param(f"{REPO}/issues/1/labels", id="label"),
    pytest.param(f"{REPO}/statuses/.*", id="gate"),
    pytest.param(f"{REPO}/issues/1/comments", id="approval"),
]


def assert_whole(story, outcome) -> None:
    [pull] = story.pulls
    approvals = [it.body for it in pull.comments if it.body.startswith("/ok to test")]
    assert [label.name for label in pull.labels] == ["Run functional tests"]
    assert approvals == [f"/ok to test {outcome.sha}"]
    assert len(story.bot_branches) == 1


@pytest.mark.parametrize("path", WRITES)
@pytest.mark.parametrize(
    ("status", "exit_code"),
    [
        pytest.param(401, 4, id="401"),
        pytest.param(403, 3, id="403"),
        pytest.param(404, 3, id="404"),
        pytest.param(409, 3, id="409"),
        pytest.param(422, 3, id="422"),
        pytest.param(500, 4, id="500"),
        pytest.param(502, 4, id="502 though it was done"),
    ],
)
def test_a_write_that_fails_ends_clearly_and_is_made_good_by_the_next_run(story, path, status, exit_code):
    fault = Fault("POST", path, status, "Nothing doing", carried_out=status == 502)
    story.lab.faults.append(fault)

    with pytest.raises(BotError) as failed:
        story.bump()

    assert fault.times == 0
    assert failed.value.exit_code == exit_code
    assert failed.value.hint or "Nothing doing" in failed.value.message
    assert_whole(story, story.bump())


@pytest.mark.parametrize("path", WRITES)
def test_a_short_rate_limit_is_waited_out(story, path):
    story.lab.faults.append(secondary_limit("POST", path, 1))

    assert_whole(story, story.bump())


def test_a_long_rate_limit_ends_with_the_time_to_come_back(story):
    story.lab.faults.append(secondary_limit("POST", f"{REPO}/pulls", 3600))

    with pytest.raises(BotError, match="3600 s") as failed:
        story.bump()

    assert failed.value.exit_code == 4
    assert_whole(story, story.bump())


def test_a_read_that_fails_once_is_asked_again(story):
    story.lab.faults.append(Fault("GET", f"{REPO}/branches/main", 502, "Server Error"))

    assert_whole(story, story.bump())
