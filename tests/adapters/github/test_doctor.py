"""What the doctor sees on GitHub, and that it only looks."""

import pytest

from bot.github.auth import Accounts, Credentials
from bot.github.doctor import Finding, Subject, examine
from bot.github.session import Server
from tests.adapters.github.hosts import REPOSITORY, all_roles
from tests.adapters.github.scripted import Reply


@pytest.fixture
def stage(stage_of):
    stage = stage_of("both")
    stage.lab.world.add_label(stage.repository, "container::lts")
    return stage


def look(stage, **subject):
    wanted = {"branch": "main", **subject}
    found = examine(stage.host._accounts, Subject(stage.repository, stage.push_repository, **wanted))
    return {finding.what: finding for finding in found}


def test_identities_and_their_rights_are_named(stage, ear):
    found = look(stage)

    bot = stage.host.actor("commit").login
    assert [(it.what, it.state, it.detail) for it in list(found.values())[:3]] == [
        ("commit identity", True, f"{bot} (App)"),
        ("pull_request identity", True, "bump-bot (user)"),
        ("comment identity", True, "bump-bot (user)"),
    ]
    assert found[f"user on {stage.repository}"][1:] == (True, "may pull, push, triage")
    assert {method for method, _, _ in ear.heard} == {"GET"}


def test_a_permission_that_an_app_lacks_is_named(stage):
    app = stage.lab.world.apps[stage.host._accounts.credentials.app_id]
    app.permissions.update(actions="read", checks="read")

    found = look(stage)[f"App on {stage.repository}"]

    assert found == Finding(
        f"App on {stage.repository}", state=False, detail="lacks actions: write, checks: write"
    )


@pytest.mark.parametrize(
    ("role", "state"),
    [("read", False), ("triage", False), ("write", True), ("admin", True), ("helper", True)],
)
def test_a_user_has_to_be_able_to_push(stage, role, state):
    stage.set_role("bump-bot", role)

    assert look(stage)[f"user on {stage.repository}"].state is state


def test_branches_and_labels_are_there_or_not(stage):
    assert look(stage, branch="main", labels=["container::lts", "Run tests"])["branch main"].state is True
    found = look(stage, branch="core_r0.17.0", labels=["container::lts", "Run tests"])

    assert found["branch core_r0.17.0"].state is False
    assert found["label container::lts"].state is True
    assert found["label Run tests"].state is False


def test_a_fork_that_is_not_there_is_no_place_to_push(stage):
    found = examine(stage.host._accounts, Subject(stage.repository, "nobody/widgets", "main"))
    states = {it.what: it.state for it in found}

    assert states["user on nobody/widgets"] is False
    assert states["App on nobody/widgets"] is False
    assert states[f"user on {stage.repository}"] is True


def test_a_team_is_seen_or_it_is_not_known(stage):
    organization = stage.repository.partition("/")[0]
    stage.lab.world.set_team(organization, "ci", ["bump-bot"])
    stage.lab.world.set_team(organization, "reviewers", ["ada"])

    found = look(stage, teams=[f"{organization}/ci", f"{organization}/reviewers"])

    assert found[f"team {organization}/ci"][1:] == (True, "bump-bot is active")
    assert found[f"team {organization}/reviewers"].state is None


def test_what_fails_does_not_hide_the_rest(script, server):
    accounts = Accounts(Credentials(all_roles("user"), "not-a-secret"), server, REPOSITORY)
    script.replies = [Reply(400, {"message": "Out of order"})] * 5

    found = examine(accounts, Subject(REPOSITORY, REPOSITORY, "main"))

    assert [it.state for it in found] == [None] * 5
    assert all("Out of order" in it.detail for it in found)


def test_credentials_that_are_not_accepted_are_said_once(script, server):
    accounts = Accounts(Credentials(all_roles("user"), "not-a-secret"), server, REPOSITORY)
    script.replies = [Reply(401, {"message": "Bad credentials"})]

    [found] = examine(accounts, Subject(REPOSITORY, REPOSITORY, "main"))

    assert (found.what, found.state) == ("credentials", False)
    assert "Bad credentials" in found.detail


def test_without_credentials_the_doctor_says_so(server):
    accounts = Accounts(Credentials({}), Server(server.api_url), REPOSITORY)

    found = examine(accounts, Subject(REPOSITORY, REPOSITORY, "main"))

    assert {it.state for it in found} == {None}
