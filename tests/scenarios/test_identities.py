"""The same bump with an App, with both identities, and from a fork."""

import pytest

from tests.judges.kill import killed
from tests.scenarios.conftest import BOT, BRANCH, NEW, REPOSITORY

MOST_REQUESTS = 25


@pytest.fixture
def app(story):
    keys = story.lab.app("bump-app", [REPOSITORY])
    story.environ |= {"BOT_APP_ID": str(keys.id), "BOT_APP_PRIVATE_KEY": keys.private_key}
    return keys


def test_an_app_commits_and_gates_where_a_user_opens_and_approves(story, app):
    outcome = story.bump()

    repository = story.lab.world.repository(REPOSITORY)
    [pull] = story.pulls
    assert repository.git.commit(outcome.sha).author.name == app.bot_login
    assert [(run.name, run.conclusion) for run in repository.check_runs] == [
        ("base-image/pins in sync", "success")
    ]
    assert {pull.author.login, *(comment.author.login for comment in pull.comments)} == {BOT}
    assert (outcome.approval, story.bump().written) == ("taken", ())


def test_an_app_alone_does_all_of_it(story, app):
    del story.environ["GITHUB_TOKEN"]

    outcome = story.bump()

    [pull] = story.pulls
    assert {pull.author.login, *(comment.author.login for comment in pull.comments)} == {app.bot_login}
    assert (outcome.approval, story.bump().written) == ("taken", ())


def test_a_user_without_a_place_in_the_repository_pushes_to_a_fork(story):
    push_to_a_fork(story)

    outcome = story.bump()

    [pull] = story.pulls
    assert pull.pull.head_repository.full_name == f"{BOT}/Megatron-LM"
    assert story.lab.world.repository(REPOSITORY).branch(BRANCH) is None
    assert story.pins(outcome.sha) == {NEW}
    assert story.bump().written == ()


def push_to_a_fork(story):
    story.lab.world.fork(REPOSITORY, BOT)
    story.environ["BOT_FORK"] = f"{BOT}/Megatron-LM"


def let_the_app_push_there(story):
    [app] = story.lab.world.apps.values()
    story.lab.world.install(app, BOT, [story.environ["BOT_FORK"]])


def requests_of_one_bump(story) -> int:
    with killed(None, "after") as count:
        assert story.bump().approval == "taken"
    return count.begun


def test_an_app_and_a_user_together_ask_no_more_than_a_bump_may(story, app):
    assert requests_of_one_bump(story) <= MOST_REQUESTS


def test_a_fork_of_an_app_asks_no_more_than_a_bump_may(story, app):
    push_to_a_fork(story)
    let_the_app_push_there(story)

    assert requests_of_one_bump(story) <= MOST_REQUESTS
