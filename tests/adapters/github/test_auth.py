"""Who signs in, with what, and what happens when GitHub refuses it."""

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.core.errors import ServiceError, UsageError
from bot.github.auth import Accounts, Credentials
from bot.github.errors import NotFound
from bot.github.session import Server
from tests.adapters.github.hosts import REPOSITORY, all_roles
from tests.adapters.github.scripted import Reply


@pytest.fixture(scope="module")
def key() -> str:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    return made.private_bytes(*pem, serialization.NoEncryption()).decode()


@pytest.fixture
def app_session(server, key):
    credentials = Credentials(all_roles("app"), app_id=7, app_private_key=key)
    return Accounts(credentials, server, REPOSITORY).session("app", REPOSITORY)


def grant(token: str, until: str = "2099-01-01T00:00:00Z") -> list[Reply]:
    return [Reply(200, {"id": 42, "app_slug": "bumper"}), Reply(201, {"token": token, "expires_at": until})]


def ok() -> Reply:
    return Reply(200, {"login": "bump-bot"})


def refused() -> Reply:
    return Reply(401, {"message": "Bad credentials"})


def signatures(script, target="/user") -> list[str]:
    return [it.headers["Authorization"] for it in script.heard if it.target == target]


def test_without_credentials_nobody_acts():
    with pytest.raises(UsageError, match="no credentials") as caught:
        Credentials({}).kind("commit")

    assert "GITHUB_TOKEN" in (caught.value.hint or "")


def test_secrets_stay_out_of_the_repr():
    shown = repr(Credentials(all_roles("user"), token="secret-token", app_private_key="secret-key"))

    assert "secret" not in shown


def test_what_is_no_key_is_told_without_showing_it(server):
    credentials = Credentials(all_roles("app"), app_id=7, app_private_key="-----BEGIN secret")
    session = Accounts(credentials, server, REPOSITORY)

    with pytest.raises(UsageError, match="BOT_APP_PRIVATE_KEY is no private key") as caught:
        session.session("app", REPOSITORY)

    assert "secret" not in caught.value.message
    assert caught.value.__cause__ is None


def test_an_app_asks_for_one_token_of_the_one_repository(script, app_session):
    script.replies = [*grant("first"), ok(), ok()]

    app_session.requestJsonAndCheck("GET", "/user")
    app_session.requestJsonAndCheck("GET", "/user")

    assert [it.target for it in script.heard] == [
        "/repos/acme/widgets/installation",
        "/app/installations/42/access_tokens",
        "/user",
        "/user",
    ]
    assert script.heard[1].body == {"repositories": ["widgets"]}
    assert signatures(script) == ["token first", "token first"]
    assert script.heard[0].headers["Authorization"].startswith("Bearer ")


def test_a_token_that_is_about_to_end_is_replaced_before_it_is_used(script, app_session):
    script.replies = [*grant("old", until="2020-01-01T00:00:00Z"), ok(), *grant("new"), ok()]

    app_session.requestJsonAndCheck("GET", "/user")
    app_session.requestJsonAndCheck("GET", "/user")

    assert signatures(script) == ["token old", "token new"]


def test_a_token_that_is_refused_is_replaced_once(script, app_session):
    script.replies = [*grant("old"), refused(), *grant("new"), ok()]

    app_session.requestJsonAndCheck("POST", "/user", input={})

    assert signatures(script) == ["token old", "token new"]


def test_a_second_refusal_ends_it(script, app_session):
    script.replies = [*grant("old"), refused(), *grant("new"), refused(), ok()]

    with pytest.raises(ServiceError, match="does not accept the credentials"):
        app_session.requestJsonAndCheck("GET", "/user")

    assert signatures(script) == ["token old", "token new"]


def test_a_users_token_cannot_be_replaced(script, session):
    script.replies = [refused(), ok()]

    with pytest.raises(ServiceError, match="does not accept the credentials"):
        session.requestJsonAndCheck("GET", "/user")

    assert len(script.heard) == 1


def test_an_app_that_is_not_installed_says_where(script, app_session):
    script.replies = [Reply(404, {"message": "Not Found"})]

    with pytest.raises(NotFound, match="App is not installed on `acme/widgets`"):
        app_session.requestJsonAndCheck("GET", "/user")


def test_the_actor_of_an_app_is_its_bot_user(shared_lab, github_judge):
    github_judge.watch(shared_lab.url, answers=False)
    shared_lab.world.add_repository("acme-auth/widgets", {"a": b"a"})
    app = shared_lab.app("bumper", ["acme-auth/widgets"])
    token = shared_lab.user_token("bump-user")
    roles = {"commit": "app", "pull_request": "user", "comment": "user"}
    credentials = Credentials(roles, token, app.id, app.private_key)
    accounts = Accounts(credentials, Server(shared_lab.url), "acme-auth/widgets")

    found = accounts.actor("app"), accounts.actor("user")

    assert [(it.id, it.login, it.is_app) for it in found] == [
        (app.bot_id, "bumper[bot]", True),
        (shared_lab.world.users["bump-user"].id, "bump-user", False),
    ]
