"""Stores that are busy, broken, replaced or gone: how often they are asked, and what a person is told."""

import gzip
import socket
import struct
import threading

import pytest

from bot.artifacts.reader import ZipReader
from bot.artifacts.transport import Patience
from bot.core.ci import Unreadable
from bot.core.errors import Refused, ServiceError, UsageError
from tests.adapters.artifact_store import AT_ONCE, artifact
from tests.adapters.registry.stub_server import Reply
from tests.adapters.test_artifacts import GOLDEN_FIRST, is_golden
from tests.fakes.hostile_zips import GOLDEN, JSON

BUSY = Reply(503, b"<Error>ServerBusy</Error>")
AGAIN = Reply(429, b"", {"Retry-After": "0"})
EXPIRED = Reply(403, b"<Error>AuthenticationFailed</Error>")


def with_header(name: str, value: str | list[str]):
    return lambda reply: Reply(reply.status, reply.body, {**reply.headers, name: value})


def with_body(change):
    return lambda reply: Reply(reply.status, change(reply.body), reply.headers)


def broken_off(reply: Reply) -> Reply:
    return Reply(reply.status, reply.body[:-5], reply.headers, promised=len(reply.body))


FAULTS = [
    pytest.param(BUSY, id="a busy store"),
    pytest.param(Reply(500), id="a broken store"),
    pytest.param(AGAIN, id="too many requests"),
    pytest.param(broken_off, id="a connection that breaks"),
    pytest.param(with_body(lambda body: body[:-5]), id="a body that is short"),
    pytest.param(with_body(lambda body: body + b"x"), id="a body that is long"),
    pytest.param(with_header("Content-Range", "bytes 1-2/3"), id="another part"),
    pytest.param(with_header("Content-Range", "bytes x-2/3"), id="a part that is none"),
    pytest.param(with_header("Content-Range", []), id="a part without a place"),
]


@pytest.mark.parametrize("when", [0, 1], ids=["at the end", "at the entry"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_does_no_harm(store, fault, when):
    store.script = [None] * when + [fault, fault]

    assert store.read_only(GOLDEN_FIRST, is_golden).files == {GOLDEN: JSON}
    assert len(store.received) == 4


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (BUSY, "answered with status 503"),
        (with_body(lambda body: body[:-5]), "sent another number of bytes than it said"),
        (with_header("Content-Range", []), "sent another part than the one it was asked for"),
        (broken_off, "could not be asked: RemoteProtocolError"),
    ],
)
def test_a_fault_that_stays_is_left_alone_after_four_attempts(store, fault, words):
    store.script = [fault] * 9

    assert store.read_only(GOLDEN_FIRST) == Unreadable(f"`127.0.0.1` {words}")
    assert len(store.received) == 4


def test_a_wait_longer_than_our_patience_is_not_cut_short(store):
    store.script = [Reply(429, b"", {"Retry-After": "3600"})]

    assert store.read_only(GOLDEN_FIRST) == Unreadable("`127.0.0.1` answered with status 429")
    assert len(store.received) == 1


@pytest.mark.parametrize("when", [0, 1], ids=["at the end", "at the entry"])
@pytest.mark.parametrize("status", [400, 401, 403])
def test_an_address_that_is_no_longer_good_is_asked_for_once_more(store, status, when):
    store.script = [None] * when + [Reply(status)]

    assert store.read_only(GOLDEN_FIRST, is_golden).files == {GOLDEN: JSON}
    assert store.located == [1, 1]
    assert (
        [request.path[-1] for request in store.received] == ["1", "2", "2"] if not when else ["1", "1", "2"]
    )


def test_a_second_address_that_is_no_good_either_is_the_end(store):
    store.script = [EXPIRED] * 9

    assert store.read_only(GOLDEN_FIRST) == Unreadable("`127.0.0.1` answered with status 403")
    assert (store.located, len(store.received)) == ([1, 1], 2)


@pytest.mark.parametrize("status", [404, 410])
def test_an_artifact_that_is_gone_is_said_to_be(store, status):
    store.script = [None, Reply(status)]

    found = store.read_only(GOLDEN_FIRST)

    assert found == Unreadable(f"the artifact is gone: `127.0.0.1` answered with status {status}")


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(Reply(412), id="the store sees it"),
        pytest.param(with_header("ETag", '"2"'), id="the version differs"),
        pytest.param(with_header("ETag", []), id="there is no version any more"),
        pytest.param(Reply(416, b"", {"Content-Range": "bytes */5"}), id="it is shorter"),
        pytest.param(
            lambda reply: with_header("Content-Range", reply.headers["Content-Range"] + "0")(reply),
            id="it is longer",
        ),
    ],
)
def test_an_artifact_that_is_replaced_is_noticed(store, second):
    store.script = [None, second]

    assert store.read_only(GOLDEN_FIRST) == Unreadable("the artifact was replaced while it was read")


