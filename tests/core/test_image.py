"""Image references and release tags."""

import pytest

from bot.core.errors import Refused, UsageError
from bot.core.image import ImageRef, Release, TagScheme, find_images, parse_image, parse_release, resolve_tag

PYTORCH = "nvcr.io/nvidia/pytorch"
DIGEST = "sha256:" + "6e" * 32
MONTHLY = TagScheme("YY.MM-py3")
CUDA_BASE = TagScheme("YY.MM-cuda*-devel-ubuntu24.04")


@pytest.mark.parametrize(
    ("text", "host", "repository", "tag", "digest"),
    [
        pytest.param(f"{PYTORCH}:26.06-py3", "nvcr.io", "nvidia/pytorch", "26.06-py3", None, id="tag"),
        pytest.param(PYTORCH, "nvcr.io", "nvidia/pytorch", None, None, id="neither tag nor digest"),
        pytest.param(f"{PYTORCH}@{DIGEST}", "nvcr.io", "nvidia/pytorch", None, DIGEST, id="digest only"),
        pytest.param(
            f"{PYTORCH}:26.06-py3@{DIGEST}",
            "nvcr.io",
            "nvidia/pytorch",
            "26.06-py3",
            DIGEST,
            id="tag and digest",
        ),
        pytest.param(
            "reg.example:5005/team/pt:26.06-py3", "reg.example:5005", "team/pt", "26.06-py3", None, id="port"
        ),
        pytest.param(
            "reg.example:5005/team/pt", "reg.example:5005", "team/pt", None, None, id="port, no tag"
        ),
        pytest.param("localhost/x:1", "localhost", "x", "1", None, id="localhost"),
        pytest.param("[::1]:5000/x/y:1", "[::1]:5000", "x/y", "1", None, id="IPv6 host"),
        pytest.param(
            "nvcr.io#nvidia/pytorch:26.06-py3",
            "nvcr.io",
            "nvidia/pytorch",
            "26.06-py3",
            None,
            id="enroot's form",
        ),
    ],
)
def test_a_reference_is_parsed_and_written_as_it_was(text, host, repository, tag, digest):
    image = parse_image(text)

    assert image is not None
    assert (image.host, image.repository, image.tag, image.digest) == (host, repository, tag, digest)
    assert str(image) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("python:3.10", id="no registry"),
        pytest.param("nvidia/pytorch:26.06-py3", id="a namespace is no host"),
        pytest.param("nvcr.io/nvidia/PyTorch:26.06-py3", id="upper case in the repository"),
        pytest.param("nvcr.io/nvidia/pytorch:${TAG}", id="variable"),
        pytest.param("nvcr.io/nvidia/pytorch:26.06-py3\n", id="line feed"),
        pytest.param(" nvcr.io/nvidia/pytorch:26.06-py3", id="blank"),
        pytest.param("nvcr.io/nvidia/pytorch:", id="empty tag"),
        pytest.param("nvcr.io/nvidia/pytorch@sha256:43c0", id="shortened digest"),
        pytest.param("nvcr.io/nvidia/pytorch:" + "1" * 129, id="a tag of 129 characters"),
        pytest.param("docker://nvcr.io/nvidia/pytorch:26.06-py3", id="scheme"),
    ],
)
def test_what_is_no_reference_is_none(text):
    assert parse_image(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "nvcr.io/nvidia/pytorch:26.06-py3",
        "nvcr.io#nvidia/pytorch:26.06-py3",
        "nvcr.io:443/nvidia/pytorch:26.06-py3",
        f"nvcr.io/nvidia/pytorch:26.06-py3@{DIGEST}",
    ],
)
def test_all_forms_of_one_reference_share_their_name_and_plain_form(text):
    image = parse_image(text)

    assert image.name == PYTORCH
    assert str(image.plain()) == f"{PYTORCH}:26.06-py3"


def test_another_port_is_another_registry():
    assert parse_image("nvcr.io:5000/nvidia/pytorch:26.06-py3").name == "nvcr.io:5000/nvidia/pytorch"


