"""Pull requests over the API."""

import pytest

from bot.lab.server import GitHubLab
from tests.lab.client import Api, api, app_client, send_wrong
from tests.lab.conftest import REPOSITORY, push_orphan

REPO = f"/repos/{REPOSITORY}"
BRANCH = "bot/base-image/main/dev-26.06-py3"


@pytest.fixture
def branch(megatron: GitHubLab) -> str:
    """A branch with one commit on top of main, and that commit's sha."""
    start = megatron.world.repository(REPOSITORY).branch("main") or ""
    megatron.world.create_branch(REPOSITORY, BRANCH, start, author="ann")
    return megatron.world.push(REPOSITORY, BRANCH, {"docker/pin": "26.06\n"}, author="ann")


def opened(ann: Api, **more: object) -> dict:
    answer = ann.post(
        f"{REPO}/pulls", {"head": BRANCH, "base": "main", "title": "Move", "draft": True, **more}
    )
    assert answer.status_code == 201
    return answer.json()


def test_a_draft_is_opened_and_read_back(megatron: GitHubLab, ann: Api, branch: str):
    made = opened(ann, body="Why")
    found = ann.get(f"{REPO}/pulls/{made['number']}").json()
    assert (found["draft"], found["state"], found["body"], found["head"]["sha"]) == (
        True,
        "open",
        "Why",
        branch,
    )
    assert (found["mergeable"], found["commits"], found["changed_files"]) == (True, 1, 1)
    assert [file["filename"] for file in ann.get(f"{REPO}/pulls/1/files").json()] == ["docker/pin"]
    assert [commit["sha"] for commit in ann.get(f"{REPO}/pulls/1/commits").json()] == [branch]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        pytest.param(
            {"head": BRANCH},
            {"code": "custom", "message": f"A pull request already exists for NVIDIA:{BRANCH}."},
            id="a second one",
        ),
        pytest.param(
            {"head": "main"},
            {"code": "custom", "message": "No commits between main and main"},
            id="nothing to merge",
        ),
        pytest.param({"head": "none"}, {"code": "invalid", "field": "head"}, id="no such head"),
        pytest.param({"head": "nobody:main"}, {"code": "invalid", "field": "head"}, id="no such fork"),
        pytest.param(
            {"head": BRANCH, "base": "none"}, {"code": "invalid", "field": "base"}, id="no such base"
        ),
        pytest.param(
            {"head": BRANCH, "title": ""}, {"code": "missing_field", "field": "title"}, id="no title"
        ),
    ],
)
def test_what_cannot_be_opened_is_refused_with_the_reason(ann: Api, branch: str, body: dict, error: dict):
    opened(ann)
    answer = ann.post(f"{REPO}/pulls", {"base": "main", "title": "Again", **body})
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"resource": "PullRequest", **error}]


def test_one_head_may_go_to_two_bases(megatron: GitHubLab, ann: Api, branch: str):
    start = megatron.world.repository(REPOSITORY).branch("main") or ""
    megatron.world.create_branch(REPOSITORY, "dev", start, author="ann")
    opened(ann)
    assert opened(ann, base="dev")["number"] == 2


def test_the_head_of_an_open_pull_request_follows_its_branch(megatron: GitHubLab, ann: Api, branch: str):
    opened(ann)
    new = megatron.world.push(REPOSITORY, BRANCH, {"a": "1"}, author="ann")
    assert ann.get(f"{REPO}/pulls/1").json()["head"]["sha"] == new
    assert ann.get(f"{REPO}/git/ref/pull/1/head").json()["object"]["sha"] == new


def test_the_base_is_the_one_that_the_newest_head_came_to(megatron: GitHubLab, ann: Api, branch: str):
    old = opened(ann)["base"]["sha"]
    new = megatron.world.push(REPOSITORY, "main", {"README.md": "two\n"}, author="max")
    assert ann.get(f"{REPO}/pulls/1").json()["base"]["sha"] == old
    megatron.world.push(REPOSITORY, BRANCH, {"a": "1"}, author="ann")
    assert ann.get(f"{REPO}/pulls/1").json()["base"]["sha"] == new


def test_a_conflict_shows_as_not_mergeable(megatron: GitHubLab, ann: Api, branch: str):
    opened(ann)
    megatron.world.push(REPOSITORY, "main", {"docker/pin": "26.05\n"}, author="max")
    found = ann.get(f"{REPO}/pulls/1").json()
    assert (found["mergeable"], found["mergeable_state"]) == (False, "dirty")


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        pytest.param("", [2], id="open ones are the default"),
        pytest.param("state=all", [2, 1], id="all, newest first"),
        pytest.param("state=closed", [1], id="closed"),
        pytest.param(f"state=all&head=NVIDIA:{BRANCH}", [2, 1], id="by owner and branch"),
        pytest.param(f"state=all&head=other:{BRANCH}", [], id="of another owner"),
        pytest.param("state=all&head=nonsense", [2, 1], id="a head without owner filters nothing"),
        pytest.param("state=all&base=dev", [], id="by base"),
        pytest.param("state=all&direction=asc", [1, 2], id="oldest first"),
    ],
)
def test_pull_requests_are_listed(megatron: GitHubLab, ann: Api, branch: str, query: str, numbers: list[int]):
    opened(ann)
    megatron.world.close(REPOSITORY, 1)
    opened(ann)
    assert [pull["number"] for pull in ann.get(f"{REPO}/pulls?{query}").json()] == numbers


