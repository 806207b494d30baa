"""What we mend in `emulate`, each beside what it does by itself.

A row that fails `as_shipped` tells that a new version of emulate needs this piece of the shim no more.
"""

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jwt
import pytest
import requests

from tests.emulators.emulator import Emulator

pytestmark = pytest.mark.component("emulate")


@dataclass
class Probe:
    """Requests to one emulator; `user` and `app` are the tokens of the owner and of the installation."""

    emulator: Emulator
    user: str
    app: str

    def send(self, method: str, path: str, body: Any = None, token: str | None = None) -> requests.Response:
        headers = {"Authorization": f"token {token or self.user}"}
        return requests.request(method, self.emulator.url + path, json=body, headers=headers, timeout=10)

    def repo(self, method: str, path: str, body: Any = None, token: str | None = None) -> requests.Response:
        return self.send(method, f"/repos/{self.emulator.repository}{path}", body, token)

    @property
    def head(self) -> str:
        return self.repo("GET", "/branches/main").json()["commit"]["sha"]

    def commit(self) -> str:
        """Make a commit on top of main and return its sha."""
        head = self.head
        entries = [{"path": "a/b.txt", "mode": "100644", "type": "blob", "content": "one\n"}]
        tree = self.repo("POST", "/git/trees", {"base_tree": self._tree(head), "tree": entries}).json()["sha"]
        body = {"message": "m", "tree": tree, "parents": [head]}
        return self.repo("POST", "/git/commits", body).json()["sha"]

    def _tree(self, commit: str) -> str:
        return self.repo("GET", f"/git/commits/{commit}").json()["tree"]["sha"]

    def branch(self, name: str = "bot/x") -> str:
        """Make a branch with one commit and return its sha."""
        sha = self.commit()
        assert self.repo("POST", "/git/refs", {"ref": f"refs/heads/{name}", "sha": sha}).status_code == 201
        return sha

    def pull(self) -> requests.Response:
        return self.repo("POST", "/pulls", {"title": "t", "head": "bot/x", "base": "main"})


def token_of(emulator: Emulator, **claims: Any) -> str:
    """Return a JSON web token of the App."""
    now = int(time.time())
    given = {"iat": now - 30, "exp": now + 300, "iss": str(emulator.app_id), **claims}
    return jwt.encode(given, emulator.private_key, algorithm="RS256")


def installation_token(emulator: Emulator, body: Any) -> str:
    answer = requests.post(
        f"{emulator.url}/app/installations/{emulator.installation_id}/access_tokens",
        json=body,
        headers={"Authorization": f"Bearer {token_of(emulator)}"},
        timeout=10,
    )
    return answer.json()["token"]


def probe(emulator: Emulator) -> Probe:
    emulator.reset()
    token = installation_token(emulator, {})
    return Probe(emulator, emulator.tokens["acme"], token)


def unknown_token(probe: Probe) -> int:
    return probe.send("GET", "/user", token="unknown").status_code


def long_json_web_token(probe: Probe) -> int:
    token = token_of(probe.emulator, exp=int(time.time()) + 900)
    return probe.send("GET", "/app", token=token).status_code


def token_with_empty_permissions(probe: Probe) -> int:
    token = installation_token(probe.emulator, {"permissions": {}})
    return probe.repo("POST", "/git/blobs", {"content": "a"}, token=token).status_code


def installation_as_user(probe: Probe) -> int:
    return probe.send("GET", "/user", token=probe.app).status_code


def account_of_the_app(probe: Probe) -> int:
    return probe.send("GET", "/users/bump-bot[bot]").status_code


def address_of_a_ref(probe: Probe) -> str:
    url: str = probe.repo("GET", "/git/ref/heads/main").json()["url"]
    return url.removeprefix(f"{probe.emulator.url}/repos/{probe.emulator.repository}")


