"""Commits without a clone: refs, blobs, trees and commits over the API."""

import subprocess
from base64 import b64decode
from pathlib import Path

import httpx
import pytest
from github import InputGitAuthor, InputGitTreeElement

from bot.lab.server import GitHubLab
from tests.lab.client import Api, app_client, send_wrong, user_client
from tests.lab.conftest import REPOSITORY

REPO = f"/repos/{REPOSITORY}"
NOWHERE = "0123456789" * 4


def head(lab: GitHubLab, branch: str = "main") -> str:
    sha = lab.world.repository(REPOSITORY).branch(branch)
    assert sha
    return sha


def tree(lab: GitHubLab, branch: str = "main") -> str:
    repository = lab.world.repository(REPOSITORY)
    return repository.git.commit(head(lab, branch)).tree


def test_a_tree_made_by_the_api_has_the_id_that_git_itself_would_give(
    megatron: GitHubLab, ann: Api, tmp_path: Path
):
    entries = [{"path": "docker/pin", "mode": "100644", "type": "blob", "content": "26.06\n"}]
    made = ann.post(f"{REPO}/git/trees", {"base_tree": tree(megatron), "tree": entries}).json()
    for path, content in megatron.world.files(REPOSITORY, "main").items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    (tmp_path / "docker/pin").write_text("26.06\n")
    git = ["git", "-C", str(tmp_path), "-c", "core.autocrlf=false"]
    for command in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run([*git, *command], check=True)
    wanted = subprocess.run([*git, "write-tree"], check=True, capture_output=True, text=True).stdout
    assert made["sha"] == wanted.strip()


def test_a_blob_comes_back_in_base64(megatron: GitHubLab, ann: Api):
    made = ann.post(f"{REPO}/git/blobs", {"content": "/wBh", "encoding": "base64"})
    assert made.status_code == 201
    found = ann.get(f"{REPO}/git/blobs/{made.json()['sha']}").json()
    assert (b64decode(found["content"]), found["size"], found["encoding"]) == (b"\xff\x00a", 3, "base64")


def test_an_app_that_names_nobody_gets_its_commit_signed(megatron: GitHubLab):
    keys = megatron.app("bump-bot", [REPOSITORY])
    with app_client(megatron, keys) as client:
        repository = client.get_repo(REPOSITORY)
        parent = repository.get_git_commit(head(megatron))
        made = repository.create_git_commit("Move", parent.tree, [parent])
        assert (made.author.name, made.committer.name) == ("bump-bot[bot]", "GitHub")
        assert made.verification.verified
        assert repository.get_commit(made.sha).author.id == keys.bot_id
        assert repository.get_commit(made.sha).committer.login == "web-flow"


def test_a_commit_of_a_person_is_not_signed(megatron: GitHubLab):
    with user_client(megatron, "ann") as client:
        repository = client.get_repo(REPOSITORY)
        parent = repository.get_git_commit(head(megatron))
        element = InputGitTreeElement("docker/pin", "100644", "blob", content="26.06\n")
        made = repository.create_git_commit(
            "Move", repository.create_git_tree([element], parent.tree), [parent]
        )
        assert (made.author.name, made.committer.name, made.verification.verified) == ("ann", "ann", False)


def test_a_commit_is_nowhere_until_a_branch_points_to_it(megatron: GitHubLab, ann: Api):
    before = megatron.world.files(REPOSITORY, "main")
    made = ann.post(
        f"{REPO}/git/commits", {"message": "Same", "tree": tree(megatron), "parents": [head(megatron)]}
    ).json()
    assert megatron.world.files(REPOSITORY, "main") == before
    assert ann.post(f"{REPO}/git/refs", {"ref": "refs/heads/bot/x", "sha": made["sha"]}).status_code == 201
    assert ann.get(f"{REPO}/git/ref/heads/bot/x").json()["object"]["sha"] == made["sha"]


