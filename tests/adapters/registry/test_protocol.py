"""The documents of a registry: what is taken from them, and what is refused."""

import json

import pytest

from bot.core.manifest import ImageConfig
from bot.registry.protocol import (
    MANIFEST_TYPES,
    ImageIndex,
    ImageManifest,
    NotUnderstoodError,
    digest_of,
    is_html,
    next_link,
    parse_config,
    parse_manifest,
    parse_tags,
    printable,
)
from tests.adapters.registry.layout import DOCKER_IMAGE, DOCKER_LIST, OCI_IMAGE, OCI_INDEX

A1, A2, A3 = ("sha256:" + digit * 64 for digit in "123")
SCHEMA_1 = "application/vnd.docker.distribution.manifest.v1+prettyjws"


def document(**fields: object) -> bytes:
    return json.dumps({"schemaVersion": 2, **fields}).encode()


def child(digest: str, platform: str | None, **fields: object) -> dict[str, object]:
    if platform is None:
        return {"digest": digest, **fields}
    os, architecture, *variant = platform.split("/")
    return {
        "digest": digest,
        "platform": {"os": os, "architecture": architecture, **({"variant": variant[0]} if variant else {})},
        **fields,
    }


def index(*children: dict[str, object], **fields: object) -> bytes:
    return document(manifests=list(children), **fields)


def test_all_four_types_are_accepted():
    assert set(MANIFEST_TYPES) == {OCI_INDEX, OCI_IMAGE, DOCKER_LIST, DOCKER_IMAGE}


@pytest.mark.parametrize("media_type", [OCI_INDEX, DOCKER_LIST])
@pytest.mark.parametrize(
    ("children", "platforms"),
    [
        pytest.param(
            [child(A1, "linux/amd64"), child(A2, "linux/arm64")],
            {"linux/amd64": A1, "linux/arm64": A2},
            id="two platforms",
        ),
        pytest.param(
            [child(A1, "linux/amd64"), child(A2, "unknown/unknown")],
            {"linux/amd64": A1},
            id="an unknown platform is none",
        ),
        pytest.param(
            [
                child(A1, "linux/amd64"),
                child(A2, "linux/arm64", annotations={"vnd.docker.reference.type": "attestation-manifest"}),
            ],
            {"linux/amd64": A1},
            id="an attestation is no platform whatever it says",
        ),
        pytest.param([child(A1, None)], {}, id="a child without platform"),
        pytest.param([child(A1, "linux/arm64/v8")], {"linux/arm64": A1}, id="the usual variant of arm64"),
        pytest.param([child(A1, "linux/amd64/v3")], {"linux/amd64/v3": A1}, id="a variant of amd64"),
        pytest.param([child(A1, "linux/arm/v7")], {"linux/arm/v7": A1}, id="a variant of arm"),
        pytest.param(
            [child(A1, "linux/amd64"), child(A2, "linux/amd64")], {"linux/amd64": A1}, id="the first of two"
        ),
        pytest.param([], {}, id="no children"),
    ],
)
def test_an_index_names_a_manifest_for_each_platform(media_type, children, platforms):
    assert parse_manifest(index(*children, mediaType=media_type), "") == ImageIndex(platforms)


@pytest.mark.parametrize("media_type", [OCI_IMAGE, DOCKER_IMAGE])
def test_the_manifest_of_one_platform_names_its_config(media_type):
    body = document(mediaType=media_type, config={"digest": A1}, layers=[])

    assert parse_manifest(body, "") == ImageManifest(A1)


@pytest.mark.parametrize("content_type", [OCI_INDEX, f"{OCI_INDEX}; charset=utf-8", OCI_INDEX.upper()])
def test_the_content_type_counts_where_the_document_does_not_say(content_type):
    assert parse_manifest(index(child(A1, "linux/amd64")), content_type) == ImageIndex({"linux/amd64": A1})


def test_what_the_document_says_of_itself_counts_more():
    body = index(child(A1, "linux/amd64"), mediaType=OCI_INDEX)

    assert parse_manifest(body, "text/plain") == ImageIndex({"linux/amd64": A1})


