"""One release after another: which open pull request of the bot gives way, and which does not."""

import pytest

from bot.core.errors import Refused
from bot.lab.megatron import megatron_files
from tests.fakes.images import RELEASE_26_07, on_both_platforms
from tests.judges.kill import Killed, killed, writes
from tests.scenarios.conftest import IMAGE, OLD, REPOSITORY

BETWEEN = "26.05-py3"
BETWEEN_BRANCH = f"bot/base-image/main/dev-{BETWEEN}"
WRITES = 10
"""Tree, commit, branch, pull request, labels, last word and end of the older one, gate, approval, status."""


@pytest.fixture
def superseding(story):
    """A bump to a release, and then a newer one comes out."""
    story.registry.push(IMAGE, BETWEEN, on_both_platforms(RELEASE_26_07))
    story.bump(BETWEEN)
    return story


def states(story) -> list[tuple[int, str]]:
    return [(pull.number, pull.state) for pull in story.pulls]


def last_words(story) -> list[str]:
    return [body for body in story.comments(1) if body.startswith("<!-- ngc-bump-bot:superseded -->")]


def test_a_newer_release_takes_the_place_of_an_older_one(superseding):
    outcome = superseding.bump()

    assert states(superseding) == [(1, "closed"), (2, "open")]
    assert (outcome.pull_request.number, outcome.approval) == (2, "taken")
    assert ["#2 moves the `dev` track" in body for body in last_words(superseding)] == [True]
    assert BETWEEN_BRANCH in superseding.bot_branches
    assert superseding.bump().written == ()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", range(1, WRITES + 1))
def test_killed_at_any_write_one_of_them_stays_open(superseding, number, when):
    with pytest.raises(Killed), killed(number, when, writes):
        superseding.bump()

    superseding.bump()

    assert states(superseding) == [(1, "closed"), (2, "open")]
    assert len(last_words(superseding)) == 1


def test_the_table_reaches_the_last_write(superseding):
    with killed(None, "after", writes) as count:
        superseding.bump()

    assert count.begun == WRITES


def test_without_its_ledger_the_bot_knows_its_older_commit_by_the_tree(superseding):
    superseding.lose_ledger()

    superseding.bump()

    assert states(superseding) == [(1, "closed"), (2, "open")]


@pytest.mark.parametrize("vouched", [False, True])
def test_somebodys_work_on_the_older_one_is_not_thrown_away(superseding, vouched):
    theirs = superseding.lab.world.push(REPOSITORY, BETWEEN_BRANCH, {"tests/fix.py": "1\n"}, "contributor")
    if vouched:
        superseding.lab.world.comment(REPOSITORY, 1, "maintainer", f"/ok to test {theirs}")

    with pytest.raises(Refused, match=f"#1 from the bot's branch .* by contributor, {theirs}: https://"):
        superseding.bump()

    assert states(superseding) == [(1, "open")]


def test_an_older_pull_request_that_somebody_opened_is_not_closed(superseding):
    superseding.lab.world.close(REPOSITORY, 1)
    superseding.lab.world.open_pull_request(REPOSITORY, BETWEEN_BRANCH, "main", "maintainer")

    with pytest.raises(Refused, match=r"#2 from .* and maintainer has opened it: https://"):
        superseding.bump()

    assert states(superseding) == [(1, "closed"), (2, "open")]


def test_an_older_release_is_refused_while_the_bot_moves_to_a_newer_one(superseding):
    superseding.bump()

    with pytest.raises(Refused, match=r"#2 from the bot's branch .* is newer"):
        superseding.bump(BETWEEN)

    assert states(superseding) == [(1, "closed"), (2, "open")]


def test_another_track_and_a_merged_one_are_left_alone(story):
    lts = story.bump(OLD, track="lts")
    story.lab.world.merge(REPOSITORY, 1, "maintainer")
    story.lab.world.push(
        REPOSITORY,
        "main",
        {path: megatron_files()[path] for path in story.recipe.track("lts").pin_paths},
        "ada",
    )
    story.lab.world.delete_branch(REPOSITORY, lts.pull_request.head_branch, "maintainer")
    story.bump(OLD, track="lts")

    story.bump()

    assert states(story) == [(1, "closed"), (2, "open"), (3, "open")]