def test_a_branch_moves_forward_and_not_back(megatron: GitHubLab, ann: Api):
    old = head(megatron)
    new = megatron.world.push(REPOSITORY, "work", {"a": "1"}, author="ann")
    megatron.world.create_branch(REPOSITORY, "bot/x", old, author="ann")
    newer = ann.post(
        f"{REPO}/git/commits", {"message": "m", "tree": tree(megatron), "parents": [old]}
    ).json()["sha"]
    assert ann.patch(f"{REPO}/git/refs/heads/bot/x", {"sha": newer}).status_code == 200
    refused = ann.patch(f"{REPO}/git/refs/heads/bot/x", {"sha": new, "force": False})
    assert (refused.status_code, refused.json()["message"]) == (422, "Update is not a fast forward")
    assert head(megatron, "bot/x") == newer
    assert ann.patch(f"{REPO}/git/refs/heads/bot/x", {"sha": old, "force": True}).status_code == 200
    assert [move.fast_forward for move in megatron.world.ref_moves if move.branch == "bot/x"] == [
        True,
        True,
        False,
    ]


def test_matching_refs_are_those_that_begin_alike(megatron: GitHubLab, ann: Api):
    for branch in ("bot/base-image/main/a", "bot/base-image/dev/b", "other"):
        megatron.world.create_branch(REPOSITORY, branch, head(megatron), author="ann")
    found = ann.get(f"{REPO}/git/matching-refs/heads/bot/base-image/").json()
    assert [ref["ref"] for ref in found] == [
        "refs/heads/bot/base-image/dev/b",
        "refs/heads/bot/base-image/main/a",
    ]


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        pytest.param(
            "refs",
            {"ref": "refs/heads/main", "sha": "HEAD"},
            "Reference already exists",
            id="a branch that is there",
        ),
        pytest.param(
            "refs",
            {"ref": "refs/heads/new", "sha": NOWHERE},
            "Object does not exist",
            id="a commit that is not",
        ),
        pytest.param(
            "refs",
            {"ref": "refs/heads/a..b", "sha": "HEAD"},
            "Reference name is not valid",
            id="a bad name",
        ),
        pytest.param(
            "refs", {"ref": "main", "sha": "HEAD"}, "Reference name is not valid", id="a short name"
        ),
        pytest.param(
            "refs",
            {"ref": "refs/heads/new", "sha": "0123456"},
            "exactly 40 characters",
            id="a short sha",
        ),
        pytest.param(
            "trees",
            {"base_tree": NOWHERE, "tree": [{"path": "a", "mode": "100644", "content": ""}]},
            "base_tree is not a valid tree oid",
            id="an unknown base",
        ),
        pytest.param(
            "trees",
            {"tree": [{"path": "a", "mode": "100644", "sha": NOWHERE}]},
            f"tree.sha {NOWHERE} is not a valid blob",
            id="an unknown blob",
        ),
        pytest.param(
            "trees",
            {"tree": [{"path": "../a", "mode": "100644", "content": ""}]},
            "malformed path component",
            id="a path that climbs",
        ),
        pytest.param("trees", {"tree": []}, "Invalid tree info", id="an empty tree"),
        pytest.param(
            "commits", {"message": "m", "tree": NOWHERE}, "Tree SHA does not exist", id="an unknown tree"
        ),
        pytest.param(
            "commits",
            {"message": "m", "tree": "TREE", "parents": [NOWHERE]},
            "Parent SHA does not exist",
            id="an unknown parent",
        ),
        pytest.param("blobs", {"content": "not base64!", "encoding": "base64"}, "Base64", id="bad base64"),
    ],
)
def test_what_cannot_be_written_is_refused(
    megatron: GitHubLab, ann: Api, path: str, body: dict, message: str
):
    known = {"HEAD": head(megatron), "TREE": tree(megatron)}
    answer = ann.post(
        f"{REPO}/git/{path}", {key: known.get(str(value), value) for key, value in body.items()}
    )
    assert answer.status_code == 422
    assert message in answer.json()["message"]


@pytest.mark.parametrize(
    "path",
    ["ref/heads/none", f"blobs/{NOWHERE}", f"trees/{NOWHERE}", f"commits/{NOWHERE}", "commits/main"],
)
def test_what_is_not_there_is_not_found(ann: Api, path: str):
    assert ann.get(f"{REPO}/git/{path}").status_code == 404


def test_an_empty_repository_says_so(megatron: GitHubLab, ann: Api):
    megatron.world.add_repository("NVIDIA/empty", {})
    answer = ann.get("/repos/NVIDIA/empty/git/ref/heads/main")
    assert (answer.status_code, answer.json()["message"]) == (409, "Git Repository is empty.")