def test_a_pull_request_is_edited_closed_and_opened_again(megatron: GitHubLab, ann: Api, branch: str):
    opened(ann, body="Old")
    assert ann.patch(f"{REPO}/pulls/1", {"body": "New"}).json()["body"] == "New"
    assert ann.patch(f"{REPO}/pulls/1", {"state": "closed"}).json()["state"] == "closed"
    found = ann.patch(f"{REPO}/pulls/1", {"state": "open", "title": "Better"}).json()
    assert (found["state"], found["title"], found["body"]) == ("open", "Better", "New")


def test_a_closed_one_cannot_come_back_beside_a_new_one(megatron: GitHubLab, ann: Api, branch: str):
    opened(ann)
    megatron.world.close(REPOSITORY, 1)
    opened(ann)
    assert ann.patch(f"{REPO}/pulls/1", {"state": "open"}).status_code == 422


def test_a_deleted_branch_closes_its_pull_request(megatron: GitHubLab, ann: Api, branch: str):
    opened(ann)
    megatron.world.delete_branch(REPOSITORY, BRANCH, author="max")
    assert ann.get(f"{REPO}/pulls/1").json()["state"] == "closed"
    assert ann.patch(f"{REPO}/pulls/1", {"state": "open"}).status_code == 422


def test_a_merge_moves_the_base_and_closes(megatron: GitHubLab, ann: Api, branch: str):
    opened(ann)
    sha = megatron.world.merge(REPOSITORY, 1, author="max")
    found = ann.get(f"{REPO}/pulls/1").json()
    assert (found["merged"], found["state"], found["merge_commit_sha"]) == (True, "closed", sha)
    assert found["merged_by"]["login"] == "max"
    assert megatron.world.files(REPOSITORY, "main")["docker/pin"] == b"26.06\n"


def test_a_pull_request_from_a_fork_outlives_the_fork(megatron: GitHubLab, ann: Api):
    megatron.world.fork(REPOSITORY, "bump-user")
    sha = megatron.world.push("bump-user/Megatron-LM", "bot/x", {"docker/pin": "26.06\n"}, author="bump-user")
    with api(megatron, "bump-user") as stranger:
        made = stranger.post(
            f"{REPO}/pulls", {"head": "bump-user:bot/x", "base": "main", "title": "Move"}
        ).json()
    assert (made["user"]["login"], made["head"]["label"]) == ("bump-user", "bump-user:bot/x")
    assert made["head"]["repo"]["full_name"] == "bump-user/Megatron-LM"
    megatron.world.delete_repository("bump-user/Megatron-LM")
    found = ann.get(f"{REPO}/pulls/1").json()
    assert (found["head"]["repo"], found["head"]["sha"]) == (None, sha)


def test_histories_without_a_common_start_are_refused(megatron: GitHubLab, ann: Api):
    push_orphan(megatron, "orphan")
    answer = ann.post(f"{REPO}/pulls", {"head": "orphan", "base": "main", "title": "Move"})
    assert answer.json()["errors"][0]["message"] == "The orphan branch has no history in common with main"


def test_only_author_and_writers_edit(megatron: GitHubLab, ann: Api, branch: str):
    opened(ann)
    answer = send_wrong(megatron, megatron.user_token("bob"), "PATCH", f"{REPO}/pulls/1", {"body": "Mine"})
    assert answer.status_code == 404


def test_an_app_opens_under_the_name_of_its_bot(megatron: GitHubLab, branch: str):
    keys = megatron.app("bump-bot", [REPOSITORY])
    with app_client(megatron, keys) as client:
        pull = client.get_repo(REPOSITORY).create_pull("main", BRANCH, title="Move", body="", draft=True)
        assert (pull.user.login, pull.user.id, pull.user.type) == ("bump-bot[bot]", keys.bot_id, "Bot")
        pull.add_to_labels("Run functional tests")
        assert [label.name for label in pull.get_labels()] == ["Run functional tests"]


def test_a_push_is_seen_only_after_a_while(megatron: GitHubLab, ann: Api, branch: str):
    number = opened(ann)["number"]
    megatron.world.lag = 2

    new = megatron.world.push(REPOSITORY, BRANCH, {"a": "1"}, author="ann")

    seen = [ann.get(f"{REPO}/pulls/{number}").json()["head"]["sha"] for _ in range(3)]
    assert seen == [branch, branch, new]


def test_mergeability_may_be_found_out_later_and_anew_for_each_head_and_base(
    megatron: GitHubLab, ann: Api, branch: str
):
    number = opened(ann)["number"]
    megatron.world.computes_mergeability_later = True

    def asked_twice():
        answers = [ann.get(f"{REPO}/pulls/{number}").json() for _ in range(2)]
        return [(answer["mergeable"], answer["mergeable_state"]) for answer in answers]

    assert asked_twice() == [(None, "unknown"), (True, "draft")]
    megatron.world.push(REPOSITORY, "main", {"docker/pin": "26.05\n"}, author="ann")
    assert asked_twice() == [(None, "unknown"), (False, "dirty")]