def second_pull_request(probe: Probe) -> int:
    probe.branch()
    assert probe.pull().status_code == 201
    return probe.pull().status_code


def pull_request_of_nothing(probe: Probe) -> int:
    body = {"ref": "refs/heads/bot/x", "sha": probe.head}
    assert probe.repo("POST", "/git/refs", body).status_code == 201
    return probe.pull().status_code


def pull_request_of_no_branch(probe: Probe) -> int:
    return probe.pull().status_code


def files_of_a_pull_request(probe: Probe) -> list[str]:
    probe.branch()
    number = probe.pull().json()["number"]
    return [file["filename"] for file in probe.repo("GET", f"/pulls/{number}/files").json()]


def pull_request_as_issue(probe: Probe) -> int:
    probe.branch()
    return probe.repo("GET", f"/issues/{probe.pull().json()['number']}").status_code


def head_after_a_push(probe: Probe) -> bool:
    old = probe.branch()
    number = probe.pull().json()["number"]
    body = {"message": "more", "tree": probe._tree(old), "parents": [old]}
    new = probe.repo("POST", "/git/commits", body).json()["sha"]
    # By the address that both know.
    assert probe.repo("PATCH", "/git/refs/heads/bot/x", {"sha": new}).status_code == 200
    return bool(probe.repo("GET", f"/pulls/{number}").json()["head"]["sha"] == new)


def check_run_of_a_person(probe: Probe) -> int:
    return probe.repo("POST", "/check-runs", {"name": "gate", "head_sha": probe.head}).status_code


def commit_status(probe: Probe) -> int:
    body = {"state": "success", "context": "gate"}
    return probe.repo("POST", f"/statuses/{probe.head}", body).status_code


def combined_status(probe: Probe) -> str | None:
    sha = probe.head
    for state in ("failure", "success"):
        probe.repo("POST", f"/statuses/{sha}", {"state": state, "context": "gate"})
    state: str | None = probe.repo("GET", f"/commits/{sha}/status").json().get("state")
    return state


def reaction(probe: Probe) -> list[int]:
    probe.branch()
    number = probe.pull().json()["number"]
    comment = probe.repo("POST", f"/issues/{number}/comments", {"body": "Hello"}).json()["id"]
    path = f"/issues/comments/{comment}/reactions"
    return [probe.repo("POST", path, {"content": content}).status_code for content in ("+1", "+1", "tada")]


def permission_of_a_stranger(probe: Probe) -> str | None:
    answer = probe.repo("GET", "/collaborators/stranger/permission").json()
    role: str | None = answer.get("role_name")
    return role


def permission_of_a_maintainer(probe: Probe) -> tuple[str, str]:
    probe.repo("PUT", "/collaborators/writer", {"permission": "maintain"})
    answer = probe.repo("GET", "/collaborators/writer/permission").json()
    return answer["permission"], answer["role_name"]


def files_by_graphql(probe: Probe) -> Any:
    query = """query($owner: String!, $name: String!, $e0: String!) {
        repository(owner: $owner, name: $name) {
            f0: object(expression: $e0) { ... on Blob { oid text isBinary isTruncated byteSize } }
            f1: object(expression: "main:none") { ... on Blob { oid } }
        } }"""
    owner, name = probe.emulator.repository.split("/")
    variables = {"owner": owner, "name": name, "e0": f"{probe.commit()}:a/b.txt"}
    return probe.send("POST", "/graphql", {"query": query, "variables": variables}).json().get("data")


def folder_by_graphql(probe: Probe) -> Any:
    owner, name = probe.emulator.repository.split("/")
    query = f"""{{ repository(owner: "{owner}", name: "{name}") {{
            d0: object(expression: "{probe.commit()}:a") {{ ...folder }}
        }} }}
        fragment folder on Tree {{ entries {{ name mode oid }} }}"""
    answer = probe.send("POST", "/graphql", {"query": query}).json()
    return [it["mode"] for it in answer["data"]["repository"]["d0"]["entries"]] if "data" in answer else None