def test_another_tag_drops_the_digest_of_the_old_one():
    old = parse_image(f"nvcr.io#nvidia/pytorch:26.04-py3@{DIGEST}")

    assert str(old.at("26.06-py3")) == "nvcr.io#nvidia/pytorch:26.06-py3"
    assert str(old.at("26.06-py3", DIGEST)) == f"nvcr.io#nvidia/pytorch:26.06-py3@{DIGEST}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(f"FROM {PYTORCH}:26.06-py3 AS x", [f"{PYTORCH}:26.06-py3"], id="in a line"),
        pytest.param(f"Use {PYTORCH}:26.06-py3.", [f"{PYTORCH}:26.06-py3"], id="at the end of a sentence"),
        pytest.param(f'"{PYTORCH}:26.06-py3",', [f"{PYTORCH}:26.06-py3"], id="in quotes"),
        pytest.param(
            f"${{BASE:-{PYTORCH}:26.06-py3@{DIGEST}}}", [f"{PYTORCH}:26.06-py3@{DIGEST}"], id="shell default"
        ),
        pytest.param(f"image={PYTORCH}@{DIGEST}", [f"{PYTORCH}@{DIGEST}"], id="digest only"),
        pytest.param(
            "enroot import docker://nvcr.io#nvidia/pytorch:26.06-py3",
            ["nvcr.io#nvidia/pytorch:26.06-py3"],
            id="behind a scheme",
        ),
        pytest.param(
            "nvcr.io:443/nvidia/pytorch:26.06-py3",
            ["nvcr.io:443/nvidia/pytorch:26.06-py3"],
            id="https's own port",
        ),
        pytest.param(
            f"{PYTORCH}:26.04-py3 {PYTORCH}:26.06-py3",
            [f"{PYTORCH}:26.04-py3", f"{PYTORCH}:26.06-py3"],
            id="two in a line",
        ),
        pytest.param(f"{PYTORCH}:${{VERSION}}-py3", [], id="a variable as tag"),
        pytest.param(f"docker pull {PYTORCH}", [], id="no tag"),
        pytest.param("nvcr.io/nvidia/pytorch-extra:26.06-py3", [], id="longer repository"),
        pytest.param("nvcr.io/nvidia/pytorch/extra:26.06-py3", [], id="deeper repository"),
        pytest.param(f"mirror.example/{PYTORCH}:26.06-py3", [], id="path of another registry"),
        pytest.param(f"my-{PYTORCH}:26.06-py3", [], id="end of another host"),
        pytest.param(f"{PYTORCH}:26.06-py3/layers", [], id="a tag is never cut short"),
        pytest.param("nvcrXio/nvidia/pytorch:26.06-py3", [], id="the dot is literal"),
    ],
)
def test_references_to_one_image_are_found_in_any_text(text, found):
    images = find_images(text, PYTORCH)

    assert [str(image) for _, image in images] == found
    assert all(text[at:].startswith(str(image)) for at, image in images)


def test_releases_are_ordered_as_numbers():
    assert Release(26, 2) < Release(26, 10) < Release(27, 1)
    assert str(Release(26, 4)) == "26.04"


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("26.04", Release(26, 4)),
        ("26.13", None),
        ("26.00", None),
        ("26.4", None),
        ("2026.04", None),
        ("26.04\n", None),
    ],
)
def test_a_release_is_a_year_and_a_month_of_two_digits(text, release):
    assert parse_release(text) == release


@pytest.mark.parametrize(
    ("scheme", "tag", "release"),
    [
        pytest.param(MONTHLY, "26.06-py3", Release(26, 6), id="monthly"),
        pytest.param(MONTHLY, "26.06-py3-igpu", None, id="other flavour"),
        pytest.param(MONTHLY, "26.06-py2", None, id="other python"),
        pytest.param(MONTHLY, "26.13-py3", None, id="no such month"),
        pytest.param(MONTHLY, "24.03.02-py3", None, id="production branch"),
        pytest.param(MONTHLY, "latest", None, id="latest"),
        pytest.param(MONTHLY, "26X06-py3", None, id="the dot is literal"),
        pytest.param(CUDA_BASE, "26.04-cuda13.2-devel-ubuntu24.04", Release(26, 4), id="looked-up part"),
        pytest.param(CUDA_BASE, "26.04-cuda13.2.1-devel-ubuntu24.04", Release(26, 4), id="three numbers"),
        pytest.param(CUDA_BASE, "26.04-cuda-devel-ubuntu24.04", None, id="no number"),
        pytest.param(CUDA_BASE, "26.04-cuda13.2-runtime-ubuntu24.04", None, id="other kind"),
    ],
)
def test_a_scheme_knows_its_own_tags(scheme, tag, release):
    assert scheme.release(tag) == release


