"""Pull tokens: how the client gets one from a registry with nvcr.io's habits, and whom it shows what."""

import asyncio
import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.core.errors import ServiceError
from bot.registry.client import RegistryClient
from tests.adapters.registry.conftest import AT_ONCE
from tests.adapters.registry.nvcr import HTML_401, json_reply
from tests.adapters.registry.stub_server import Reply, StubServer
from tests.fakes.images import IMAGE

TAGS = ("25.10-py3", "25.10-py3-igpu", "26.07-py3")
LIST = "/v2/nvidia/pytorch/tags/list"
LIST_ALL = f"{LIST}?n=1000"
REALM = "/proxy_auth?scope=repository%3Anvidia%2Fpytorch%3Apull"


def new_key() -> str:
    return secrets.token_urlsafe(24)


@pytest.mark.parametrize(
    "challenge",
    [
        pytest.param("", id="no scope"),
        pytest.param(',scope=""', id="empty scope"),
        pytest.param(',scope="repository:nvidia/pytorch:pull"', id="scope"),
    ],
)
def test_tags_are_read_without_any_credentials(nvcr, registry, challenge):
    nvcr.challenge = challenge

    assert registry.tags(IMAGE) == TAGS
    assert nvcr.exchange == [(LIST_ALL, "cold"), (REALM, "cold"), (LIST_ALL, "Bearer")]


def test_the_bot_says_who_it_is(nvcr, registry):
    registry.tags(IMAGE)

    assert {it.headers["user-agent"].partition("/")[0] for it in nvcr.registry.received} == {"ngc-bump-bot"}


def test_a_token_serves_until_shortly_before_it_expires(nvcr, registry):
    registry.tags(IMAGE)
    registry.tags(IMAGE)

    assert [path for path, _ in nvcr.exchange].count(REALM) == 1


def test_a_token_that_expires_at_once_serves_its_request_only(nvcr, registry):
    nvcr.expires_in = 30

    registry.tags(IMAGE)
    registry.tags(IMAGE)

    assert [path for path, _ in nvcr.exchange].count(REALM) == 2


def test_questions_side_by_side_share_one_token(nvcr, registry):
    found = registry.manifests(IMAGE, [*TAGS, "26.08-py3"])

    assert [manifest and manifest.tag for manifest in found] == [*TAGS, None]
    assert [path for path, _ in nvcr.exchange].count(REALM) == 1


def test_a_stale_token_is_renewed_by_the_challenge_to_a_request_without_it(nvcr, registry):
    registry.tags(IMAGE)
    nvcr.tokens.clear()
    nvcr.registry.received.clear()

    assert registry.tags(IMAGE) == TAGS
    assert nvcr.exchange == [(LIST_ALL, "Bearer"), (LIST_ALL, "cold"), (REALM, "cold"), (LIST_ALL, "Bearer")]
    assert nvcr.authn.received == []


def test_a_registry_that_stops_asking_for_tokens_is_read_without(nvcr, registry):
    registry.tags(IMAGE)
    stale = Reply(401, HTML_401, {"WWW-Authenticate": 'Bearer realm="https://authn.nvidia.com/token"'})
    nvcr.script(LIST, stale, json_reply({"tags": ["26.07-py3"]}))

    assert registry.tags(IMAGE) == ("26.07-py3",)


def test_a_fresh_token_that_is_refused_ends_the_matter(nvcr, registry):
    refused = Reply(401, HTML_401, {"WWW-Authenticate": f'Bearer realm="{nvcr.registry.url}/proxy_auth"'})
    nvcr.script(LIST, refused, refused, refused, refused)

    with pytest.raises(ServiceError, match="status 401 in spite of a fresh token"):
        registry.tags(IMAGE)

    assert nvcr.exchange == [(LIST_ALL, "cold"), (REALM, "cold"), (LIST_ALL, "Bearer")]