def test_whoever_may_not_write_is_told_that_there_is_nothing(megatron: GitHubLab):
    body = {"ref": "refs/heads/new", "sha": head(megatron)}
    answer = send_wrong(megatron, megatron.user_token("bob"), "POST", f"{REPO}/git/refs", body)
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        pytest.param("git/refs", {"sha": NOWHERE}, '"ref" wasn\'t supplied', id="a missing key"),
        pytest.param("git/refs", {"ref": 1, "sha": NOWHERE}, "1 is not a string", id="a number for a string"),
        pytest.param("git/trees", {"tree": "a"}, '"a" is not an array', id="a string for a list"),
        pytest.param("git/trees", {"tree": ["a"]}, '"a" is not an object', id="a string for an object"),
        pytest.param(
            "git/trees",
            {"tree": [{"path": "a", "mode": "644", "content": ""}]},
            '"644" is not a member',
            id="an unknown mode",
        ),
        pytest.param(
            "pulls",
            {"head": "x", "base": "main", "title": "t", "draft": "yes"},
            '"yes" is not a boolean',
            id="a string for a boolean",
        ),
    ],
)
def test_a_wrong_type_is_refused_in_the_words_of_github(
    megatron: GitHubLab, path: str, body: dict, said: str
):
    answer = send_wrong(megatron, megatron.user_token("ann"), "POST", f"{REPO}/{path}", body)
    assert answer.status_code == 422
    assert answer.json()["message"].startswith("Invalid request.")
    assert said in answer.json()["message"]


def test_keys_that_github_does_not_know_are_ignored(megatron: GitHubLab):
    body = {"ref": "refs/heads/new", "sha": head(megatron), "surprise": 1}
    assert (
        send_wrong(megatron, megatron.user_token("ann"), "POST", f"{REPO}/git/refs", body).status_code == 201
    )


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        pytest.param(b"{", "Problems parsing JSON", id="no JSON"),
        pytest.param(b"1", "Body should be a JSON object", id="no object"),
    ],
)
def test_a_body_that_is_no_object_is_a_bad_request(megatron: GitHubLab, raw: bytes, message: str):
    headers = {"Authorization": f"token {megatron.user_token('ann')}"}
    answer = httpx.post(f"{megatron.url}{REPO}/git/refs", content=raw, headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (400, message)


def test_a_branch_that_is_not_there_does_not_move(megatron: GitHubLab, ann: Api):
    answer = ann.patch(f"{REPO}/git/refs/heads/none", {"sha": head(megatron)})
    assert (answer.status_code, answer.json()["message"]) == (422, "Reference does not exist")


def test_a_branch_is_deleted(megatron: GitHubLab):
    megatron.world.create_branch(REPOSITORY, "bot/x", head(megatron), author="ann")
    with user_client(megatron, "ann") as client:
        client.get_repo(REPOSITORY).get_git_ref("heads/bot/x").delete()
    assert megatron.world.repository(REPOSITORY).branch("bot/x") is None


def test_a_named_author_is_taken_at_his_word_and_gets_no_signature(megatron: GitHubLab):
    keys = megatron.app("bump-bot", [REPOSITORY])
    with app_client(megatron, keys) as client:
        repository = client.get_repo(REPOSITORY)
        parent = repository.get_git_commit(head(megatron))
        mallory = InputGitAuthor("Ann", "1+ann@users.noreply.github.com", "2026-05-07T12:00:00Z")
        made = repository.create_git_commit("Move", parent.tree, [parent], author=mallory)
        assert (made.author.name, made.committer.name, made.verification.verified) == ("Ann", "Ann", False)
        assert made.author.date.isoformat() == "2026-05-07T12:00:00+00:00"
        assert repository.get_commit(made.sha).author.login == "ann"


def test_a_tree_is_read_with_all_that_is_below(megatron: GitHubLab, ann: Api):
    flat = ann.get(f"{REPO}/git/trees/main").json()
    deep = ann.get(f"{REPO}/git/trees/{tree(megatron)}?recursive=1").json()
    assert [entry["path"] for entry in flat["tree"]] == ["README.md", "data", "docker"]
    assert [entry["path"] for entry in deep["tree"] if entry["type"] == "blob"] == [
        "README.md",
        "data/blob.bin",
        "docker/pin",
    ]
    assert (flat["sha"], deep["truncated"]) == (tree(megatron), False)
