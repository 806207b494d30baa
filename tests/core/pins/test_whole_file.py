"""The pin format `whole-file`."""

import pytest

from bot.core.pins.errors import PinError
from bot.core.pins.whole_file import locate

REFERENCE = "nvcr.io/nvidia/pytorch:26.06-py3"


@pytest.mark.parametrize(
    "text", [REFERENCE, f"{REFERENCE}\n"], ids=["no final line feed", "one final line feed"]
)
def test_the_reference_is_found_without_its_line_feed(text):
    (pin,) = locate(text, {})

    assert pin.span.of(text) == REFERENCE


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param("", 1, "the file is empty", id="empty"),
        pytest.param("\n", 1, "the first line is blank", id="only a line feed"),
        pytest.param(f"\n{REFERENCE}\n", 1, "the first line is blank", id="a blank line before"),
        pytest.param(
            f"\ufeff{REFERENCE}\n", 1, "the file begins with a byte order mark", id="byte order mark"
        ),
        pytest.param(
            f"{REFERENCE}\r\n",
            1,
            "a carriage return would become part of the image's name",
            id="carriage return",
        ),
        pytest.param(
            f"{REFERENCE}\nx\r",
            2,
            "a carriage return would become part of the image's name",
            id="return, line 2",
        ),
        pytest.param(
            f" {REFERENCE}\n", 1, "a blank or tab would become part of the image's name", id="blank before"
        ),
        pytest.param(
            f"{REFERENCE}\t\n", 1, "a blank or tab would become part of the image's name", id="tab behind"
        ),
        pytest.param(
            f"{REFERENCE} # hold\n",
            1,
            "a blank or tab would become part of the image's name",
            id="comment behind",
        ),
        pytest.param(f"{REFERENCE}\n{REFERENCE}", 2, "a second line stands in the file", id="a second line"),
        pytest.param(
            f"{REFERENCE}\n\n# why", 3, "a second line stands in the file", id="a second line further down"
        ),
        pytest.param(f"{REFERENCE}\n\n", 2, "a blank line follows the reference", id="a trailing blank line"),
    ],
)
def test_anything_else_in_the_file_is_refused(text, line, message):
    with pytest.raises(PinError) as refused:
        locate(text, {})

    assert (refused.value.line, refused.value.message) == (line, message)