@pytest.mark.parametrize(
    ("challenges", "words"),
    [
        pytest.param([], "no bearer challenge", id="none"),
        pytest.param(['Basic realm="registry"'], "no bearer challenge", id="a login that is not ours"),
        pytest.param(['Bearer service="registry"'], "no bearer challenge", id="no realm"),
        pytest.param(
            ['Bearer realm="https://tokens.example/get"'],
            "a login at `tokens.example`, which is not",
            id="foreign",
        ),
        pytest.param(
            ['Bearer realm="http://169.254.169.254/latest"'], "a login at `169.254.169.254`", id="private"
        ),
        pytest.param(['Bearer realm="http://[::1"'], "a login at `http://", id="no URL"),
        pytest.param(['Bearer realm="/token"'], "not one of its addresses", id="relative"),
        pytest.param(
            ['Bearer realm="https://nvcr.io@tokens.example/"'], "a login at `tokens.example`", id="disguised"
        ),
    ],
)
def test_a_challenge_that_leads_nowhere_is_an_error(nvcr, registry, challenges, words):
    nvcr.script(LIST, Reply(401, HTML_401, {"WWW-Authenticate": challenges}))

    with pytest.raises(ServiceError, match=words):
        registry.tags(IMAGE)

    assert len(nvcr.registry.received) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param(Reply(403, b'{"error":"access denied"}'), "status 403", id="refused"),
        pytest.param(Reply(404, b"no"), "status 404", id="not there"),
        pytest.param(Reply(200, b"<html>"), "a document that is not JSON", id="a page"),
        pytest.param(Reply(200, b'{"expires_in":300}'), "neither `token` nor `access_token`", id="no token"),
        pytest.param(Reply(200, b'{"token":"a\\r\\nb"}'), "has another form", id="a token that is no header"),
        pytest.param(Reply(200, b" " * (64 * 1024 + 1)), "more than 65536 bytes", id="too large"),
        pytest.param(Reply(302, b"", {"Location": "/elsewhere"}), "a redirect too many", id="a redirect"),
    ],
)
def test_a_realm_that_gives_no_token_is_an_error(nvcr, registry, answer, words):
    nvcr.script("/proxy_auth", answer)

    with pytest.raises(ServiceError, match=words) as caught:
        registry.tags(IMAGE)

    assert "a pull token for `nvidia/pytorch`" in caught.value.message
    assert [path for path, _ in nvcr.exchange] == [LIST_ALL, REALM]


def test_a_refused_token_tells_the_way_to_a_key(nvcr, registry):
    nvcr.script("/proxy_auth", Reply(403, b'{"error":"access denied"}'))

    with pytest.raises(ServiceError) as caught:
        registry.tags(IMAGE)

    assert "NGC_API_KEY" in (caught.value.hint or "")


def test_a_key_is_shown_to_the_realm_and_to_nobody_else(nvcr):
    key = new_key()
    registry = RegistryClient({"nvcr.io": nvcr.registry.url}, api_key=key, patience=AT_ONCE)

    registry.configs(IMAGE, registry.manifest(IMAGE, "26.07-py3"))

    shown = {it.path for it in nvcr.registry.received if (it.authorization or "").startswith("Basic")}
    assert shown == {REALM}
    assert all(it.authorization is None for it in nvcr.layers.received)


def test_a_foreign_realm_on_this_machine_gets_no_key(nvcr):
    with StubServer(lambda _: json_reply({"token": "foreign"})) as foreign:
        challenge = f'Bearer realm="{foreign.url}/token"'
        nvcr.script(LIST, Reply(401, HTML_401, {"WWW-Authenticate": challenge}))
        nvcr.tokens.add("foreign")

        registry = RegistryClient({"nvcr.io": nvcr.registry.url}, api_key=new_key(), patience=AT_ONCE)

        assert registry.tags(IMAGE) == TAGS
        assert [it.authorization for it in foreign.received] == [None]


def test_a_realm_that_redirects_does_not_take_the_key_along(nvcr):
    with StubServer(lambda _: json_reply({"token": "foreign"})) as foreign:
        nvcr.script("/proxy_auth", Reply(307, b"", {"Location": f"{foreign.url}/token"}))
        registry = RegistryClient({"nvcr.io": nvcr.registry.url}, api_key=new_key(), patience=AT_ONCE)

        with pytest.raises(ServiceError, match="a redirect too many"):
            registry.tags(IMAGE)

        assert foreign.received == []


def test_a_registry_that_repeats_a_credential_does_not_get_it_into_a_message():
    key = new_key()

    def repeat(request):
        if request.authorization is None:
            challenge = f'Bearer realm="http://{request.headers["host"]}/token"'
            return Reply(401, HTML_401, {"WWW-Authenticate": challenge})
        return Reply(403, f"you sent {request.authorization}, that is {key}".encode())

    with StubServer(repeat) as echo:
        registry = RegistryClient({"nvcr.io": echo.url}, api_key=key, patience=AT_ONCE)
        with pytest.raises(ServiceError, match="you sent Basic …, that is …"):
            registry.tags(IMAGE)

    assert key not in repr(registry)


def test_the_client_can_be_used_from_several_threads(registry):
    with ThreadPoolExecutor(max_workers=3) as threads:
        lists = list(threads.map(registry.tags, [IMAGE] * 6))

    assert lists == [TAGS] * 6


def test_the_client_can_be_used_beside_a_running_event_loop(registry):
    async def ask():
        return await asyncio.to_thread(registry.tags, IMAGE)

    assert asyncio.run(ask()) == TAGS
