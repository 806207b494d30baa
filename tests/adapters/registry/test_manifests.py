"""Manifests and configs: the four types, digests that have to be true, and redirects to the blob store."""

import asyncio
import json

import pytest

from bot.core.errors import ServiceError, UsageError
from bot.registry.protocol import digest_of
from bot.registry.reads import side_by_side
from tests.adapters.registry.layout import OCI_INDEX, ngc_layout
from tests.adapters.registry.nvcr import UNKNOWN_MANIFEST
from tests.adapters.registry.stub_server import Reply, StubServer
from tests.fakes.images import IMAGE, RELEASE_26_07

TAG = "26.07-py3"
MANIFEST = f"/v2/nvidia/pytorch/manifests/{TAG}"
LAYOUT = ngc_layout()
INDEX = LAYOUT.manifests[TAG][1]
FALSE = "sha256:" + "0" * 64


def child_of(index: bytes) -> str:
    return str(json.loads(index)["manifests"][0]["digest"])


def config_of(manifest: bytes) -> str:
    return str(json.loads(manifest)["config"]["digest"])


CHILD = child_of(INDEX)
CONFIG = config_of(LAYOUT.manifests[CHILD][1])


def read_everything(registry):
    return registry.configs(IMAGE, registry.manifest(IMAGE, TAG))


def test_the_environment_of_each_platform_is_read(registry):
    configs = read_everything(registry)

    assert [config.platform for config in configs] == ["linux/amd64", "linux/arm64"]
    assert configs[0].environment == RELEASE_26_07
    assert configs[1].environment == RELEASE_26_07 | {"CUDA_ARCH_LIST": "9.0"}


def test_the_blob_store_sees_no_authorization(nvcr, registry):
    read_everything(registry)

    assert [it.authorization for it in nvcr.layers.received] == [None, None]
    assert all("Signature=" in it.path for it in nvcr.layers.received)


def test_the_signature_of_a_blob_is_not_logged(registry, caplog):
    caplog.set_level("DEBUG")

    read_everything(registry)

    assert "Signature=" not in caplog.text


def test_a_redirect_within_the_registry_keeps_the_token(nvcr, registry):
    registry.tags(IMAGE)
    nvcr.script(MANIFEST, Reply(308, b"", {"Location": MANIFEST + "?moved"}))

    assert registry.manifest(IMAGE, TAG) is not None
    assert nvcr.exchange[-1] == (MANIFEST + "?moved", "Bearer")


@pytest.mark.parametrize(
    ("location", "place"),
    [
        pytest.param("https://evil.example/blob?Signature=secret", "`https://evil.example`", id="a stranger"),
        pytest.param(
            "http://layers.nvcr.io/blob?Signature=secret", "`http://layers.nvcr.io`", id="plain http"
        ),
        pytest.param(
            "http://169.254.169.254/latest?Signature=secret", "`http://169.254.169.254`", id="private"
        ),
        pytest.param(
            "https://u:p@layers.nvcr.io/?Signature=secret", "`https://layers.nvcr.io`", id="a login"
        ),
        pytest.param("ftp://127.0.0.1/?Signature=secret", "`ftp://127.0.0.1`", id="another protocol"),
    ],
)
def test_a_redirect_to_elsewhere_is_refused_without_telling_its_signature(nvcr, registry, location, place):
    nvcr.script(f"/v2/nvidia/pytorch/blobs/{CONFIG}", Reply(307, b"", {"Location": location}))

    with pytest.raises(ServiceError) as caught:
        read_everything(registry)

    assert place in caught.value.message
    assert "secret" not in str(caught.value)


def test_a_redirect_to_no_address_at_all_is_an_error(nvcr, registry):
    nvcr.script(MANIFEST, *[Reply(307, b"", {"Location": "http://[::1/"})] * 9)

    with pytest.raises(ServiceError, match=f"could not be asked for the manifest `{TAG}`"):
        registry.manifest(IMAGE, TAG)


def test_redirects_do_not_go_on_for_ever(nvcr, registry):
    registry.tags(IMAGE)
    nvcr.registry.received.clear()
    nvcr.script(MANIFEST, *[Reply(302, b"", {"Location": MANIFEST})] * 9)

    with pytest.raises(ServiceError, match="a redirect too many"):
        registry.manifest(IMAGE, TAG)

    assert len(nvcr.registry.received) == 4