def test_a_scheme_says_whether_its_tags_can_be_computed():
    assert MONTHLY.is_computed
    assert MONTHLY.tag(Release(26, 4)) == "26.04-py3"
    assert not CUDA_BASE.is_computed


def test_the_newest_tags_come_first_and_strange_ones_not_at_all():
    tags = ("25.09-py3", "26.10-py3", "latest", "26.02-py3", "26.11-py3-igpu", "9.99-py3")

    assert MONTHLY.newest_first(tags) == ("26.10-py3", "26.02-py3", "25.09-py3")


def no_registry():
    raise AssertionError("a tag that can be computed needs no registry")


def test_a_full_tag_is_taken_as_it_is():
    assert resolve_tag("26.04-py3", MONTHLY, no_registry) == "26.04-py3"


def test_a_release_is_looked_up_where_its_tag_cannot_be_computed():
    tags = ("26.02-cuda13.1-devel-ubuntu24.04", "26.04-cuda13.2-devel-ubuntu24.04", "26.04-py3")

    assert resolve_tag("26.04", CUDA_BASE, lambda: tags) == "26.04-cuda13.2-devel-ubuntu24.04"


@pytest.mark.parametrize(
    ("wanted", "scheme", "tags", "message", "hint"),
    [
        pytest.param(
            "26.04",
            MONTHLY,
            None,
            "`26.04` is not a tag of the form `YY.MM-py3`",
            "write it as `26.04-py3`",
            id="release alone",
        ),
        pytest.param(
            "newest",
            MONTHLY,
            None,
            "`newest` is not a tag of the form `YY.MM-py3`",
            "`YY` and `MM` are year and month, two digits each",
            id="a word",
        ),
        pytest.param(
            "26.7-py3",
            MONTHLY,
            None,
            "`26.7-py3` is not a tag of the form `YY.MM-py3`",
            "write it as `26.07-py3`",
            id="one digit of month",
        ),
        pytest.param(
            "26.13-py3",
            MONTHLY,
            None,
            "`26.13-py3` is not a tag of the form `YY.MM-py3`",
            "there is no month 13",
            id="month thirteen",
        ),
        pytest.param(
            "nvcr.io/nvidia/pytorch:26.07-py3",
            MONTHLY,
            None,
            "`nvcr.io/nvidia/pytorch:26.07-py3` is not a tag of the form `YY.MM-py3`",
            "write it as `26.07-py3`",
            id="the whole reference",
        ),
        pytest.param(
            "26.04-py3",
            CUDA_BASE,
            None,
            "`26.04-py3` is not a tag of the form `YY.MM-cuda*-devel-ubuntu24.04`",
            "write it as `26.04`",
            id="tag of another scheme",
        ),
        pytest.param(
            "26.04",
            CUDA_BASE,
            ("26.04-cuda13.2-devel-ubuntu24.04", "26.04-cuda13.1-devel-ubuntu24.04"),
            "26.04 has 2 tags of the form `YY.MM-cuda*-devel-ubuntu24.04`: "
            "26.04-cuda13.1-devel-ubuntu24.04, 26.04-cuda13.2-devel-ubuntu24.04",
            "name one of them in full",
            id="two tags for one release",
        ),
    ],
)
def test_what_names_no_single_tag_is_refused(wanted, scheme, tags, message, hint):
    with pytest.raises(UsageError) as refused:
        resolve_tag(wanted, scheme, no_registry if tags is None else lambda: tags)

    assert (refused.value.message, refused.value.hint) == (message, hint)


def test_a_release_that_the_registry_does_not_have_is_refused():
    with pytest.raises(Refused, match=r"exists for 26[.]04") as refused:
        resolve_tag("26.04", CUDA_BASE, lambda: ("26.02-cuda13.1-devel-ubuntu24.04",))

    assert refused.value.hint == "`bot releases` lists what there is"


def test_two_written_forms_are_two_values():
    assert ImageRef("nvcr.io", "x", "1", separator="#") != ImageRef("nvcr.io", "x", "1")