BLOB = {
    "oid": "5626abf0f72e58d7a153368ba57db4c673c0e171",
    "text": "one\n",
    "isBinary": False,
    "isTruncated": False,
    "byteSize": 4,
}

DIVERGENCES = [
    pytest.param(unknown_token, 200, 401, id="an unknown token is nobody"),
    pytest.param(long_json_web_token, 200, 401, id="a JSON web token lives ten minutes at most"),
    pytest.param(token_with_empty_permissions, 403, 201, id="empty permissions ask for all"),
    pytest.param(installation_as_user, 200, 403, id="an installation is no user"),
    pytest.param(account_of_the_app, 404, 200, id="an App has an account from the start"),
    pytest.param(
        address_of_a_ref, "/git/ref/heads/main", "/git/refs/heads/main", id="where a ref is changed"
    ),
    pytest.param(second_pull_request, 201, 422, id="one pull request of a head and a base"),
    pytest.param(pull_request_of_nothing, 201, 422, id="no pull request of nothing"),
    pytest.param(pull_request_of_no_branch, 201, 422, id="no pull request of no branch"),
    pytest.param(files_of_a_pull_request, [], ["a/b.txt"], id="the files of a pull request"),
    pytest.param(head_after_a_push, False, True, id="a head that follows its branch"),
    pytest.param(pull_request_as_issue, 404, 200, id="a pull request is an issue"),
    pytest.param(check_run_of_a_person, 201, 403, id="check runs are for Apps"),
    pytest.param(commit_status, 404, 201, id="commit statuses"),
    pytest.param(combined_status, None, "success", id="the newest status of a context counts"),
    pytest.param(reaction, [404, 404, 404], [201, 200, 422], id="reactions"),
    pytest.param(permission_of_a_stranger, None, "read", id="everybody reads what is public"),
    pytest.param(
        permission_of_a_maintainer, ("maintain", "maintain"), ("write", "maintain"), id="the old permission"
    ),
    pytest.param(files_by_graphql, None, {"repository": {"f0": BLOB, "f1": None}}, id="files by GraphQL"),
    pytest.param(folder_by_graphql, None, [0o100644], id="folders by GraphQL"),
]


@pytest.mark.parametrize(("ask", "as_shipped", "as_github"), DIVERGENCES)
def test_what_the_shim_mends_is_still_otherwise_in_emulate(
    emulator_as_shipped: Emulator, ask: Callable[[Probe], Any], as_shipped: Any, as_github: Any
):
    assert ask(probe(emulator_as_shipped)) == as_shipped


@pytest.mark.parametrize(("ask", "as_shipped", "as_github"), DIVERGENCES)
def test_with_the_shim_it_is_as_at_github(
    emulator_process: Emulator, ask: Callable[[Probe], Any], as_shipped: Any, as_github: Any
):
    assert ask(probe(emulator_process)) == as_github


def test_a_reset_brings_the_seed_back(emulator_process: Emulator):
    used = probe(emulator_process)
    used.branch()
    used.repo("POST", f"/statuses/{used.head}", {"state": "success"})
    emulator_process.reset()
    assert used.repo("GET", "/branches/bot/x").status_code == 404
    assert used.repo("GET", f"/commits/{used.head}/status").json()["total_count"] == 0
    assert used.send("GET", "/rate_limit", token=used.app).status_code == 401


def test_git_objects_have_the_ids_of_git(emulator_process: Emulator):
    sha = probe(emulator_process).repo("POST", "/git/blobs", {"content": "one\n"}).json()["sha"]
    assert sha == BLOB["oid"]


def test_it_listens_on_loopback_only(emulator_process: Emulator):
    port = int(emulator_process.url.rpartition(":")[2])
    with socket.socket(socket.AF_INET6) as probe, pytest.raises(OSError):
        probe.connect(("::1", port))