def test_a_blob_store_that_wants_a_login_is_not_asked_for_a_token(nvcr, registry):
    registry.tags(IMAGE)
    with StubServer(
        lambda _: Reply(401, b"", {"WWW-Authenticate": f'Bearer realm="{store.url}/token"'})
    ) as store:
        moved = Reply(307, b"", {"Location": f"{store.url}/manifest"})
        nvcr.script(MANIFEST, moved, moved)

        with pytest.raises(ServiceError, match="no bearer challenge of its own"):
            registry.manifest(IMAGE, TAG)

        assert all(it.path == "/manifest" for it in store.received)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Reply(404, UNKNOWN_MANIFEST, {"Content-Type": "application/json"}), id="as JSON"),
        pytest.param(Reply(404, UNKNOWN_MANIFEST, {"Content-Type": "text/html"}), id="of the wrong type"),
        pytest.param(Reply(404), id="without words"),
    ],
)
def test_the_registry_can_say_that_there_is_no_such_tag(nvcr, registry, answer):
    registry.tags(IMAGE)
    nvcr.script(MANIFEST, answer)

    assert registry.manifest(IMAGE, TAG) is None


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Reply(404, b"<html><h1>Not Found</h1>", {"Content-Type": "text/html"}), id="a page"),
        pytest.param(Reply(404, b"\n<!DOCTYPE html>"), id="a page without type"),
        pytest.param(Reply(404, b"404 page not found\n", {"Content-Type": "text/plain"}), id="no registry"),
    ],
)
def test_a_page_that_says_not_found_is_no_word_of_the_registry(nvcr, registry, answer):
    registry.tags(IMAGE)
    nvcr.script(MANIFEST, answer)

    with pytest.raises(ServiceError, match=f"the manifest `{TAG}` of `nvidia/pytorch` with status 404"):
        registry.manifest(IMAGE, TAG)


def test_bytes_that_are_not_those_of_the_announced_digest_are_refused(nvcr, registry):
    registry.tags(IMAGE)
    nvcr.script(MANIFEST, Reply(200, INDEX, {"Content-Type": OCI_INDEX, "Docker-Content-Digest": FALSE}))

    with pytest.raises(ServiceError, match="instead of `sha256:000000000000"):
        registry.manifest(IMAGE, TAG)


def test_the_announced_digest_is_the_digest_of_the_tag(nvcr, registry):
    registry.tags(IMAGE)
    digest = digest_of(INDEX)
    nvcr.script(MANIFEST, Reply(200, INDEX, {"Content-Type": OCI_INDEX, "Docker-Content-Digest": digest}))

    assert registry.manifest(IMAGE, TAG).digest == digest


def test_a_manifest_that_is_not_the_one_asked_for_is_refused(nvcr, registry):
    media_type, body = LAYOUT.manifests[CHILD]
    nvcr.script(
        f"/v2/nvidia/pytorch/manifests/{CHILD}", *[Reply(200, body + b" ", {"Content-Type": media_type})] * 2
    )
    registry.tags(IMAGE)

    with pytest.raises(ServiceError, match="with bytes whose digest is"):
        read_everything(registry)


def test_a_config_that_is_not_the_one_asked_for_is_refused(nvcr, registry):
    nvcr.layout.blobs[CONFIG] = nvcr.layout.blobs[CONFIG].replace(b"13.3.1.008", b"13.4.1.008")

    with pytest.raises(
        ServiceError, match=f"the config `{CONFIG[:19]}` of `nvidia/pytorch` with bytes whose"
    ):
        read_everything(registry)


def test_an_index_inside_an_index_is_refused(nvcr, registry):
    inner = nvcr.layout.index("inner", [])
    platform = {"os": "linux", "architecture": "amd64"}
    nvcr.layout.manifests[inner] = nvcr.layout.manifests["inner"]
    nvcr.layout.index(TAG, [{"digest": inner, "platform": platform}])

    with pytest.raises(ServiceError, match="with an index inside an index"):
        read_everything(registry)


@pytest.mark.parametrize(
    ("path", "what"),
    [
        pytest.param(MANIFEST, "the manifest `26.07-py3`", id="manifest"),
        pytest.param(f"/v2/nvidia/pytorch/blobs/{CONFIG}", "the config `sha256:", id="config"),
    ],
)
def test_an_answer_that_is_too_large_is_not_read_to_its_end(nvcr, registry, path, what):
    registry.tags(IMAGE)
    nvcr.script(path, Reply(200, b" " * (4 * 1024 * 1024 + 1)))

    with pytest.raises(ServiceError, match="more than 4194304 bytes") as caught:
        read_everything(registry)

    assert what in caught.value.message


@pytest.mark.parametrize("tag", ["../../v2/_catalog", "26.07-py3?x", "", "26.07-py3@" + FALSE, ".hidden"])
def test_only_a_tag_is_asked_for(nvcr, registry, tag):
    with pytest.raises(UsageError, match="is not a tag"):
        registry.manifest(IMAGE, tag)

    assert nvcr.registry.received == []


def test_no_more_than_four_questions_are_open_at_a_time():
    open_now, most = 0, 0

    async def read(number: int) -> int:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        await asyncio.sleep(0)
        open_now -= 1
        return number

    assert asyncio.run(side_by_side(read(number) for number in range(10))) == tuple(range(10))
    assert most == 4
