"""Challenges and token answers, as registries write them."""

import pytest

from bot.registry.challenge import Challenge, bearer_challenge, parse_challenges, parse_token, token_query
from bot.registry.protocol import NotUnderstoodError

REALM = "https://nvcr.io/proxy_auth"


@pytest.mark.parametrize(
    ("headers", "challenge"),
    [
        pytest.param([f'Bearer realm="{REALM}"'], Challenge(REALM), id="realm alone"),
        pytest.param([f'Bearer realm="{REALM}",scope=""'], Challenge(REALM), id="empty scope"),
        pytest.param([f'Bearer realm="{REALM}",service=""'], Challenge(REALM), id="empty service"),
        pytest.param(
            [f'Bearer realm="{REALM}", scope="repository:nvidia/pytorch:pull"'],
            Challenge(REALM, scope="repository:nvidia/pytorch:pull"),
            id="as nvcr.io writes it",
        ),
        pytest.param(
            ['Bearer realm="https://authn.nvidia.com/token",service="registry",error="invalid_token"'],
            Challenge("https://authn.nvidia.com/token", service="registry"),
            id="with service and error",
        ),
        pytest.param(
            [f'bearer REALM = "{REALM}" , Service=registry'],
            Challenge(REALM, service="registry"),
            id="other letters, blanks, no quotes",
        ),
        pytest.param(
            [f"Bearer realm={REALM},scope=repository:a/b:pull"],
            Challenge(REALM, scope="repository:a/b:pull"),
            id="addresses without quotes",
        ),
        pytest.param(
            [f'Bearer realm="{REALM}",scope="repository:a/b:pull,push"'],
            Challenge(REALM, scope="repository:a/b:pull,push"),
            id="a comma in quotes",
        ),
        pytest.param(
            [rf'Bearer realm="{REALM}",service="say \"hi\", Basic realm=\"x\""'],
            Challenge(REALM, service='say "hi", Basic realm="x"'),
            id="quotes in quotes",
        ),
        pytest.param(
            [f'Basic realm="a, b", Bearer realm="{REALM}"'], Challenge(REALM), id="the second of two"
        ),
        pytest.param(['Basic realm="x"', f'Bearer realm="{REALM}"'], Challenge(REALM), id="in two headers"),
        pytest.param(
            ["Negotiate YWJj==", f'Bearer realm="{REALM}"'], Challenge(REALM), id="beside a long word"
        ),
        pytest.param(
            [f'Bearer realm="{REALM}", Bearer realm="https://other.example"'],
            Challenge(REALM),
            id="the first wins",
        ),
        pytest.param(['Bearer realm="first", realm="second"'], Challenge("first"), id="the first value wins"),
        pytest.param(['Basic realm="registry"'], None, id="basic"),
        pytest.param(["Bearer"], None, id="bare"),
        pytest.param(['Bearer realm=""'], None, id="empty realm"),
        pytest.param(['realm="x"'], None, id="no scheme"),
        pytest.param(['Bearer realm="unfinished'], None, id="unfinished"),
        pytest.param([""], None, id="empty"),
        pytest.param([], None, id="none"),
    ],
)
def test_the_bearer_challenge_is_found(headers, challenge):
    assert bearer_challenge(headers) == challenge


def test_every_challenge_keeps_its_own_parameters():
    assert parse_challenges([f'Basic realm="a, b", charset=UTF-8, Bearer realm="{REALM}"']) == (
        ("basic", {"realm": "a, b", "charset": "UTF-8"}),
        ("bearer", {"realm": REALM}),
    )


@pytest.mark.parametrize(
    ("challenge", "query"),
    [
        (Challenge(REALM), {"scope": "repository:nvidia/pytorch:pull"}),
        (
            Challenge(REALM, service="registry"),
            {"service": "registry", "scope": "repository:nvidia/pytorch:pull"},
        ),
        (
            Challenge(REALM, scope="repository:nvidia/pytorch:pull,x"),
            {"scope": "repository:nvidia/pytorch:pull,x"},
        ),
    ],
)
def test_a_token_is_asked_for_with_a_scope_and_with_a_service_only_if_there_is_one(challenge, query):
    assert token_query(challenge, "nvidia/pytorch") == query


@pytest.mark.parametrize(
    ("body", "value", "good_until"),
    [
        (b'{"token":"abc","expires_in":300}', "abc", 1270.0),
        (b'{"access_token":"abc","expires_in":600.5}', "abc", 1570.5),
        (b'{"token":"abc","access_token":"def","expires_in":"300"}', "abc", 1270.0),
        (b'{"token":"abc"}', "abc", 1030.0),
        (b'{"token":"abc","expires_in":null}', "abc", 1030.0),
    ],
)
def test_a_token_is_renewed_half_a_minute_before_it_expires(body, value, good_until):
    token = parse_token(body, now=1000.0)

    assert (token.value, token.good_until) == (value, good_until)
    assert token.is_fresh(good_until - 1)
    assert not token.is_fresh(good_until)


def test_a_token_does_not_show_itself():
    assert "abc" not in repr(parse_token(b'{"token":"abc"}', now=0))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>", "is not JSON"),
        (b"{}", "has neither `token` nor `access_token`"),
        (b'{"token":""}', "`token`"),
        (b'{"token":"a b"}', "`token`"),
        (b'{"token":"abc","expires_in":NaN}', "`expires_in`"),
        (b'["abc"]', "`document`"),
    ],
)
def test_an_answer_without_a_usable_token_is_not_understood(body, words):
    with pytest.raises(NotUnderstoodError, match=words):
        parse_token(body, now=0)
