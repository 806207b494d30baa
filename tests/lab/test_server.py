"""The server: its log, its limits, its faults, and what happens between two requests."""

import pytest
from github import GithubException

from bot.lab.github_api import Fault, LogEntry, secondary_limit
from bot.lab.server import GitHubLab
from tests.lab.client import Api, send_wrong, user_client
from tests.lab.conftest import REPOSITORY

REPO = f"/repos/{REPOSITORY}"
PULLS = rf"{REPO}/pulls"


def test_each_request_is_logged_with_its_sizes(megatron: GitHubLab, ann: Api):
    answer = ann.post(f"{REPO}/git/blobs", {"content": "a"})
    assert megatron.requests == [
        LogEntry("POST", f"{REPO}/git/blobs", "", 201, bytes_in=16, bytes_out=len(answer.content))
    ]


def test_a_limit_is_counted_down(ann: Api):
    first, second = (ann.get(REPO).headers for _ in range(2))
    assert int(first["X-RateLimit-Remaining"]) - int(second["X-RateLimit-Remaining"]) == 1
    assert first["X-RateLimit-Limit"] == "5000"
    assert ann.get("/rate_limit").json()["resources"]["core"]["limit"] == 5000


def test_what_has_not_changed_is_not_sent_again(megatron: GitHubLab, ann: Api):
    tag = ann.get(f"{REPO}/branches/main").headers["ETag"]
    again = ann.get(f"{REPO}/branches/main", **{"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    megatron.world.push(REPOSITORY, "main", {"a": "1"}, author="ann")
    assert ann.get(f"{REPO}/branches/main", **{"If-None-Match": tag}).status_code == 200


def test_a_route_that_is_not_there_is_not_found(megatron: GitHubLab):
    answer = send_wrong(megatron, megatron.user_token("ann"), "GET", "/nowhere", None)
    assert (answer.status_code, answer.json()["message"]) == (404, "Not Found")


def test_a_fault_comes_instead_of_the_answer_as_often_as_planned(megatron: GitHubLab, ann: Api):
    megatron.faults.append(Fault("GET", REPO, times=2))
    assert [ann.get(REPO).status_code for _ in range(3)] == [502, 502, 200]


def test_a_lost_answer_leaves_the_thing_done(megatron: GitHubLab):
    start = megatron.world.repository(REPOSITORY).branch("main") or ""
    megatron.world.create_branch(REPOSITORY, "bot/x", start, author="ann")
    megatron.world.push(REPOSITORY, "bot/x", {"a": "1"}, author="ann")
    megatron.faults.append(Fault("POST", PULLS, carried_out=True))
    with user_client(megatron, "ann") as client:
        with pytest.raises(GithubException) as lost:
            client.get_repo(REPOSITORY).create_pull("main", "bot/x", title="Move", body="")
        assert lost.value.status == 502
    assert [issue.title for issue in megatron.world.pull_requests(REPOSITORY)] == ["Move"]


def test_a_secondary_limit_says_how_long_to_wait(megatron: GitHubLab, ann: Api):
    megatron.faults.append(secondary_limit("POST", f"{REPO}/git/blobs", retry_after=60))
    answer = ann.post(f"{REPO}/git/blobs", {"content": "a"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (403, "60")
    assert "secondary rate limit" in answer.json()["message"]


def test_a_story_may_act_between_two_requests(megatron: GitHubLab, ann: Api):
    seen = []

    def human(method: str, path: str) -> None:
        if method == "GET" and not seen:
            seen.append(path)
            megatron.world.push(REPOSITORY, "main", {"docker/pin": "human\n"}, author="max")

    megatron.api.before_request = human
    ann.get(f"{REPO}/branches/main")
    assert seen == [f"{REPO}/branches/main"]
    assert megatron.world.files(REPOSITORY, "main")["docker/pin"] == b"human\n"


def test_a_lab_of_its_own_starts_empty_and_ends_with_the_block():
    with GitHubLab.start() as lab:
        lab.world.add_repository("a/b", {"c": "1"})
        assert send_wrong(lab, lab.user_token("ann"), "GET", "/repos/a/b", None).status_code == 200
    assert not lab.world.directory.exists()
