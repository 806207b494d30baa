"""Labels, comments and reactions over the API."""

import pytest

from bot.lab.server import GitHubLab
from tests.lab.client import Api, api, send_wrong
from tests.lab.conftest import REPOSITORY

REPO = f"/repos/{REPOSITORY}"


@pytest.fixture(autouse=True)
def pull_request(megatron: GitHubLab) -> None:
    """Number 1, opened by bob from his fork."""
    megatron.world.fork(REPOSITORY, "bob")
    start = megatron.world.repository(REPOSITORY).branch("main") or ""
    megatron.world.create_branch("bob/Megatron-LM", "fix", start, author="bob")
    megatron.world.push("bob/Megatron-LM", "fix", {"docker/pin": "26.06\n"}, author="bob")
    megatron.world.open_pull_request(REPOSITORY, "bob:fix", "main", author="bob")


def names(labels: list[dict]) -> list[str]:
    return [label["name"] for label in labels]


def test_labels_are_added_to_those_that_are_there(megatron: GitHubLab, ann: Api):
    megatron.world.label(REPOSITORY, 1, "size/S")
    answer = ann.post(f"{REPO}/issues/1/labels", {"labels": ["Run functional tests"]})
    assert names(answer.json()) == ["size/S", "Run functional tests"]
    again = ann.post(f"{REPO}/issues/1/labels", {"labels": ["run functional tests", "size/S"]})
    assert names(again.json()) == ["size/S", "Run functional tests"]
    assert names(ann.get(f"{REPO}/issues/1/labels").json()) == ["size/S", "Run functional tests"]


def test_an_unknown_label_is_created_in_the_repository(ann: Api):
    assert ann.get(f"{REPO}/labels/container::lts").status_code == 404
    ann.post(f"{REPO}/issues/1/labels", {"labels": ["container::lts"]})
    assert ann.get(f"{REPO}/labels/container::lts").json()["name"] == "container::lts"


def test_labels_may_come_as_a_bare_list(ann: Api):
    assert names(ann.post(f"{REPO}/issues/1/labels", ["a", "b"]).json()) == ["a", "b"]


@pytest.mark.parametrize("body", [{"labels": [1]}, {"labels": [""]}, {"labels": "a"}])
def test_labels_are_names(megatron: GitHubLab, body: dict):
    answer = send_wrong(megatron, megatron.user_token("ann"), "POST", f"{REPO}/issues/1/labels", body)
    assert answer.status_code == 422


def test_the_author_of_a_pull_request_may_not_label_it(megatron: GitHubLab):
    with api(megatron, "bob") as bob:
        assert bob.post(f"{REPO}/issues/1/labels", {"labels": ["a"]}).status_code == 403


def test_anybody_comments_and_edits_what_is_theirs(megatron: GitHubLab, ann: Api):
    with api(megatron, "bob") as bob:
        made = bob.post(f"{REPO}/issues/1/comments", {"body": "First"})
        assert made.status_code == 201
        mine = f"{REPO}/issues/comments/{made.json()['id']}"
        assert bob.patch(mine, {"body": "Better"}).json()["body"] == "Better"
        other = ann.post(f"{REPO}/issues/1/comments", {"body": "Second"}).json()
        assert bob.patch(f"{REPO}/issues/comments/{other['id']}", {"body": "Mine"}).status_code == 403
    found = ann.get(f"{REPO}/issues/1/comments").json()
    assert [(comment["user"]["login"], comment["body"]) for comment in found] == [
        ("bob", "Better"),
        ("ann", "Second"),
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param(" \n", "Body cannot be blank", id="blank"),
        pytest.param("x" * 65_537, "body is too long (maximum is 65536 characters)", id="too long"),
    ],
)
def test_a_comment_has_a_text_of_bearable_length(ann: Api, body: str, said: str):
    answer = ann.post(f"{REPO}/issues/1/comments", {"body": body})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["message"] == said


