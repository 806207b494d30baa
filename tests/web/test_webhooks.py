"""Webhooks on the wire: what is accepted, what is refused, what is poked."""

import json
import socket

import httpx
import pytest

from bot.core.errors import ServiceError
from bot.core.watch import Watch, Watched
from bot.core.work import Key
from bot.github.webhook import github_delivery
from bot.gitlab.webhook import gitlab_delivery
from bot.lab.server import serving
from bot.web.app import create_app
from bot.web.intake import Intake, Source
from tests.adapters.github.deliveries import corpus, example, signed
from tests.fakes.work_queue import FakeQueue

OLD, NEW = "older", "newer"
WATCH = Watch([Watched("Codertocat/Hello-World", frozenset({"main"}), "adlr/widgets")])
LIMIT = 4_000_000
CONVERSATION = Key("codertocat/hello-world", "conversation 1")


@pytest.fixture
def queue():
    return FakeQueue()


@pytest.fixture(scope="module")
def server():
    with serving() as stage:
        yield stage


@pytest.fixture
def client(server, queue):
    sources = {
        "github": Source(github_delivery, (OLD, NEW)),
        "gitlab": Source(gitlab_delivery, (NEW,)),
    }
    server.app = create_app(Intake(sources, WATCH, queue), queue, body_limit=LIMIT)
    with httpx.Client(base_url=server.url, timeout=20) as client:
        yield client


def command(text="/bot help"):
    payload = example("issue_comment", "created")
    payload["comment"]["body"] = text
    return json.dumps(payload).encode()


def post(client, body, event="issue_comment", secret=OLD, **headers):
    return client.post("/webhooks/github", content=body, headers=signed(event, body, secret) | headers)


@pytest.mark.parametrize("secret", [OLD, NEW])
def test_a_command_is_accepted_and_pokes_its_conversation(client, queue, secret):
    answer = post(client, command(), secret=secret)

    assert (answer.status_code, answer.text) == (202, "accepted\n")
    assert queue.pokes == [CONVERSATION]


def test_a_pipeline_of_gitlab_is_accepted_too(client, queue):
    body = {
        "object_attributes": {"id": 1, "ref": "pull-request/1", "sha": "a" * 40, "status": "success"},
        "project": {"path_with_namespace": "adlr/widgets"},
    }
    headers = {"X-Gitlab-Event": "Pipeline Hook", "X-Gitlab-Token": NEW}

    answer = client.post("/webhooks/gitlab", json=body, headers=headers)

    assert answer.status_code == 202
    assert queue.pokes == [CONVERSATION]


@pytest.mark.parametrize(
    ("event", "body"),
    [
        pytest.param("issue_comment", command("thanks"), id="talk"),
        pytest.param("ping", b"{}", id="ping"),
        pytest.param("star", b"[", id="an unknown event"),
    ],
)
def test_what_changes_no_bump_is_accepted_and_pokes_nothing(client, queue, event, body):
    answer = post(client, body, event)

    assert answer.status_code == 202
    assert answer.text.startswith("ignored: ")
    assert queue.pokes == []


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"x-hub-signature-256": "sha256=" + "0" * 64}, id="wrong"),
        pytest.param({"x-hub-signature-256": ""}, id="empty"),
        pytest.param({"x-hub-signature-256": "sha256=\xff"}, id="not ASCII"),
        pytest.param(signed("issue_comment", command(), "another"), id="of another secret"),
        pytest.param(signed("issue_comment", command() + b" ", OLD), id="of another body"),
    ],
)
def test_a_wrong_signature_is_unauthorized_and_pokes_nothing(client, queue, headers):
    raw = {name: value.encode("latin-1") for name, value in headers.items()}

    assert post(client, command(), **raw).status_code == 401
    assert queue.pokes == []


def test_a_missing_signature_is_unauthorized(client, queue):
    answer = client.post("/webhooks/github", content=command(), headers={"x-github-event": "issue_comment"})

    assert answer.status_code == 401
    assert queue.pokes == []


def test_a_delivery_that_comes_again_only_makes_the_bot_look_again(client, queue):
    statuses = [post(client, command()).status_code for _ in range(3)]

    assert statuses == [202] * 3
    assert set(queue.pokes) == {CONVERSATION}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
        pytest.param(b'{"a":' * 100_000, id="deep"),
        pytest.param(b'{"a":"' + b"x" * 1_000_000, id="long and cut off"),
        pytest.param(b"[" + b"{}," * 300_000 + b"{}]", id="wide"),
    ],
)
def test_a_genuine_body_that_cannot_be_read_is_a_bad_request(client, queue, body):
    assert post(client, body).status_code == 400
    assert queue.pokes == []


def test_a_big_body_that_is_fine_is_accepted(client, queue):
    body = command().replace(b'"/bot help"', b'"/bot help\\n' + b"x" * 2_000_000 + b'"')

    assert post(client, body).status_code == 202
    assert queue.pokes == [CONVERSATION]


def test_a_queue_that_fails_is_told_to_the_sender(client, queue):
    queue.failure = ServiceError("no database")

    answer = post(client, command())

    assert (answer.status_code, answer.text) == (503, "the work queue failed: deliver it again\n")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/webhooks/github", 405), ("POST", "/webhooks/other", 404), ("POST", "/webhooks", 404)],
)
def test_there_is_nothing_else(client, method, path, status):
    assert client.request(method, path).status_code == status


def test_health_is_what_the_queue_says(client, queue):
    post(client, command())

    healthy = client.get("/healthz")
    queue.alive = False
    stopped = client.get("/healthz")

    assert (healthy.status_code, healthy.json()["status"], healthy.json()["due"]) == (200, "ok", 1)
    assert (stopped.status_code, stopped.json()["status"]) == (503, "stopped")


def test_every_real_payload_is_answered(client):
    for event, payloads in corpus().items():
        for payload in payloads:
            assert post(client, json.dumps(payload).encode(), event).status_code == 202


def test_no_secret_is_shown():
    assert NEW not in repr(Source(github_delivery, (NEW,)))


def send(client, head: bytes, *pieces: bytes) -> bytes:
    """Return the status line that is answered to raw bytes, which need not be a whole request."""
    address = (client.base_url.host, client.base_url.port)
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(b"POST /webhooks/github HTTP/1.1\r\nHost: bot\r\n" + head + b"\r\n")
        for piece in pieces:
            connection.sendall(piece)
        return connection.recv(100).split(b"\r\n")[0]


@pytest.mark.parametrize("length", [b"30000000", b"4000001"])
def test_a_body_that_is_announced_as_too_long_is_refused_unread(client, length):
    assert send(client, b"Content-Length: " + length + b"\r\n").startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("length", [b"-1", b"x", b"1, 2", b"9" * 4000])
def test_a_length_that_is_none_is_refused(client, length):
    assert send(client, b"Content-Length: " + length + b"\r\n").split()[1] in {b"400", b"413"}


def test_a_body_that_is_not_announced_is_cut_off_at_the_limit(client):
    piece = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"

    assert send(client, b"Transfer-Encoding: chunked\r\n", *[piece] * 4).startswith(b"HTTP/1.1 413 ")


def test_a_body_of_just_the_limit_is_read(client):
    assert post(client, b" " * LIMIT, "star").status_code == 202
    assert post(client, b" " * (LIMIT + 1), "star").status_code == 413
