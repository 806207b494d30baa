"""Who may ask: user tokens, Apps, installation tokens, teams."""

import time
from typing import Any

import jwt
import pytest
import requests
from github import Auth, GithubException, GithubIntegration

from bot.lab.credentials import Credentials
from bot.lab.server import AppKeys, GitHubLab
from tests.lab.client import PROMPT, Api, app_client, send_wrong, user_client
from tests.lab.conftest import REPOSITORY

REPO = f"/repos/{REPOSITORY}"


def signed(keys: AppKeys, **claims: Any) -> str:
    now = int(time.time())
    given = {"iat": now - 30, "exp": now + 300, "iss": str(keys.id), **claims}
    return jwt.encode(given, keys.private_key, algorithm="RS256")


@pytest.fixture
def keys(megatron: GitHubLab) -> AppKeys:
    return megatron.app("bump-bot", [REPOSITORY])


def test_a_token_is_somebody(megatron: GitHubLab):
    with user_client(megatron, "ann") as client:
        me = client.get_user()
        assert (me.login, me.id, me.type) == ("ann", megatron.world.user("ann").id, "User")
        assert client.get_user_by_id(me.id).login == "ann"


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        pytest.param({}, "Requires authentication", id="nobody"),
        pytest.param({"Authorization": "token unknown"}, "Bad credentials", id="an unknown token"),
        pytest.param(
            {"Authorization": "Bearer a.b.c"}, "A JSON web token could not be decoded", id="no real JWT"
        ),
    ],
)
def test_nobody_gets_in_without_a_token(megatron: GitHubLab, headers: dict, message: str):
    answer = requests.get(f"{megatron.url}{REPO}", headers=headers, timeout=10)
    assert (answer.status_code, answer.json()["message"]) == (401, message)


def test_a_revoked_token_is_nobody(megatron: GitHubLab):
    token = megatron.user_token("ann")
    megatron.credentials.revoke(token)
    assert send_wrong(megatron, token, "GET", REPO, None).status_code == 401


def test_a_read_only_token_writes_nothing(megatron: GitHubLab):
    token = megatron.user_token("max", read_only=True)
    body = {"ref": "refs/heads/new", "sha": megatron.world.repository(REPOSITORY).branch("main")}
    answer = send_wrong(megatron, token, "POST", f"{REPO}/git/refs", body)
    assert (answer.status_code, answer.json()["message"]) == (
        403,
        "Resource not accessible by personal access token",
    )


def test_an_app_finds_itself_and_its_installation(megatron: GitHubLab, keys: AppKeys):
    integration = GithubIntegration(
        auth=Auth.AppAuth(keys.id, keys.private_key), base_url=megatron.url, **PROMPT
    )
    assert (integration.get_app().slug, integration.get_app().id) == ("bump-bot", keys.id)
    assert integration.get_repo_installation("NVIDIA", "Megatron-LM").id == keys.installation_id
    assert [found.id for found in integration.get_installations()] == [keys.installation_id]
    integration.close()


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        pytest.param({"exp": 700}, "too far in the future", id="longer than ten minutes"),
        pytest.param({"exp": -1}, "'Expiration time' claim ('exp')", id="expired"),
        pytest.param({"iat": 300}, "'Issued at' claim ('iat')", id="from the future"),
        pytest.param({"iss": "1"}, "could not be decoded", id="an unknown App"),
    ],
)
def test_a_wrong_json_web_token_is_refused(megatron: GitHubLab, keys: AppKeys, claims: dict, said: str):
    now = int(time.time())
    moved = {name: now + value if isinstance(value, int) else value for name, value in claims.items()}
    answer = send_wrong(megatron, signed(keys, **moved), "GET", "/app", None)
    assert answer.status_code == 401
    assert said in answer.json()["message"]


def test_the_key_of_another_app_is_no_proof(megatron: GitHubLab, keys: AppKeys):
    other = megatron.app("other-bot", [REPOSITORY])
    answer = send_wrong(megatron, signed(other, iss=str(keys.id)), "GET", "/app", None)
    assert answer.status_code == 401


def test_an_app_may_name_itself_by_its_client_id(megatron: GitHubLab, keys: AppKeys):
    client_id = megatron.world.apps[keys.id].client_id
    assert send_wrong(megatron, signed(keys, iss=client_id), "GET", "/app", None).status_code == 200


def test_a_json_web_token_is_for_the_app_routes_only(megatron: GitHubLab, keys: AppKeys):
    assert send_wrong(megatron, signed(keys), "GET", REPO, None).status_code == 403
    assert send_wrong(megatron, megatron.user_token("ann"), "GET", "/app", None).status_code == 401