def test_comments_are_paged_and_linked(megatron: GitHubLab, ann: Api):
    for number in range(5):
        megatron.world.comment(REPOSITORY, 1, "bob", f"comment {number}")
    first = ann.get(f"{REPO}/issues/1/comments?per_page=2")
    assert [comment["body"] for comment in first.json()] == ["comment 0", "comment 1"]
    assert set(first.links) == {"next", "last"}
    assert first.links["last"]["url"].endswith("per_page=2&page=3")
    last = ann.get(f"{REPO}/issues/1/comments?per_page=2&page=3")
    assert [comment["body"] for comment in last.json()] == ["comment 4"]
    assert set(last.links) == {"prev", "first"}


def test_a_page_holds_a_hundred_at_most(megatron: GitHubLab, ann: Api):
    for number in range(101):
        megatron.world.comment(REPOSITORY, 1, "bob", str(number))
    assert len(ann.get(f"{REPO}/issues/1/comments?per_page=100").json()) == 100
    assert len(ann.get(f"{REPO}/issues/1/comments").json()) == 30


def test_one_person_reacts_once(megatron: GitHubLab, ann: Api):
    comment = megatron.world.comment(REPOSITORY, 1, "bob", "Hello")
    path = f"{REPO}/issues/comments/{comment.id}/reactions"
    assert ann.post(path, {"content": "+1"}).status_code == 201
    assert ann.post(path, {"content": "+1"}).status_code == 200
    assert [(found["user"]["login"], found["content"]) for found in ann.get(path).json()] == [("ann", "+1")]
    assert ann.get(f"{path}?content=eyes").json() == []


def test_there_are_eight_reactions(megatron: GitHubLab):
    comment = megatron.world.comment(REPOSITORY, 1, "bob", "Hello")
    path = f"{REPO}/issues/comments/{comment.id}/reactions"
    assert (
        send_wrong(megatron, megatron.user_token("ann"), "POST", path, {"content": "tada"}).status_code == 422
    )


def test_a_pull_request_is_an_issue_too(ann: Api):
    found = ann.get(f"{REPO}/issues/1").json()
    assert found["pull_request"]["url"].endswith("/pulls/1")
    assert ann.get(f"{REPO}/issues/2").status_code == 404


def test_issues_are_opened_listed_edited_and_closed(megatron: GitHubLab, ann: Api):
    made = ann.post(f"{REPO}/issues", {"title": "Broken", "body": "Text", "labels": ["a"]})
    assert (made.status_code, made.json()["number"], names(made.json()["labels"])) == (201, 2, ["a"])

    mine = ann.get(f"{REPO}/issues?creator=ann&state=all").json()
    everything = ann.get(f"{REPO}/issues?direction=asc").json()
    assert [issue["number"] for issue in mine] == [2]
    assert [("pull_request" in issue, issue["number"]) for issue in everything] == [(True, 1), (False, 2)]

    edited = ann.patch(f"{REPO}/issues/2", {"body": "More", "state": "closed"}).json()
    assert (edited["body"], edited["state"]) == ("More", "closed")
    assert [issue["number"] for issue in ann.get(f"{REPO}/issues").json()] == [1]
    assert ann.patch(f"{REPO}/issues/2", {"state": "open"}).json()["body"] == "More"


def test_anybody_opens_an_issue_and_only_those_who_may_label_it(megatron: GitHubLab, ann: Api):
    with api(megatron, "bob") as bob:
        made = bob.post(f"{REPO}/issues", {"title": "Mine", "labels": ["a"]})
        assert (made.status_code, made.json()["labels"]) == (201, [])
        assert bob.patch(f"{REPO}/issues/2", {"state": "closed"}).status_code == 200
    theirs = ann.post(f"{REPO}/issues", {"title": "Hers"}).json()["number"]
    with api(megatron, "bob") as bob:
        assert bob.patch(f"{REPO}/issues/{theirs}", {"state": "closed"}).status_code == 403


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("POST", "issues", {}), ("POST", "issues", {"title": 1}), ("PATCH", "issues/1", {"state": "merged"})],
)
def test_an_issue_has_a_title_and_one_of_two_states(megatron: GitHubLab, method: str, path: str, body: dict):
    answer = send_wrong(megatron, megatron.user_token("ann"), method, f"{REPO}/{path}", body)
    assert answer.status_code == 422
