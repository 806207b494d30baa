"""Branches, files, comparisons, forks and roles over the API."""

from base64 import b64decode

import pytest

from bot.lab.server import GitHubLab
from tests.lab.client import Api, api
from tests.lab.conftest import REPOSITORY, push_orphan

REPO = f"/repos/{REPOSITORY}"


def test_a_repository_says_what_its_reader_may_do_there(ann: Api):
    found = ann.get(REPO).json()
    assert found["full_name"] == REPOSITORY
    assert found["permissions"] == {
        "pull": True,
        "triage": True,
        "push": True,
        "maintain": False,
        "admin": False,
    }


def test_a_private_repository_is_hidden_from_strangers(megatron: GitHubLab, ann: Api):
    megatron.world.add_repository("NVIDIA/secret", {"a": "1"}, private=True)
    assert ann.get("/repos/NVIDIA/secret").status_code == 404
    megatron.world.set_role("NVIDIA/secret", "ann", "read")
    assert ann.get("/repos/NVIDIA/secret").status_code == 200


def test_a_branch_may_have_slashes_in_its_name(megatron: GitHubLab, ann: Api):
    sha = megatron.world.push(REPOSITORY, "bot/base-image/main/dev-26.06-py3", {"a": "1"}, author="ann")
    found = ann.get(f"{REPO}/branches/bot/base-image/main/dev-26.06-py3").json()
    assert (found["name"], found["commit"]["sha"]) == ("bot/base-image/main/dev-26.06-py3", sha)
    missing = ann.get(f"{REPO}/branches/none")
    assert (missing.status_code, missing.json()["message"]) == (404, "Branch not found")


def test_a_file_comes_in_base64_at_the_revision_that_is_asked_for(megatron: GitHubLab, ann: Api):
    old = megatron.world.repository(REPOSITORY).branch("main")
    megatron.world.push(REPOSITORY, "main", {"docker/pin": "26.06\n"}, author="ann")
    now = ann.get(f"{REPO}/contents/docker/pin").json()
    then = ann.get(f"{REPO}/contents/docker/pin?ref={old}").json()
    assert (b64decode(now["content"]), b64decode(then["content"])) == (b"26.06\n", b"26.04\n")


def test_a_file_above_one_megabyte_is_named_and_left_out(megatron: GitHubLab, ann: Api):
    megatron.world.push(REPOSITORY, "main", {"uv.lock": "x" * (1024 * 1024 + 1)}, author="ann")
    found = ann.get(f"{REPO}/contents/uv.lock").json()
    assert (found["encoding"], found["content"], found["size"]) == ("none", "", 1024 * 1024 + 1)


def test_a_folder_lists_its_entries(ann: Api):
    assert [entry["path"] for entry in ann.get(f"{REPO}/contents/docker").json()] == ["docker/pin"]
    assert [entry["name"] for entry in ann.get(f"{REPO}/contents/").json()] == ["README.md", "data", "docker"]


@pytest.mark.parametrize(
    "path", ["contents/none", "contents/docker/none", "contents/docker/pin?ref=none", "compare/main...none"]
)
def test_what_is_not_there_is_not_found(ann: Api, path: str):
    assert ann.get(f"{REPO}/{path}").status_code == 404


def test_a_comparison_tells_how_two_branches_stand_to_each_other(megatron: GitHubLab, ann: Api):
    world = megatron.world
    start = world.repository(REPOSITORY).branch("main")
    world.create_branch(REPOSITORY, "work", start or "", author="ann")
    shas = [
        world.push(REPOSITORY, "work", {"docker/pin": f"{number}\n"}, author="ann") for number in range(3)
    ]
    ahead = ann.get(f"{REPO}/compare/main...work").json()
    assert (ahead["status"], ahead["ahead_by"], ahead["behind_by"]) == ("ahead", 3, 0)
    assert [commit["sha"] for commit in ahead["commits"]] == shas
    assert [file["filename"] for file in ahead["files"]] == ["docker/pin"]
    assert ann.get(f"{REPO}/compare/work...main").json()["status"] == "behind"
    assert ann.get(f"{REPO}/compare/main...main").json()["status"] == "identical"
    world.push(REPOSITORY, "main", {"README.md": "two\n"}, author="ann")
    diverged = ann.get(f"{REPO}/compare/main...{shas[-1]}").json()
    assert (diverged["status"], diverged["merge_base_commit"]["sha"]) == ("diverged", start)


def test_a_comparison_is_paged(megatron: GitHubLab, ann: Api):
    for number in range(3):
        megatron.world.push(REPOSITORY, "work", {"a": str(number)}, author="ann")
    megatron.world.create_branch(REPOSITORY, "old", megatron.world.ref_moves[-3].new or "", author="ann")
    page = ann.get(f"{REPO}/compare/old...work?per_page=1&page=2")
    assert (len(page.json()["commits"]), page.json()["total_commits"]) == (1, 2)
    assert 'rel="prev"' in page.headers["Link"]


