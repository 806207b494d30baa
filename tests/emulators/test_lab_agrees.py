"""A bump by hand, once on the lab and once on emulate: what a client sees is the same."""

from collections.abc import Callable
from typing import Any

import pytest
from github import Auth, Github, GithubException, GithubIntegration, InputGitTreeElement
from github.Repository import Repository

from bot.lab.server import GitHubLab
from tests.emulators.emulator import Emulator
from tests.lab.client import PROMPT, app_client

pytestmark = pytest.mark.component("emulate")

BRANCH = "bot/base-image/main/dev-26.06-py3"


def refused(call: Callable[[], Any]) -> int:
    """Return the status with which a call is refused."""
    with pytest.raises(GithubException) as error:
        call()
    return error.value.status


def commit(repository: Repository, parent_sha: str, text: str) -> str:
    parent = repository.get_git_commit(parent_sha)
    element = InputGitTreeElement("docker/pin", "100644", "blob", content=text)
    tree = repository.create_git_tree([element], parent.tree)
    return repository.create_git_commit("Move", tree, [parent]).sha


def bump(repository: Repository) -> dict[str, Any]:
    """Move a pin by pull request and return what was seen on the way."""
    start = repository.get_branch("main").commit.sha
    first = commit(repository, start, "26.06\n")
    reference = repository.create_git_ref(f"refs/heads/{BRANCH}", first)
    seen: dict[str, Any] = {"tree": repository.get_git_commit(first).tree.sha}
    seen["taken"] = refused(lambda: repository.create_git_ref(f"refs/heads/{BRANCH}", first))

    pull = repository.create_pull("main", BRANCH, title="Move", body="Why", draft=True)
    seen["pull"] = (
        pull.number,
        pull.state,
        pull.draft,
        pull.title,
        pull.body,
        pull.user.login,
        pull.user.type,
    )
    seen["sides"] = (pull.head.label, pull.head.sha == first, pull.base.ref, pull.base.sha == start)
    seen["second"] = refused(lambda: repository.create_pull("main", BRANCH, title="Again", body=""))
    seen["files"] = [(file.filename, file.status) for file in pull.get_files()]

    pull.add_to_labels("Run functional tests")
    pull.add_to_labels("Run functional tests", "size/S")
    seen["labels"] = [label.name for label in pull.get_labels()]
    comment = pull.create_issue_comment("status: running")
    comment.edit("status: done")
    seen["comments"] = [(found.user.login, found.body) for found in pull.get_issue_comments()]
    comment.create_reaction("eyes")
    seen["reactions"] = [(found.user.login, found.content) for found in comment.get_reactions()]

    second = commit(repository, first, "26.07\n")
    reference.edit(second)
    other = commit(repository, start, "26.08\n")
    seen["backwards"] = refused(lambda: reference.edit(other))
    comparison = repository.compare(start, second)
    seen["comparison"] = (comparison.status, comparison.ahead_by, comparison.behind_by)
    seen["order"] = [
        found.sha == wanted for found, wanted in zip(comparison.commits, (first, second), strict=True)
    ]
    listed = repository.get_pulls(state="all", head=f"{repository.owner.login}:{BRANCH}")
    seen["listed"] = [(found.number, found.head.sha == second) for found in listed]

    run = repository.create_check_run("gate", second, status="in_progress")
    run.edit(status="completed", conclusion="success", output={"title": "Pins", "summary": "agree"})
    runs = repository.get_commit(second).get_check_runs(check_name="gate")
    seen["runs"] = [(found.name, found.status, found.conclusion) for found in runs]
    repository.get_commit(second).create_status("success", context="gate", description="agree")
    seen["status"] = repository.get_commit(second).get_combined_status().state
    seen["role"] = repository.get_collaborator_role_name("stranger")

    pull.edit(body="New", state="closed")
    seen["closed"] = [
        (found.number, found.state, found.body) for found in repository.get_pulls(state="closed")
    ]
    return seen


def on_emulate(emulator: Emulator) -> dict[str, Any]:
    auth = Auth.AppAuth(emulator.app_id, emulator.private_key)
    integration = GithubIntegration(auth=auth, base_url=emulator.url, **PROMPT)
    client = integration.get_github_for_installation(emulator.installation_id)
    try:
        return bump(client.get_repo(emulator.repository))
    finally:
        client.close()
        integration.close()


def test_a_bump_looks_the_same(lab: GitHubLab, emulator: Emulator):
    with Github(auth=Auth.Token(emulator.tokens["acme"]), base_url=emulator.url, **PROMPT) as client:
        readme = client.get_repo(emulator.repository).get_contents("README.md")
    lab.world.add_repository(emulator.repository, {"README.md": readme.decoded_content})
    lab.world.user("stranger")
    with app_client(lab, lab.app("bump-bot", [emulator.repository])) as client:
        seen = bump(client.get_repo(emulator.repository))
    assert seen == on_emulate(emulator)
