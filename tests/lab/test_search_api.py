"""Search of pull requests over the API."""

import pytest

from bot.lab.server import GitHubLab
from tests.lab.client import Api, send_wrong
from tests.lab.conftest import REPOSITORY


@pytest.fixture(autouse=True)
def pull_requests(megatron: GitHubLab) -> None:
    world = megatron.world
    start = world.repository(REPOSITORY).branch("main") or ""
    world.create_branch(REPOSITORY, "dev", start, author="ann")
    for number, title in enumerate(
        (
            "chore: Update Docker image version to 26.06-py3",
            "Bump base image to 26.06-py3-igpu",
            "Fix 126.06",
        ),
        1,
    ):
        branch = f"work-{number}"
        world.create_branch(REPOSITORY, branch, start, author="ann")
        world.push(REPOSITORY, branch, {"docker/pin": f"{number}\n"}, author="ann")
        base = "dev" if number == 3 else "main"
        world.open_pull_request(REPOSITORY, branch, base, "ann", title=title, body="Linked issue: none")
    world.close(REPOSITORY, 2)
    world.comment(REPOSITORY, 3, "bob", "as in nvcr.io/nvidia/pytorch:26.04-py3")


@pytest.mark.parametrize(
    ("q", "numbers"),
    [
        pytest.param("is:pr 26.06-py3", [2, 1], id="words, newest first"),
        pytest.param('is:pr is:open base:main "26.06-py3"', [1], id="a phrase, an open one, a base"),
        pytest.param("is:pr 26.06", [2, 1], id="whole numbers only"),
        pytest.param("is:pr 26.04-py3", [3], id="comments are read too"),
        pytest.param("is:pr 26.04-py3 in:title", [], id="unless one field is named"),
        pytest.param("is:pr linked docker", [1], id="every word, anywhere"),
        pytest.param("is:pr base:dev", [3], id="by base alone"),
        pytest.param("type:pr state:closed", [2], id="the longer names"),
        pytest.param("is:pr head:work-1 author:ann", [1], id="by head and author"),
        pytest.param("is:issue 26.06-py3", [], id="pull requests are no issues"),
        pytest.param("is:pr is:merged", [], id="none is merged"),
    ],
)
def test_pull_requests_are_found(ann: Api, q: str, numbers: list[int]):
    found = ann.get(f"/search/issues?q={q} repo:{REPOSITORY}").json()
    assert [item["number"] for item in found["items"]] == numbers
    assert found["total_count"] == len(numbers)


def test_another_repository_is_another(ann: Api):
    assert ann.get("/search/issues?q=is:pr repo:NVIDIA/other 26.06").json()["items"] == []


def test_search_does_not_know_what_is_new(megatron: GitHubLab, ann: Api):
    megatron.world.unindexed.add(megatron.world.issue(REPOSITORY, 1).id)
    assert ann.get(f"/search/issues?q=is:open is:pr base:main repo:{REPOSITORY}").json()["items"] == []


@pytest.mark.parametrize(
    ("q", "status"),
    [
        pytest.param("", 422, id="an empty query"),
        pytest.param("26.06", 422, id="neither issues nor pull requests"),
        pytest.param("is:pr review:approved", 501, id="a qualifier that the lab does not know"),
    ],
)
def test_what_cannot_be_searched_is_refused(megatron: GitHubLab, q: str, status: int):
    answer = send_wrong(megatron, megatron.user_token("ann"), "GET", f"/search/issues?q={q}", None)
    assert answer.status_code == status