@pytest.mark.parametrize(
    ("body", "content_type", "words"),
    [
        pytest.param(document(schemaVersion=1, fsLayers=[]), SCHEMA_1, "obsolete schema 1", id="schema 1"),
        pytest.param(
            document(schemaVersion=1, mediaType=DOCKER_IMAGE, config={"digest": A1}),
            DOCKER_IMAGE,
            "obsolete schema 1",
            id="schema 1 in disguise",
        ),
        pytest.param(
            document(mediaType=OCI_INDEX, manifests=[], config={"digest": A1}),
            OCI_INDEX,
            "an index and an image manifest at once",
            id="two things at once",
        ),
        pytest.param(
            document(mediaType=OCI_IMAGE, manifests=[]),
            OCI_IMAGE,
            "is no image manifest",
            id="not what it says",
        ),
        pytest.param(document(mediaType="application/x"), OCI_INDEX, "`application/x`", id="another type"),
        pytest.param(document(manifests=[]), "", "is no image manifest", id="no type at all"),
        pytest.param(
            index(child("sha256:../..", "linux/amd64")), OCI_INDEX, "`manifests.0.digest", id="a path"
        ),
        pytest.param(index(child("sha512:" + "1" * 128, None)), OCI_INDEX, "digest", id="another digest"),
        pytest.param(index(child(A1 + "\n", None)), OCI_INDEX, "digest", id="a digest and more"),
        pytest.param(b"{}", OCI_INDEX, "`schemaVersion`", id="empty"),
        pytest.param(b"\xff\xfe", OCI_INDEX, "is not JSON", id="no text"),
        pytest.param(b"<html>", OCI_INDEX, "is not JSON", id="a page"),
    ],
)
def test_a_manifest_of_another_kind_is_not_understood(body, content_type, words):
    with pytest.raises(NotUnderstoodError, match=words):
        parse_manifest(body, content_type)


def test_the_environment_is_split_at_the_first_equals_sign_and_kept_as_it_is():
    blob = {
        "os": "linux",
        "architecture": "arm64",
        "variant": "v8",
        "config": {
            "Env": ["A=1", "B=", "C=x=y z", "D", "CUDA_ARCH_LIST=7.5 8.0 ", "A=2"],
            "Labels": {"com.nvidia.cuda.version": "9.0"},
        },
    }

    assert parse_config(json.dumps(blob).encode()) == ImageConfig(
        "linux/arm64",
        {"A": "2", "B": "", "C": "x=y z", "D": "", "CUDA_ARCH_LIST": "7.5 8.0 "},
        {"com.nvidia.cuda.version": "9.0"},
    )


@pytest.mark.parametrize("runtime", [None, {}, {"Env": None, "Labels": None}])
def test_an_image_can_have_an_empty_environment(runtime):
    blob = {"os": "linux", "architecture": "amd64", "config": runtime}

    assert parse_config(json.dumps(blob).encode()) == ImageConfig("linux/amd64", {})


@pytest.mark.parametrize(
    "body", [b'{"architecture":"amd64"}', b'{"os":"linux","architecture":"x","config":[]}']
)
def test_a_config_of_another_form_is_not_understood(body):
    with pytest.raises(NotUnderstoodError, match="has another form"):
        parse_config(body)


def test_a_page_of_tags_keeps_its_order():
    assert parse_tags(b'{"name":"x","tags":["26.07-py3","25.10-py3"]}') == ("26.07-py3", "25.10-py3")


@pytest.mark.parametrize(
    ("headers", "target"),
    [
        ([], None),
        (['</v2/x/tags/list?last=a%2Fb&n=1>; rel="next"'], "/v2/x/tags/list?last=a%2Fb&n=1"),
        (["<https://nvcr.io/a?b=c,d>; rel=next"], "https://nvcr.io/a?b=c,d"),
        (['</first>; rel="first", </next>; title="a, b"; REL="Next"'], "/next"),
        (["</last>; rel=last", "</next>; rel=next"], "/next"),
        (['</both>; rel="prev next"'], "/both"),
        (['</prev>; rel="prev"; title="next"'], None),
        (['</nextish>; rel="nextish"'], None),
        (["</bare>"], None),
        (["rel=next"], None),
    ],
)
def test_the_next_page_is_found_among_the_links(headers, target):
    assert next_link(headers) == target


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("text/html; charset=utf-8", b"", True),
        ("TEXT/HTML", b"{}", True),
        ("application/json", b"  <html>", True),
        ("application/json", b"{}", False),
        ("", b"", False),
    ],
)
def test_a_page_for_people_is_recognised(content_type, body, expected):
    assert is_html(content_type, body) is expected


def test_a_digest_is_that_of_the_exact_bytes():
    assert digest_of(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("text", "words"),
    [("a\n\t b\x1b[2K", "a b [2K"), ("abcdefghij", "abcdefghij"), ("abcdefghijk", "abcdefghi…"), ("", "")],
)
def test_outside_text_is_quoted_on_one_line(text, words):
    assert printable(text, 10) == words
