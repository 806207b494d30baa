"""A registry that is busy, broken or gone: how often it is asked again, and what a person is told."""

import socket

import httpx
import pytest

from bot.core.errors import ServiceError
from bot.registry.client import RegistryClient
from bot.registry.transport import Answer, BusyError, Patience, pause, retry_after
from tests.adapters.registry.conftest import AT_ONCE
from tests.adapters.registry.stub_server import Reply
from tests.fakes.images import IMAGE

LIST = "/v2/nvidia/pytorch/tags/list"
BUSY = Reply(503, b"<html><h1>Service Unavailable</h1></html>", {"Content-Type": "text/html"})


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([BUSY, Reply(502)], id="faults that pass"),
        pytest.param([Reply(429, b"", {"Retry-After": "0"})], id="too many requests"),
        pytest.param([Reply(429)], id="too many requests without a time"),
        pytest.param([Reply(200, b'{"tags":', promised=500)], id="a connection that breaks"),
    ],
)
def test_a_fault_that_passes_does_no_harm(nvcr, registry, answers):
    nvcr.script(LIST, *answers)

    assert "26.07-py3" in registry.tags(IMAGE)


def test_a_registry_that_stays_broken_is_left_alone_after_four_attempts(nvcr, registry):
    nvcr.script(LIST, *[BUSY] * 9)

    with pytest.raises(ServiceError) as caught:
        registry.tags(IMAGE)

    assert caught.value.message == (
        "`nvcr.io` answered the request for the tags of `nvidia/pytorch` with status 503:"
        " `<html><h1>Service Unavailable</h1></html>`"
    )
    assert caught.value.hint == "try again later"
    assert len(nvcr.registry.received) == 4


def test_a_wait_longer_than_our_patience_is_not_cut_short(nvcr, registry):
    nvcr.script(LIST, Reply(429, b"slow down", {"Retry-After": "3600"}))

    with pytest.raises(ServiceError, match="status 429: `slow down`") as caught:
        registry.tags(IMAGE)

    assert caught.value.hint == "the registry asks to wait 3600 s before the next request"
    assert len(nvcr.registry.received) == 1


def test_a_refusal_is_not_asked_again(nvcr, registry):
    nvcr.script(LIST, *[Reply(403, b"DENIED")] * 9)

    with pytest.raises(ServiceError, match="status 403"):
        registry.tags(IMAGE)

    assert len(nvcr.registry.received) == 1


def test_a_registry_that_cannot_be_reached_is_named():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        registry = RegistryClient({"nvcr.io": f"http://127.0.0.1:{taken.getsockname()[1]}"}, patience=AT_ONCE)

        with pytest.raises(ServiceError) as caught:
            registry.tags(IMAGE)

    assert caught.value.message.startswith(
        "`nvcr.io` could not be asked for the tags of `nvidia/pytorch`: ConnectError"
    )


def test_a_call_ends_at_its_deadline(nvcr):
    registry = RegistryClient({"nvcr.io": nvcr.registry.url}, patience=Patience(deadline=0))

    with pytest.raises(ServiceError, match="gave no whole answer about `nvidia/pytorch` within 0 s"):
        registry.tags(IMAGE)


def busy(**headers: str) -> BusyError:
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    return BusyError(Answer(httpx.URL("https://nvcr.io"), 429, httpx.Headers(sent), b""))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(busy(), True, id="busy"),
        pytest.param(busy(retry_after="0"), 0.0, id="busy no longer"),
        pytest.param(busy(retry_after="7"), 7.0, id="busy for a time"),
        pytest.param(busy(retry_after="60"), 60.0, id="busy as long as we wait"),
        pytest.param(busy(retry_after="61"), False, id="busy for longer"),
        pytest.param(httpx.ReadTimeout("slow"), True, id="silence"),
        pytest.param(httpx.ConnectError("refused"), True, id="gone"),
        pytest.param(ServiceError("refused"), False, id="an answer that is final"),
        pytest.param(ValueError("a bug"), False, id="a bug"),
    ],
)
def test_an_error_says_whether_and_when_to_ask_again(error, expected):
    decision = pause(error, longest=60.0)

    # To be asked again at once (0 s) and not at all (False) are equal as numbers.
    assert (type(decision), decision) == (type(expected), expected)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param({}, None, id="none"),
        pytest.param({"Retry-After": "120"}, 120.0, id="seconds"),
        pytest.param({"Retry-After": "soon"}, None, id="words"),
        pytest.param({"Retry-After": "-5"}, None, id="negative"),
        pytest.param({"Retry-After": b"\xb2"}, None, id="no digit of ours"),
        pytest.param(
            {"Retry-After": "Wed, 01 Jul 2026 10:01:30 GMT", "Date": "Wed, 01 Jul 2026 10:00:00 GMT"},
            90.0,
            id="a date, by the clock of the registry",
        ),
        pytest.param(
            {"Retry-After": "Wed, 01 Jul 2026 09:00:00 GMT", "Date": "Wed, 01 Jul 2026 10:00:00 GMT"},
            0.0,
            id="a date that has passed",
        ),
        pytest.param({"Retry-After": "Wed, 01 Jul 2026 10:01:30 GMT"}, None, id="a date without a clock"),
        pytest.param(
            {"Retry-After": "Wed, 01 Jul 2026 10:01:30 -0000", "Date": "Wed, 01 Jul 2026 10:00:00 GMT"},
            90.0,
            id="a date without zone is in UTC",
        ),
    ],
)
def test_a_registry_can_say_how_long_to_wait(headers, seconds):
    assert retry_after(httpx.Headers(headers)) == seconds
