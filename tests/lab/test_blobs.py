"""The store of logs and artifacts: addresses that expire, ranges, strange secrets, faults."""

import asyncio
import threading
from collections.abc import Iterator

import httpx
import pytest

from bot.lab.blobs import LIFETIME, BlobFault, BlobStore
from bot.lab.server import GitHubLab

CONTENT = bytes(range(100))


@pytest.fixture
def store(lab: GitHubLab) -> BlobStore:
    return lab.blobs


@pytest.fixture
def url(store: BlobStore) -> str:
    return store.link(lambda: CONTENT, "application/zip")


def test_a_blob_comes_as_it_is(url: str):
    answer = httpx.get(url)

    assert (answer.status_code, answer.content) == (200, CONTENT)
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Content-Length"] == "100"
    assert answer.headers["Accept-Ranges"] == "bytes"


def test_a_blob_keeps_its_tag_at_every_address(store: BlobStore, url: str):
    again = store.link(lambda: CONTENT, "application/zip")
    other = store.link(lambda: b"other", "application/zip")

    tags = [httpx.get(it, headers={"Range": "bytes=0-1"}).headers["ETag"] for it in (url, again, other)]
    assert (tags[0] == tags[1], tags[0] == tags[2]) == (True, False)


def test_the_store_is_another_origin_than_the_api(lab: GitHubLab, url: str):
    assert not url.startswith(lab.url)
    assert httpx.get(f"{lab.url}{url.removeprefix(lab.blobs.url)}").status_code == 401


def test_the_head_of_a_blob_tells_its_length(store: BlobStore, url: str):
    answer = httpx.head(url)

    assert (answer.status_code, answer.headers["Content-Length"], answer.content) == (200, "100", b"")
    assert store.log[0].sent == 0


@pytest.mark.parametrize("kind", ["azure", "all"])
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param("bytes=0-0", range(1), id="one byte"),
        pytest.param("bytes=10-19", range(10, 20), id="ten bytes"),
        pytest.param("bytes=90-", range(90, 100), id="to the end"),
        pytest.param("bytes=90-500", range(90, 100), id="beyond the end"),
        pytest.param("bytes=0-", range(100), id="everything"),
    ],
)
def test_ranges_are_cut_out(store: BlobStore, url: str, kind: str, asked: str, expected: range):
    store.ranges = kind

    answer = httpx.get(url, headers={"Range": asked})

    assert (answer.status_code, answer.content) == (206, bytes(expected))
    assert answer.headers["Content-Range"] == f"bytes {expected[0]}-{expected[-1]}/100"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param("bytes=-7", CONTENT[-7:], id="the last bytes"),
        pytest.param("bytes=-500", CONTENT, id="more than there are"),
    ],
)
def test_ranges_from_the_end_are_for_some_stores_only(
    store: BlobStore, url: str, asked: str, expected: bytes
):
    as_azure = httpx.get(url, headers={"Range": asked})
    store.ranges = "all"
    answer = httpx.get(url, headers={"Range": asked})

    assert (as_azure.status_code, as_azure.content) == (200, CONTENT)
    assert (answer.status_code, answer.content) == (206, expected)


@pytest.mark.parametrize("asked", ["bytes=100-", "bytes=100-200", "bytes=-0"])
def test_a_range_that_holds_nothing_cannot_be_satisfied(store: BlobStore, url: str, asked: str):
    store.ranges = "all"

    answer = httpx.get(url, headers={"Range": asked})

    assert (answer.status_code, answer.headers["Content-Range"]) == (416, "bytes */100")


@pytest.mark.parametrize("asked", ["bytes=5-2", "bytes=a-b", "bytes=-", "items=0-1", "bytes=0-1,5-6"])
def test_what_is_no_range_is_answered_with_everything(store: BlobStore, url: str, asked: str):
    store.ranges = "all"

    assert httpx.get(url, headers={"Range": asked}).status_code == 200


def test_a_store_may_know_no_ranges(store: BlobStore, url: str):
    store.ranges = "none"

    answer = httpx.get(url, headers={"Range": "bytes=0-1"})

    assert (answer.status_code, answer.content) == (200, CONTENT)
    assert "Accept-Ranges" not in answer.headers


def test_a_token_that_comes_along_is_refused_and_told(lab: GitHubLab, url: str):
    answer = httpx.get(url, headers={"Authorization": "token x"})

    assert answer.status_code == 400
    (told,) = lab.world.invariants()
    assert told.endswith("came with an Authorization header")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("sig=", "sig=0", id="another signature"),
        pytest.param("se=", "se=9", id="another end"),
        pytest.param("/00000001?", "/00000002?", id="another blob"),
        pytest.param("&sig=", "&x=", id="no signature"),
    ],
)
def test_an_address_that_was_not_handed_out_is_refused(store: BlobStore, url: str, old: str, new: str):
    store.link(lambda: b"other", "application/zip")

    assert httpx.get(url.replace(old, new)).status_code == 403


def test_an_address_expires():
    now = [1000.0]
    store = BlobStore(lambda: now[0])
    url = store.link(lambda: CONTENT, "application/zip")

    assert _get(store, url) == 200
    now[0] += LIFETIME
    assert _get(store, url) == 403


def _get(store: BlobStore, url: str) -> int:
    async def ask() -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(store), base_url="http://store") as client:
            return (await client.get(url)).status_code

    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(ask())))
    thread.start()
    thread.join()
    return found[0]


def test_a_story_may_let_all_addresses_expire(store: BlobStore, url: str):
    store.forget()

    assert httpx.get(url).status_code == 403


def test_pieces_are_made_while_they_are_sent(store: BlobStore):
    made: list[int] = []

    def pieces() -> Iterator[bytes]:
        for n in range(3):
            made.append(n)
            yield b"%d" % n

    url = store.link(pieces, "text/plain")

    assert made == []
    assert [httpx.get(url).content for _ in range(2)] == [b"012", b"012"]


def test_only_reading_is_possible(url: str):
    assert httpx.put(url, content=b"x").status_code == 405


def test_faults_come_as_often_as_planned(store: BlobStore, url: str):
    store.faults.append(BlobFault(503, times=2))

    assert [httpx.get(url).status_code for _ in range(3)] == [503, 503, 200]


def test_an_answer_may_be_cut(store: BlobStore, url: str):
    store.faults.append(BlobFault(reset_after=30))

    got: list[bytes] = []
    with httpx.stream("GET", url) as answer, pytest.raises(httpx.RemoteProtocolError):
        got.extend(answer.iter_raw())
    assert b"".join(got) == CONTENT[:30]
    assert httpx.get(url).content == CONTENT


def test_a_slow_store_waits_before_each_answer():
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    store = BlobStore(sleep=sleep)
    store.latency = 0.2

    assert _get(store, store.link(lambda: CONTENT, "application/zip")) == 200
    assert waits == [0.2]


def test_each_request_is_logged(store: BlobStore, url: str):
    httpx.get(url, headers={"Range": "bytes=3-6"})

    (request,) = store.log
    assert (request.method, request.range, request.status, request.sent) == ("GET", "bytes=3-6", 206, 4)
    assert request.path in url
