"""Where artifacts may be asked for, and where the headers of a server may go."""

import logging

import httpx
import pytest

from bot.artifacts.egress import Egress
from bot.core.ci import Location, Unreadable
from tests.adapters.artifact_store import running
from tests.adapters.registry.stub_server import Reply
from tests.adapters.test_artifacts import GOLDEN_FIRST, is_golden
from tests.fakes.hostile_zips import GOLDEN, JSON

GITHUB = Egress((httpx.URL("https://api.github.com"), httpx.URL("https://gitlab.example/sub")))
LOCAL = Egress((httpx.URL("http://127.0.0.1:5000"),))


@pytest.mark.parametrize(
    ("egress", "url", "allowed", "with_headers"),
    [
        (GITHUB, "https://productionresultssa11.blob.core.windows.net/a.zip?sig=x", True, False),
        (GITHUB, "https://pipelines.actions.githubusercontent.com/a", True, False),
        (GITHUB, "https://storage.googleapis.com/gitlab/a.zip", True, False),
        (GITHUB, "https://gitlab.example/api/v4/projects/1/jobs/2/artifacts", True, True),
        (GITHUB, "https://blob.core.windows.net/a.zip", False, False),
        (GITHUB, "https://xblob.core.windows.net/a.zip", False, False),
        (GITHUB, "https://x.blob.core.windows.net.evil.example/a.zip", False, False),
        (GITHUB, "http://x.blob.core.windows.net/a.zip", False, False),
        (GITHUB, "https://x.blob.core.windows.net:8443/a.zip", False, False),
        (GITHUB, "https://u:p@x.blob.core.windows.net/a.zip", False, False),
        (GITHUB, "http://gitlab.example/a", False, False),
        (GITHUB, "http://127.0.0.1:5000/a", False, False),
        (GITHUB, "https://169.254.169.254/latest/meta-data", False, False),
        (GITHUB, "file:///etc/passwd", False, False),
        (LOCAL, "http://127.0.0.1:5000/a", True, True),
        (LOCAL, "http://127.0.0.1:6000/a", True, False),
        (LOCAL, "http://10.0.0.1/a", False, False),
        (LOCAL, "https://x.blob.core.windows.net/a.zip", True, False),
    ],
)
def test_artifacts_are_asked_for_at_known_places_only(egress, url, allowed, with_headers):
    address = httpx.URL(url)

    assert egress.allows(address) is allowed
    assert (allowed and egress.allows_headers(address)) is with_headers


TOKEN = {"PRIVATE-TOKEN": "not for the store"}


@pytest.fixture
def gitlab():
    with running() as gitlab:
        yield gitlab


def read(gitlab, locate, data=GOLDEN_FIRST):
    gitlab.zips = {1: data}
    return gitlab.reader(locate).read(gitlab.artifacts, lambda _, name: is_golden(name))[1]


def test_the_token_stays_with_the_server_that_redirects(gitlab, store):
    store.zips = {1: GOLDEN_FIRST}
    gitlab.script = [Reply(302, b"", {"Location": f"{store.url}/1.zip?sig=secret"})]

    found = read(gitlab, lambda number: Location(gitlab.locate(number), TOKEN))

    assert found.files == {GOLDEN: JSON}
    assert [request.headers.get("private-token") for request in gitlab.received] == ["not for the store"]
    assert [request.headers.get("private-token") for request in store.received] == [None, None]
    assert [request.path for request in store.received] == ["/1.zip?sig=secret"] * 2


def test_a_server_that_sends_the_bytes_itself_gets_the_token_each_time(gitlab):
    found = read(gitlab, lambda number: Location(gitlab.locate(number), TOKEN))

    assert found.files == {GOLDEN: JSON}
    assert {request.headers.get("private-token") for request in gitlab.received} == {"not for the store"}


def test_a_redirect_on_the_same_server_goes_without_the_token(gitlab):
    gitlab.script = [Reply(302, b"", {"Location": "/1.zip?again"})]

    read(gitlab, lambda number: Location(gitlab.locate(number), TOKEN))

    tokens = [request.headers.get("private-token") for request in gitlab.received]
    assert tokens == ["not for the store", None, None]


def test_an_expired_address_behind_a_redirect_is_found_anew_through_the_server(gitlab, store):
    store.zips = {1: GOLDEN_FIRST}
    gitlab.script = [Reply(302, b"", {"Location": f"{store.url}/1.zip?{number}"}) for number in (1, 2)]
    store.script = [None, Reply(403)]

    found = read(gitlab, lambda number: Location(gitlab.locate(number), TOKEN))

    assert found.files == {GOLDEN: JSON}
    assert [request.path for request in store.received] == ["/1.zip?1", "/1.zip?1", "/1.zip?2"]


def test_headers_for_another_place_are_never_sent(gitlab, store):
    found = read(gitlab, lambda number: Location(store.locate(number), TOKEN))

    assert found == Unreadable("the headers for an artifact are not those of `127.0.0.1`")
    assert store.received == []


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("https://evil.example/x?sig=secret", "https://evil.example"),
        (
            "http://productionresultssa1.blob.core.windows.net/x",
            "http://productionresultssa1.blob.core.windows.net",
        ),
        ("https://u:secret@x.blob.core.windows.net/x", "https://x.blob.core.windows.net"),
    ],
)
def test_nothing_is_sent_to_a_place_that_is_not_ours(gitlab, target, place):
    gitlab.script = [Reply(302, b"", {"Location": target})]

    found = read(gitlab, None)

    assert found == Unreadable(f"the artifact is said to be at `{place}`, where no artifact is asked for")
    assert len(gitlab.received) == 1


@pytest.mark.parametrize("url", ["https://evil.example/x?sig=secret", "no address", "http://[::1"])
def test_an_address_that_is_not_ours_is_not_asked(gitlab, url):
    found = read(gitlab, lambda _: url)

    assert "where no artifact is asked for" in found.reason
    assert "secret" not in found.reason


def test_a_redirect_to_no_address_is_a_fault(gitlab):
    gitlab.script = [Reply(302, b"", {"Location": "http://[::1"})] * 9

    assert read(gitlab, None) == Unreadable("`127.0.0.1` could not be asked: RemoteProtocolError")


@pytest.mark.parametrize("headers", [{"Location": "/1.zip?on"}, {}])
def test_redirects_have_an_end(gitlab, headers):
    gitlab.script = [Reply(302, b"", headers)] * 9

    assert read(gitlab, None) == Unreadable("an artifact's address redirects without end")
    assert len(gitlab.received) == 4


def test_an_address_is_kept_out_of_logs_and_representations(store, caplog):
    caplog.set_level(logging.DEBUG)
    for library in ("httpx", "httpcore"):
        logging.getLogger(library).setLevel(logging.DEBUG)

    store.read_only(GOLDEN_FIRST)

    assert "secret" not in caplog.text
    assert "secret" not in repr(Location("https://x.example/?sig=secret", {"PRIVATE-TOKEN": "secret"}))
