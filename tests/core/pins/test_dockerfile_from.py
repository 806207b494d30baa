"""The pin format `dockerfile-from`."""

import pytest

from bot.core.errors import UsageError
from bot.core.pins.dockerfile_from import locate
from bot.core.pins.errors import PinError

PYTORCH = "nvcr.io/nvidia/pytorch"
IMAGE = f"{PYTORCH}:26.06-py3"
TWO_IMAGES = (
    f"FROM python:3.10 AS Tools\nFROM {IMAGE} AS main\nFROM nvcr.io/nvidia/cuda-dl-base:26.05-x AS last\n"
)


def values(text, **where):
    return [pin.span.of(text) for pin in locate(text, where)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"FROM {IMAGE}\n", id="plain"),
        pytest.param(f"from {IMAGE} as base\n", id="lower case"),
        pytest.param(f"FROM --platform=$BUILDPLATFORM {IMAGE} AS base\n", id="platform flag"),
        pytest.param(f'FROM "{IMAGE}" AS base\n', id="quoted"),
        pytest.param(f"\ufeffFROM {IMAGE}\r\n", id="CRLF and byte order mark"),
        pytest.param(f"FROM \\\n  {IMAGE} \\\n  AS base\n", id="continued lines"),
        pytest.param(
            f"# FROM python:3.10\nRUN <<EOF\nFROM x\nEOF\nFROM {IMAGE}\n", id="comment, here-document"
        ),
        pytest.param(
            f"FROM {IMAGE} AS Main\nFROM main AS jet\nFROM --platform=x MAIN\n", id="earlier stages"
        ),
        pytest.param(f"FROM scratch\nFROM {IMAGE}\n", id="scratch"),
        pytest.param(
            f"ARG V=1\nFROM ${{V}}\nFROM {PYTORCH}:${{V}}-py3\nFROM $V\nFROM {IMAGE}\n", id="variables"
        ),
        pytest.param(f"FROM\nFROM --platform=x\nFROM {IMAGE}\n", id="nothing behind the instruction"),
    ],
)
def test_the_image_of_a_registry_is_found(text):
    assert values(text) == [IMAGE]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        pytest.param({}, ["python:3.10", IMAGE, "nvcr.io/nvidia/cuda-dl-base:26.05-x"], id="all"),
        pytest.param({"image": PYTORCH}, [IMAGE], id="by image"),
        pytest.param({"stage": "MAIN"}, [IMAGE], id="by stage, in any case"),
        pytest.param({"stage": "tools"}, ["python:3.10"], id="by stage alone, another image"),
        pytest.param({"image": PYTORCH, "stage": "last"}, [], id="both have to fit"),
        pytest.param({"image": "nvcr.io/nvidia/cuda"}, [], id="a part of a name is no name"),
    ],
)
def test_image_and_stage_choose_among_several(where, found):
    assert values(TWO_IMAGES, **where) == found


def test_a_stage_of_the_same_name_further_down_does_not_hide_an_image():
    assert values(f"FROM {IMAGE}\nFROM x.io/y AS nvcr\n") == [IMAGE, "x.io/y"]


def test_an_image_in_the_middle_of_a_line_break_is_refused():
    with pytest.raises(PinError, match="continued on the next line") as refused:
        locate("# why\nFROM nvcr.io/nvidia/\\\npytorch:1\n", {})

    assert refused.value.line == 2


def test_a_damaged_line_that_is_not_asked_for_does_not_matter():
    assert values(f'FROM a"b"c\nFROM {IMAGE} AS main\n', stage="main") == [IMAGE]


@pytest.mark.parametrize("key", ["image", "stage"])
def test_a_where_that_is_no_text_is_the_recipes_fault(key):
    with pytest.raises(UsageError, match=f"`{key}` in `where` must be a text"):
        locate("", {key: ["x"]})
