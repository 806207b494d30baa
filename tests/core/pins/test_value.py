"""What a pin says, in each form in which it is written."""

import pytest

from bot.core.errors import UsageError
from bot.core.image import TagScheme, parse_image
from bot.core.pins.errors import PinError
from bot.core.pins.value import read_value, write_value

PYTORCH = "nvcr.io/nvidia/pytorch"
MONTHLY = TagScheme("YY.MM-py3")
CUDA_NAME, CUDA_BASE = "nvcr.io/nvidia/cuda-dl-base", TagScheme("YY.MM-cuda*-devel-ubuntu24.04")
OLD_DIGEST, NEW_DIGEST = "sha256:" + "1a" * 32, "sha256:" + "2b" * 32
NEW = parse_image(f"{PYTORCH}:26.08-py3")
NEW_PINNED = NEW.at("26.08-py3", NEW_DIGEST)


@pytest.mark.parametrize(
    ("form", "old", "new", "target"),
    [
        pytest.param("reference", f"{PYTORCH}:26.06-py3", f"{PYTORCH}:26.08-py3", NEW, id="reference"),
        pytest.param(
            "reference",
            "nvcr.io#nvidia/pytorch:26.06-py3",
            "nvcr.io#nvidia/pytorch:26.08-py3",
            NEW,
            id="enroot's separator stays",
        ),
        pytest.param(
            "reference",
            "nvcr.io:443/nvidia/pytorch:26.06-py3",
            "nvcr.io:443/nvidia/pytorch:26.08-py3",
            NEW,
            id="port stays",
        ),
        pytest.param(
            "reference",
            f"{PYTORCH}:26.06-py3@{OLD_DIGEST}",
            f"{PYTORCH}:26.08-py3@{NEW_DIGEST}",
            NEW_PINNED,
            id="a digest moves with the tag",
        ),
        pytest.param(
            "reference", f"{PYTORCH}:26.06-py3", f"{PYTORCH}:26.08-py3", NEW_PINNED, id="no digest is added"
        ),
        pytest.param("tag", "26.06-py3", "26.08-py3", NEW_PINNED, id="tag"),
        pytest.param(
            "tag", f"26.06-py3@{OLD_DIGEST}", f"26.08-py3@{NEW_DIGEST}", NEW_PINNED, id="tag and digest"
        ),
        pytest.param("release", "24.03", "26.08", NEW, id="release"),
    ],
)
def test_a_value_is_read_and_written_in_its_form(form, old, new, target):
    assert write_value(old, form, target, MONTHLY) == new

    before, after = (read_value(text, form, PYTORCH, MONTHLY) for text in (old, new))
    assert before.name == after.name == PYTORCH
    assert (before.tag, after.tag) == ("24.03-py3" if form == "release" else "26.06-py3", "26.08-py3")
    assert after.digest == (NEW_DIGEST if "@" in old else None)


def test_a_tag_that_only_the_registry_knows_is_read_and_written():
    old = f"{CUDA_NAME}:26.05-cuda13.2-devel-ubuntu24.04"
    new = parse_image(f"{CUDA_NAME}:26.07-cuda13.3-devel-ubuntu24.04")

    assert str(read_value(old, "reference", CUDA_NAME, CUDA_BASE)) == old
    assert write_value(old, "reference", new, CUDA_BASE) == str(new)


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        pytest.param("reference", "", "`` is not an image reference", id="empty"),
        pytest.param("reference", "${BASE}", "`${BASE}` is not an image reference", id="variable"),
        pytest.param("reference", "python:3.10", "`python:3.10` is not an image reference", id="no registry"),
        pytest.param(
            "reference",
            f"{PYTORCH}:26.06-py3\r",
            f"`{PYTORCH}:26.06-py3\\r` is not an image reference",
            id="an invisible character is shown",
        ),
        pytest.param(
            "reference",
            "docker.io/nvidia/pytorch:26.06-py3",
            f"`docker.io/nvidia/pytorch:26.06-py3` is not an image of `{PYTORCH}`",
            id="another registry",
        ),
        pytest.param(
            "reference",
            "nvcr.io/nvidia/pytorch-pb24h1:24.03.02-py3",
            f"`nvcr.io/nvidia/pytorch-pb24h1:24.03.02-py3` is not an image of `{PYTORCH}`",
            id="another repository",
        ),
        pytest.param("reference", PYTORCH, f"`{PYTORCH}` has no tag", id="no tag"),
        pytest.param(
            "reference",
            f"{PYTORCH}@sha256:{'1a' * 32}",
            f"`{PYTORCH}@sha256:{'1a' * 25}` has no tag",
            id="digest only, cut to 80 characters",
        ),
        pytest.param(
            "reference",
            f"{PYTORCH}:latest",
            f"`{PYTORCH}:latest` names no release: `latest` moves by itself",
            id="latest",
        ),
        pytest.param(
            "reference",
            f"{PYTORCH}:26.06-py3-igpu",
            f"the tag of `{PYTORCH}:26.06-py3-igpu` is not of the form `YY.MM-py3`",
            id="another flavour",
        ),
        pytest.param("tag", "${TAG}", "`${TAG}` is not a tag", id="variable as tag"),
        pytest.param(
            "tag", "26.06", "the tag of `26.06` is not of the form `YY.MM-py3`", id="release as tag"
        ),
        pytest.param(
            "tag", "latest", "`latest` names no release: `latest` moves by itself", id="latest as tag"
        ),
        pytest.param(
            "release", "26.06-py3", "`26.06-py3` is not a release of the form `YY.MM`", id="tag as release"
        ),
        pytest.param("release", "26.1", "`26.1` is not a release of the form `YY.MM`", id="a lost zero"),
    ],
)
def test_a_value_that_is_not_the_recipes_image_is_refused(form, text, message):
    with pytest.raises(PinError) as refused:
        read_value(text, form, PYTORCH, MONTHLY)

    assert refused.value.message == message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param(
            f"{PYTORCH}:26.06-py3@{OLD_DIGEST}",
            NEW,
            "that of `26.08-py3` is unknown without the registry",
            id="digest",
        ),
        pytest.param(
            f"{PYTORCH}:26.06-py3",
            NEW.at("26.08"),
            "is not of the form `YY.MM-py3`",
            id="tag of another form",
        ),
        pytest.param(
            f"{PYTORCH}:26.06-py3", parse_image(PYTORCH), "is not of the form `YY.MM-py3`", id="no tag at all"
        ),
    ],
)
def test_what_cannot_be_written_is_refused(old, new, message):
    with pytest.raises(PinError, match=message):
        write_value(old, "reference", new, MONTHLY)


def test_a_release_alone_cannot_stand_for_a_tag_that_only_the_registry_knows():
    with pytest.raises(UsageError, match="a pin of the form `release` cannot be read"):
        read_value("26.05", "release", CUDA_NAME, CUDA_BASE)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        pytest.param("26.04", "`value: release`", id="a release where a reference is expected"),
        pytest.param("26.04-py3", "`value: tag`", id="a tag where a reference is expected"),
    ],
)
def test_a_value_of_another_form_is_named(text, hint):
    with pytest.raises(PinError) as refused:
        read_value(text, "reference", "nvcr.io/nvidia/pytorch", TagScheme("YY.MM-py3"))

    assert hint in refused.value.hint


@pytest.mark.parametrize(("text", "form"), [("see below", "reference"), ("see below", "tag")])
def test_a_value_of_no_form_gets_no_hint(text, form):
    with pytest.raises(PinError) as refused:
        read_value(text, form, "nvcr.io/nvidia/pytorch", TagScheme("YY.MM-py3"))

    assert refused.value.hint is None
