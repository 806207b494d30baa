"""Commit statuses and check runs over the API."""

import pytest
from github import GithubException

from bot.lab.server import GitHubLab
from tests.lab.client import Api, app_client, send_wrong, user_client
from tests.lab.conftest import REPOSITORY

REPO = f"/repos/{REPOSITORY}"
NAME = "base-image/pins in sync"


@pytest.fixture
def sha(megatron: GitHubLab) -> str:
    found = megatron.world.repository(REPOSITORY).branch("main")
    assert found
    return found


@pytest.mark.parametrize(
    ("states", "combined"),
    [
        pytest.param([], "pending", id="none"),
        pytest.param([("a", "success"), ("b", "success")], "success", id="all well"),
        pytest.param([("a", "success"), ("b", "pending")], "pending", id="one to come"),
        pytest.param([("a", "success"), ("b", "error")], "failure", id="one bad"),
        pytest.param([("a", "failure"), ("a", "success")], "success", id="the newest of a context counts"),
    ],
)
def test_statuses_are_combined(ann: Api, sha: str, states: list[tuple[str, str]], combined: str):
    for context, state in states:
        assert ann.post(f"{REPO}/statuses/{sha}", {"context": context, "state": state}).status_code == 201
    found = ann.get(f"{REPO}/commits/{sha}/status").json()
    assert (found["state"], found["total_count"]) == (combined, len({context for context, _ in states}))
    assert len(ann.get(f"{REPO}/commits/{sha}/statuses").json()) == len(states)


@pytest.mark.parametrize(
    ("at", "body"),
    [
        pytest.param("f" * 40, {"state": "success"}, id="an unknown commit"),
        pytest.param("", {"state": "success", "description": "x" * 141}, id="a long description"),
    ],
)
def test_a_status_that_cannot_be_set_is_refused(megatron: GitHubLab, sha: str, at: str, body: dict):
    answer = send_wrong(megatron, megatron.user_token("ann"), "POST", f"{REPO}/statuses/{at or sha}", body)
    assert answer.status_code == 422


def test_a_check_run_is_created_and_completed_by_its_app(megatron: GitHubLab, sha: str):
    keys = megatron.app("bump-bot", [REPOSITORY])
    with app_client(megatron, keys) as client:
        repository = client.get_repo(REPOSITORY)
        run = repository.create_check_run(NAME, sha, status="in_progress")
        run.edit(
            status="completed", conclusion="failure", output={"title": "Pins", "summary": "26.04, 26.06"}
        )
        newer = repository.create_check_run(NAME, sha, status="completed", conclusion="success")
        commit = repository.get_commit(sha)
        assert [found.id for found in commit.get_check_runs(check_name=NAME)] == [newer.id]
        everything = commit.get_check_runs(check_name=NAME, filter="all")
        assert [(found.conclusion, found.output.summary) for found in everything] == [
            ("success", None),
            ("failure", "26.04, 26.06"),
        ]
        assert everything[0].app.id == keys.id


def test_check_runs_are_not_for_people(megatron: GitHubLab, sha: str):
    with user_client(megatron, "max") as client, pytest.raises(GithubException) as refused:
        client.get_repo(REPOSITORY).create_check_run(NAME, sha)
    assert (refused.value.status, refused.value.data["message"]) == (
        403,
        "You must authenticate via a GitHub App.",
    )


def test_a_check_run_belongs_to_its_app(megatron: GitHubLab, sha: str):
    with app_client(megatron, megatron.app("bump-bot", [REPOSITORY])) as client:
        run = client.get_repo(REPOSITORY).create_check_run(NAME, sha)
    with app_client(megatron, megatron.app("other-bot", [REPOSITORY])) as other:
        theirs = other.get_repo(REPOSITORY).get_commit(sha).get_check_runs()[0]
        assert theirs.id == run.id
        with pytest.raises(GithubException) as refused:
            theirs.edit(status="completed", conclusion="success")
    assert refused.value.status == 403
