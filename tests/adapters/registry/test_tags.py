"""Tag lists: all of it or an error, however many pages there are."""

import pytest

from bot.core.errors import ServiceError, UsageError
from bot.registry.client import RegistryClient
from tests.adapters.registry.conftest import AT_ONCE
from tests.adapters.registry.nvcr import json_reply
from tests.adapters.registry.stub_server import Reply
from tests.fakes.images import IMAGE

LIST = "/v2/nvidia/pytorch/tags/list"


def page(tags: list[str], link: str | None = None) -> Reply:
    headers = {} if link is None else {"Link": f'<{link}>; rel="next"'}
    return json_reply({"name": "nvidia/pytorch", "tags": tags}, **headers)


@pytest.fixture
def paged(nvcr, registry):
    """A registry that has issued a token: what is scripted from here on are pages."""
    registry.tags(IMAGE)
    nvcr.registry.received.clear()
    return registry


def test_the_next_page_is_asked_for_exactly_as_the_registry_wrote_it(nvcr, paged):
    relative = f"{LIST}?next_page=abc%3D%3D&n=1"
    absolute = f"{nvcr.registry.url}{LIST}?last=x%2fy==&n=1"
    nvcr.script(LIST, page(["25.01-py3"], relative), page(["26.07-py3"], absolute), page(["26.06-py3"]))

    assert paged.tags(IMAGE) == ("25.01-py3", "26.07-py3", "26.06-py3")
    assert [it.path for it in nvcr.registry.received] == [
        f"{LIST}?n=1000",
        f"{LIST}?next_page=abc%3D%3D&n=1",
        f"{LIST}?last=x%2fy==&n=1",
    ]


def test_every_page_is_asked_for_with_the_token(nvcr, paged):
    nvcr.script(LIST, page(["25.01-py3"], f"{LIST}?last=1"), page(["26.07-py3"]))

    paged.tags(IMAGE)

    assert all((it.authorization or "").startswith("Bearer ") for it in nvcr.registry.received)


def test_a_tag_on_two_pages_is_one_tag(nvcr, paged):
    nvcr.script(LIST, page(["25.01-py3", "26.07-py3"], f"{LIST}?last=1"), page(["26.07-py3"]))

    assert paged.tags(IMAGE) == ("25.01-py3", "26.07-py3")


@pytest.mark.parametrize("tags", [[], None])
def test_an_empty_repository_has_no_tags(nvcr, paged, tags):
    nvcr.script(LIST, json_reply({"name": "nvidia/pytorch", "tags": tags}))

    assert paged.tags(IMAGE) == ()


def test_a_cursor_that_comes_again_is_an_error(nvcr, paged):
    again = f"{LIST}?next_page=abc%3D%3D&n=1"
    nvcr.script(LIST, page(["25.01-py3"], again), page(["26.07-py3"], again))

    with pytest.raises(ServiceError, match=r"pages that do not end \(2 read\)"):
        paged.tags(IMAGE)


def test_pages_without_end_are_an_error(nvcr, paged):
    nvcr.script(LIST, *(page([], f"{LIST}?last={number}") for number in range(200)))

    with pytest.raises(ServiceError, match=r"pages that do not end \(100 read\)"):
        paged.tags(IMAGE)


@pytest.mark.parametrize(
    "link",
    [
        pytest.param("https://evil.example/v2/nvidia/pytorch/tags/list", id="another host"),
        pytest.param("//evil.example/v2/nvidia/pytorch/tags/list", id="another host, same scheme"),
        pytest.param("http://127.0.0.1:1/v2/nvidia/pytorch/tags/list", id="another port"),
        pytest.param("http://[::1/", id="no address"),
    ],
)
def test_a_next_page_elsewhere_is_refused(nvcr, paged, link):
    nvcr.script(LIST, page(["25.01-py3"], link))

    with pytest.raises(ServiceError, match="a next page on another host"):
        paged.tags(IMAGE)

    assert len(nvcr.registry.received) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param(
            Reply(200, b"<html>\n<h1>Sign in</h1>", {"Content-Type": "text/html"}),
            "with a document that is not JSON: `<html> <h1>Sign in</h1>`",
            id="a page for people",
        ),
        pytest.param(Reply(200, b""), "with a document that is not JSON", id="nothing"),
        pytest.param(Reply(200, b"[]"), "has another form", id="another form"),
        pytest.param(Reply(200, b'{"tags":[1]}'), "another form (`tags.0`: ", id="tags that are no text"),
        pytest.param(Reply(200, b'{"name":"x"}'), "another form (`tags`: ", id="no tags"),
        pytest.param(Reply(200, b"[" * 100_000), "is not JSON", id="too deep"),
        pytest.param(Reply(200, b" " * (8 * 1024 * 1024 + 1)), "more than 8388608 bytes", id="too large"),
        pytest.param(Reply(404, b'{"errors":[{"code":"NAME_UNKNOWN"}]}'), "with status 404", id="unknown"),
        pytest.param(Reply(403, b"DENIED Access Denied"), "with status 403: `DENIED Access", id="denied"),
        pytest.param(Reply(204, b""), "with status 204", id="no content"),
        pytest.param(
            Reply(418, b"\x1b[31mred`\xff\n" + b"x" * 10_000),
            "status 418: `[31mred'� xxx",
            id="control characters",
        ),
    ],
)
def test_an_answer_that_is_no_list_is_an_error_that_says_what_came(nvcr, paged, answer, words):
    nvcr.script(LIST, answer)

    with pytest.raises(ServiceError) as caught:
        paged.tags(IMAGE)

    assert caught.value.message.startswith("`nvcr.io` answered the request for the tags of `nvidia/pytorch` ")
    assert words in caught.value.message
    assert len(caught.value.message) < 260
    assert caught.value.hint


@pytest.mark.parametrize(
    "name",
    ["nvidia/pytorch", "nvcr.io/../x", "nvcr.io/nvidia/pytorch:26.07-py3", "nvcr.io", "nvcr.io/Nvidia/x?n=1"],
)
def test_only_the_name_of_an_image_is_asked_for(name):
    with pytest.raises(UsageError, match="is not an image's name"):
        RegistryClient({"nvcr.io": "http://127.0.0.1:1"}, patience=AT_ONCE).tags(name)


def test_the_default_port_in_a_name_is_the_same_registry(nvcr, registry):
    assert registry.tags("nvcr.io:443/nvidia/pytorch") == registry.tags("nvcr.io/nvidia/pytorch")
