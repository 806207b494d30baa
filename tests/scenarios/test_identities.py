"""The same bump with an App, with both identities, and from a fork."""

import pytest

from tests.scenarios.conftest import BOT, BRANCH, NEW, REPOSITORY


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
    story.lab.world.fork(REPOSITORY, BOT)
    story.environ["BOT_FORK"] = f"{BOT}/Megatron-LM"

    outcome = story.bump()

    [pull] = story.pulls
    assert pull.pull.head_repository.full_name == f"{BOT}/Megatron-LM"
    assert story.lab.world.repository(REPOSITORY).branch(BRANCH) is None
    assert story.pins(outcome.sha) == {NEW}
    assert story.bump().written == ()