def test_an_installation_acts_as_the_bot_and_is_no_user(megatron: GitHubLab, keys: AppKeys):
    with app_client(megatron, keys) as client:
        assert client.get_repo(REPOSITORY).permissions.push is False
        assert client.get_user("bump-bot[bot]").id == keys.bot_id
        with pytest.raises(GithubException, match="Resource not accessible by integration"):
            _ = client.get_user().login


def test_a_token_may_ask_for_less_and_not_for_more(megatron: GitHubLab, keys: AppKeys):
    path = f"/app/installations/{keys.installation_id}/access_tokens"
    less = send_wrong(megatron, signed(keys), "POST", path, {"permissions": {"contents": "read"}})
    assert (less.status_code, less.json()["permissions"]) == (201, {"contents": "read"})
    body = {"message": "m", "tree": "x"}
    refused = send_wrong(megatron, less.json()["token"], "POST", f"{REPO}/git/commits", body)
    assert (refused.status_code, refused.json()["message"]) == (403, "Resource not accessible by integration")
    assert refused.headers["X-Accepted-GitHub-Permissions"] == "contents=write"
    more = send_wrong(megatron, signed(keys), "POST", path, {"permissions": {"administration": "write"}})
    assert more.status_code == 422


def test_an_empty_permissions_key_asks_for_everything(megatron: GitHubLab, keys: AppKeys):
    path = f"/app/installations/{keys.installation_id}/access_tokens"
    answer = send_wrong(megatron, signed(keys), "POST", path, {"permissions": {}})
    assert answer.json()["permissions"]["contents"] == "write"


def test_an_installation_writes_nowhere_else(megatron: GitHubLab, keys: AppKeys):
    megatron.world.add_repository("NVIDIA/other", {"a": "1"})
    sha = megatron.world.repository("NVIDIA/other").branch("main")
    with app_client(megatron, keys) as client:
        other = client.get_repo("NVIDIA/other")
        with pytest.raises(GithubException) as refused:
            other.create_git_ref("refs/heads/new", sha or "")
    assert refused.value.status == 403


def test_an_app_without_the_permission_is_refused(megatron: GitHubLab):
    keys = megatron.app("small-bot", [REPOSITORY], permissions={"contents": "write"})
    sha = megatron.world.repository(REPOSITORY).branch("main") or ""
    with app_client(megatron, keys) as client, pytest.raises(GithubException) as refused:
        client.get_repo(REPOSITORY).create_check_run("gate", sha)
    assert refused.value.status == 403


def test_an_installation_token_dies_after_an_hour(megatron: GitHubLab, keys: AppKeys):
    clock = [1000.0]
    credentials = Credentials(megatron.world, clock=lambda: clock[0])
    installation = megatron.world.installations[keys.installation_id]
    token, expires_at = credentials.installation_token(installation, {"contents": "read"}, frozenset())
    assert expires_at == 4600.0
    assert credentials.authenticate(f"token {token}").kind == "installation"
    clock[0] = 4600.0
    with pytest.raises(Exception, match="Bad credentials"):
        credentials.authenticate(f"token {token}")


def test_a_member_of_a_team_is_found_and_others_are_not(megatron: GitHubLab, ann: Api):
    megatron.world.set_team("NVIDIA", "mcore-engineers", ["max"])
    path = "/orgs/NVIDIA/teams/mcore-engineers/memberships"
    assert ann.get(f"{path}/max").json()["state"] == "active"
    assert ann.get(f"{path}/bob").status_code == 404


def test_the_private_key_of_an_app_does_not_show(keys: AppKeys):
    assert "PRIVATE" not in repr(keys)


def test_a_token_may_be_for_some_of_the_repositories(megatron: GitHubLab):
    megatron.world.add_repository("NVIDIA/other", {"a": "1"})
    keys = megatron.app("bump-bot", [REPOSITORY, "NVIDIA/other"])
    path = f"/app/installations/{keys.installation_id}/access_tokens"
    narrow = send_wrong(megatron, signed(keys), "POST", path, {"repositories": ["other"]}).json()
    assert [repository["full_name"] for repository in narrow["repositories"]] == ["NVIDIA/other"]
    refused = send_wrong(megatron, narrow["token"], "POST", f"{REPO}/git/blobs", {"content": "a"})
    assert refused.status_code == 403
    unknown = send_wrong(megatron, signed(keys), "POST", path, {"repositories": ["none"]})
    assert unknown.status_code == 422


def test_an_app_sees_its_own_installations_only(megatron: GitHubLab, keys: AppKeys):
    other = megatron.app("other-bot", ["NVIDIA/Megatron-LM"])
    path = f"/app/installations/{keys.installation_id}"
    assert send_wrong(megatron, signed(keys), "GET", path, None).json()["app_slug"] == "bump-bot"
    assert send_wrong(megatron, signed(other), "GET", path, None).status_code == 404
    nowhere = "/repos/NVIDIA/none/installation"
    assert send_wrong(megatron, signed(keys), "GET", nowhere, None).status_code == 404
