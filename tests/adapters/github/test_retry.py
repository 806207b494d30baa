"""What is sent again and what is not, and how long the bot waits before."""

import socket

import pytest
from github.Auth import Token

from bot.core.errors import Refused, ServiceError
from bot.core.host import Call
from bot.github.retry import PatientRetry, limit_wait
from bot.github.session import Server, Session
from tests.adapters.github.scripted import Reply

NOW = 1_700_000_000.0
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for user ID 1."
WRITE = Call("POST", "/repos/acme/widgets/git/refs", {"ref": "refs/heads/x", "sha": "0" * 40})


@pytest.mark.parametrize(
    ("status", "headers", "message", "wait"),
    [
        pytest.param(403, {"Retry-After": "30"}, SECONDARY, 30, id="secondary limit with its time"),
        pytest.param(403, {}, SECONDARY, 60, id="secondary limit without a time: a minute"),
        pytest.param(429, {}, "", 60, id="429 without a word"),
        pytest.param(429, {"Retry-After": "7"}, "", 7, id="429 with its time"),
        pytest.param(403, {"Retry-After": "0"}, SECONDARY, 1, id="at least a second"),
        pytest.param(
            403,
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(NOW) + 90)},
            PRIMARY,
            91,
            id="primary limit: until the end of the second in which it is reset",
        ),
        pytest.param(
            403,
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(NOW) - 90)},
            PRIMARY,
            1,
            id="primary limit that is over by now",
        ),
        pytest.param(
            403,
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(NOW) + 90)},
            "Resource not accessible by integration",
            None,
            id="no permission, asked for with the last request of the hour",
        ),
        pytest.param(403, {}, "Resource not accessible by integration", None, id="no permission"),
        pytest.param(404, {"Retry-After": "30"}, SECONDARY, None, id="not found"),
        pytest.param(200, {}, SECONDARY, None, id="a body that only speaks of limits"),
    ],
)
def test_the_wait_is_what_github_asks_for(status, headers, message, wait):
    assert limit_wait(status, headers, message, NOW) == wait


@pytest.mark.parametrize(
    "failure", [Reply(502), Reply(500, b"<html>"), Reply(lost=True)], ids=["502", "500", "lost connection"]
)
def test_a_read_that_failed_is_sent_again(script, session, failure):
    script.replies = [failure, failure, Reply(body={"id": 7})]

    _, document = session.requestJsonAndCheck("GET", "/user")

    assert document["id"] == 7
    assert len(script.heard) == 3


def test_a_question_in_graphql_is_a_read(script, session):
    script.replies = [Reply(502), Reply(body={"data": {"viewer": None}})]

    session.graphql_query("{ viewer { login } }", {})

    assert [it.target for it in script.heard] == ["/graphql", "/graphql"]


def test_a_read_that_fails_and_fails_is_given_up(script, session, clock):
    script.replies = [Reply(503, {"message": "No server is available"})] * 9

    with pytest.raises(ServiceError, match="No server is available"):
        session.requestJsonAndCheck("GET", "/user")

    assert len(script.heard) == 5
    assert sum(clock.slept) < 60


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("failure", [Reply(502), Reply(lost=True)], ids=["502", "lost connection"])
def test_a_write_whose_outcome_is_unknown_is_sent_once(script, session, method, failure):
    script.replies = [failure, Reply(201)]

    with pytest.raises(ServiceError) as caught:
        session.send(Call(method, WRITE.path, WRITE.body))

    assert len(script.heard) == 1
    assert "unknown" in (caught.value.hint or "")


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(Reply(403, {"message": SECONDARY}, {"Retry-After": "30"}), id="403"),
        pytest.param(Reply(429, {"message": "Too many requests"}, {"Retry-After": "30"}), id="429"),
        pytest.param(Reply(429, b"slow down", {"Retry-After": "30"}), id="429 that is no JSON"),
    ],
)
def test_what_a_limit_refused_is_sent_again_after_the_wait(script, session, clock, method, refusal):
    script.replies = [refusal, refusal, Reply(body={"id": 7})]

    _, document = session.requestJsonAndCheck(method, "/user", input={} if method != "GET" else None)

    assert document["id"] == 7
    assert clock.slept == [30, 30]


def test_waits_of_one_request_add_up_to_two_minutes_at_most(script, session, clock):
    script.replies = [Reply(403, {"message": SECONDARY}, {"Retry-After": "50"})] * 9

    with pytest.raises(ServiceError, match="asks to wait 50 s before `POST /repos/acme/widgets/git/refs`"):
        session.send(WRITE)

    assert clock.slept == [50, 50]
    assert len(script.heard) == 3


def test_a_limit_of_an_hour_is_not_waited_for(script, session, clock):
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(clock.now) + 3540)}
    script.replies = [Reply(403, {"message": PRIMARY}, reset)]

    with pytest.raises(ServiceError, match="wait 3541 s") as caught:
        session.requestJsonAndCheck("GET", "/user")

    assert clock.slept == []
    assert "120 s" in (caught.value.hint or "")


def test_a_permission_that_is_missing_is_no_limit(script, session, clock):
    script.replies = [Reply(403, {"message": "Resource not accessible by integration"})]

    with pytest.raises(Refused, match="not accessible by integration"):
        session.send(WRITE)

    assert len(script.heard) == 1
    assert clock.slept == []


def test_a_write_that_never_arrived_is_tried_again(clock):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    retry = PatientRetry(total=2, sleep=clock.sleep)
    session = Session(Token("not-a-secret"), Server(f"http://127.0.0.1:{port}", retry=retry))

    with pytest.raises(ServiceError, match="no answer"):
        session.send(WRITE)

    assert len(clock.slept) == 2