def test_a_fork_is_compared_by_its_owner_and_brought_up_to_date(megatron: GitHubLab):
    world = megatron.world
    world.fork(REPOSITORY, "bump-user")
    sha = world.push("bump-user/Megatron-LM", "bot/x", {"docker/pin": "26.06\n"}, author="bump-user")
    start = world.repository(REPOSITORY).branch("main")
    new = world.push(REPOSITORY, "main", {"README.md": "two\n"}, author="ann")
    with api(megatron, "bump-user") as fork_owner:
        compared = fork_owner.get(f"{REPO}/compare/main...bump-user:bot/x").json()
        assert (compared["ahead_by"], compared["merge_base_commit"]["sha"]) == (1, start)
        assert fork_owner.get(f"{REPO}/git/commits/{sha}").status_code == 200
        answer = fork_owner.post("/repos/bump-user/Megatron-LM/merge-upstream", {"branch": "main"})
        assert (answer.json()["merge_type"], answer.json()["base_branch"]) == ("fast-forward", "NVIDIA:main")
        assert world.repository("bump-user/Megatron-LM").branch("main") == new
        again = fork_owner.post("/repos/bump-user/Megatron-LM/merge-upstream", {"branch": "main"})
        assert again.json()["merge_type"] == "none"
        assert fork_owner.get("/repos/bump-user/Megatron-LM").json()["parent"]["full_name"] == REPOSITORY


def test_a_fork_that_cannot_be_merged_is_a_conflict(megatron: GitHubLab):
    world = megatron.world
    world.fork(REPOSITORY, "bump-user")
    world.push("bump-user/Megatron-LM", "main", {"docker/pin": "mine\n"}, author="bump-user")
    world.push(REPOSITORY, "main", {"docker/pin": "theirs\n"}, author="ann")
    with api(megatron, "bump-user") as fork_owner:
        answer = fork_owner.post("/repos/bump-user/Megatron-LM/merge-upstream", {"branch": "main"})
    assert answer.status_code == 409


@pytest.mark.parametrize(
    ("login", "permission", "role"),
    [
        pytest.param("ann", "write", "write", id="a writer"),
        pytest.param("max", "write", "maintain", id="maintain is write by the old name"),
        pytest.param("tri", "read", "triage", id="triage is read by the old name"),
        pytest.param("bob", "read", "read", id="everybody reads what is public"),
        pytest.param("cus", "write", "release manager", id="a custom role is known by its base alone"),
        pytest.param("NVIDIA", "admin", "admin", id="the owner"),
    ],
)
def test_a_role_is_more_than_the_old_permission(
    megatron: GitHubLab, ann: Api, login: str, permission: str, role: str
):
    megatron.world.set_role(REPOSITORY, "tri", "triage")
    megatron.world.set_role(REPOSITORY, "cus", "release manager", base_role="write")
    found = ann.get(f"{REPO}/collaborators/{login}/permission").json()
    assert (found["permission"], found["role_name"]) == (permission, role)


def test_roles_are_shown_to_those_who_may_push(megatron: GitHubLab):
    with api(megatron, "bob") as bob:
        answer = bob.get(f"{REPO}/collaborators/ann/permission")
    assert answer.status_code == 403
    assert answer.json()["message"] == "Must have push access to view collaborator permission."


def test_nobody_has_no_role(ann: Api):
    answer = ann.get(f"{REPO}/collaborators/nobody/permission")
    assert (answer.status_code, answer.json()["message"]) == (404, "nobody is not a user")


def test_commits_are_listed_newest_first(megatron: GitHubLab, ann: Api):
    shas = [megatron.world.push(REPOSITORY, "main", {"a": str(number)}, author="ann") for number in range(2)]
    found = ann.get(f"{REPO}/commits?sha=main&per_page=2").json()
    assert [commit["sha"] for commit in found] == shas[::-1]
    assert found[0]["author"]["login"] == "ann"


def test_branches_are_listed(megatron: GitHubLab, ann: Api):
    megatron.world.push(REPOSITORY, "dev", {"a": "1"}, author="ann")
    assert [branch["name"] for branch in ann.get(f"{REPO}/branches").json()] == ["dev", "main"]


def test_a_fork_with_work_of_its_own_is_merged(megatron: GitHubLab):
    world = megatron.world
    world.fork(REPOSITORY, "bump-user")
    world.push("bump-user/Megatron-LM", "main", {"mine": "1"}, author="bump-user")
    world.push(REPOSITORY, "main", {"theirs": "1"}, author="ann")
    with api(megatron, "bump-user") as fork_owner:
        answer = fork_owner.post("/repos/bump-user/Megatron-LM/merge-upstream", {"branch": "main"})
    assert answer.json()["merge_type"] == "merge"
    assert {"mine", "theirs"} < set(world.files("bump-user/Megatron-LM", "main"))


def test_what_is_no_fork_follows_nothing(ann: Api):
    assert ann.post(f"{REPO}/merge-upstream", {"branch": "main"}).status_code == 422


def test_histories_without_a_common_start_cannot_be_compared(megatron: GitHubLab, ann: Api):
    push_orphan(megatron, "orphan")
    answer = ann.get(f"{REPO}/compare/main...orphan")
    assert (answer.status_code, answer.json()["message"]) == (
        404,
        "No common ancestor between main and orphan.",
    )


def test_an_empty_repository_has_neither_commits_nor_files(megatron: GitHubLab, ann: Api):
    megatron.world.add_repository("NVIDIA/empty", {})
    assert ann.get("/repos/NVIDIA/empty/commits").status_code == 409
    assert ann.get("/repos/NVIDIA/empty/contents/a").json()["message"] == "This repository is empty."