def test_a_store_without_versions_is_read(store):
    store.script = [with_header("ETag", 'W/"1"'), with_header("ETag", 'W/"1"')]

    assert store.read_only(GOLDEN_FIRST, is_golden).files == {GOLDEN: JSON}
    assert [request.headers.get("if-match") for request in store.received] == [None, None]


def test_a_store_that_knows_no_end_is_an_error(store):
    store.script = [Reply(416)]

    assert store.read_only(GOLDEN_FIRST) == Unreadable("`127.0.0.1` answered with status 416")


@pytest.mark.parametrize(
    "page",
    [
        Reply(200, b"<html>", {"Content-Type": "text/html; charset=utf-8"}),
        Reply(200, b"\n <!DOCTYPE html>"),
    ],
)
def test_a_page_is_no_artifact(store, page):
    store.script = [page, page]

    found = store.read_only(GOLDEN_FIRST)

    assert found == Unreadable("`127.0.0.1` answered with a page for people instead of the artifact")


@pytest.mark.parametrize("ranges", [True, False])
def test_a_packed_answer_is_not_unpacked(store, ranges):
    store.ranges = ranges
    packed = with_header("Content-Encoding", "gzip")
    store.script = [packed, lambda reply: packed(with_body(gzip.compress)(reply))]

    found = store.read_only(GOLDEN_FIRST)

    assert found == Unreadable("`127.0.0.1` packs what it was asked to send as it is")


def test_a_download_that_breaks_begins_anew(store):
    store.ranges = False
    store.script = [None, broken_off, EXPIRED]

    assert store.read_only(GOLDEN_FIRST, is_golden).files == {GOLDEN: JSON}
    assert store.located == [1, 1]


def test_a_download_that_is_refused_is_explained(store):
    store.ranges = False
    store.script = [None, Reply(206, b"x")]

    assert store.read_only(GOLDEN_FIRST) == Unreadable("`127.0.0.1` answered with status 206")


@pytest.mark.parametrize("error", [ServiceError, Refused])
def test_an_artifact_whose_address_is_not_to_be_had_stops_no_other(store, error):
    store.zips = {1: GOLDEN_FIRST, 2: GOLDEN_FIRST}

    def locate(number: int) -> str:
        if number == 1:
            raise error("GitHub says that artifact 1 is gone")
        return store.locate(number)

    found = store.reader(locate).read(store.artifacts, lambda _, name: is_golden(name))

    assert found[1] == Unreadable("GitHub says that artifact 1 is gone")
    assert found[2].files == {GOLDEN: JSON}


@pytest.mark.parametrize("error", [UsageError("GitHub does not accept the token"), ZeroDivisionError()])
def test_what_concerns_all_artifacts_is_raised(store, error):
    def locate(number: int) -> str:
        raise error

    with pytest.raises(type(error)):
        store.reader(locate).read([artifact(1), artifact(2)], lambda *_: True)


@pytest.mark.parametrize("ranges", [True, False])
def test_an_artifact_takes_no_longer_than_its_deadline(store, ranges):
    store.ranges = ranges
    store.script = [None] * (not ranges) + [Reply(503, b"", {"Retry-After": "60"})]

    found = store.read_only(GOLDEN_FIRST, patience=Patience(longest_wait=100, deadline=0.3))

    assert found == Unreadable("the artifact was not read within 0.3 s")


def test_a_store_that_cannot_be_reached_is_named():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"

        found = ZipReader(lambda _: url, [url], patience=AT_ONCE).read([artifact(1)], lambda *_: True)

    assert found == {1: Unreadable("`127.0.0.1` could not be asked: ConnectError")}


def resetting(listener: socket.socket) -> None:
    """Answer four connections with a reset."""
    for _ in range(4):
        connection, _ = listener.accept()
        connection.recv(1)
        # Closed without waiting, a socket whose bytes were not read resets the connection.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


def test_a_store_that_resets_every_connection_is_named():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread = threading.Thread(target=resetting, args=[listener])
        thread.start()
        found = ZipReader(lambda _: url, [url], patience=AT_ONCE).read([artifact(1)], lambda *_: True)
        thread.join()

    assert found == {1: Unreadable("`127.0.0.1` could not be asked: ReadError")}


def test_behind_a_redirect_the_store_that_fails_is_named(store):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        store.script = [Reply(302, b"", {"Location": f"http://localhost:{port}/x"})] * 4

        found = store.read_only(GOLDEN_FIRST)

    assert found == Unreadable("`localhost` could not be asked: ConnectError")
