"""What every pin format keeps to, whatever it is given."""

from string import Template

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.errors import UsageError
from bot.core.pins.errors import PinError
from bot.core.pins.formats import FORMATS
from bot.core.pins.hold import hold_comment
from bot.core.pins.span import splice

OLD, NEW = "nvcr.io/nvidia/pytorch:26.06-py3", "nvcr.io/nvidia/pytorch:26.08-py3"
MATRIX = {"rows": ["job", "matrix"], "match": {"IMAGE": "DEV"}, "key": "BASE", "platform": "PLATFORM"}

SAMPLES = {
    "whole-file": ({}, "$pin\n"),
    "dockerfile-arg": ({"arg": "BASE"}, "# base\nARG BASE=$pin\nFROM ${BASE}\n"),
    "dockerfile-from": ({}, "# base\nFROM --platform=linux/amd64 $pin AS main\n"),
    "yaml-rows": (MATRIX, "job:\n  matrix:\n    - {IMAGE: DEV, BASE: '$pin', PLATFORM: amd64}\n"),
    "regex": ({"pattern": r'"(?P<pin>nvcr[^"]+)"'}, '{"ngc": "$pin"}\n'),
}


def test_every_format_has_a_sample():
    assert SAMPLES.keys() == FORMATS.keys()


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_finds_the_bare_value_and_a_cut_there_moves_it(name):
    where, template = SAMPLES[name]
    before, after = (Template(template).safe_substitute(pin=pin) for pin in (OLD, NEW))

    (pin,) = FORMATS[name].locate(before, where)

    assert pin.span.of(before) == OLD
    assert splice(before, [(pin.span, NEW)]) == after


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_needs_the_keys_that_it_names_and_no_others(name):
    where, template = SAMPLES[name]
    known = FORMATS[name].KEYS | FORMATS[name].OPTIONAL_KEYS
    text = Template(template).safe_substitute(pin=OLD)

    assert FORMATS[name].KEYS <= where.keys() <= known
    for key in FORMATS[name].KEYS:
        with pytest.raises(UsageError, match=f"`{key}` in `where`"):
            FORMATS[name].locate(text, {other: value for other, value in where.items() if other != key})


WORDS = [
    "ARG BASE=",
    "FROM ",
    OLD,
    " AS main",
    "RUN ",
    "ONBUILD ",
    "COPY ",
    "<<EOF",
    "EOF\n",
    "${X}",
    "# hold",
    "//",
]
NODES = [
    "job:\n  matrix:\n    - ",
    "IMAGE: DEV\n",
    "      BASE: ",
    "BASE: ",
    "&a ",
    "*a",
    "<<: *a",
    "!t ",
    "!!str ",
]
SIGNS = [
    "|\n",
    ">-\n",
    "- ",
    "? ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "---\n",
    "%YAML 1.2\n",
    "\\x",
    '"\\U99999999"',
]
MARKS = [
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "  ",
    "\\\n",
    "\\",
    "`",
    '"',
    "'",
    "#",
    "\ufeff",
    "\u2028",
    "\x85",
    "\x00",
    "🚀",
]
PIECES = st.lists(st.sampled_from([*WORDS, *NODES, *SIGNS, *MARKS]), max_size=30)
TEXTS = st.one_of(st.text(), PIECES.map("".join))


def located(name, text):
    """Return the pins, or the line of the refusal."""
    try:
        return FORMATS[name].locate(text, SAMPLES[name][0]), None
    except PinError as refused:
        return (), refused.line


@pytest.mark.parametrize("name", FORMATS)
@given(text=TEXTS)
@example(text="ONBUILD")
@example(text="RUN 'x\\")
@example(text=": ")
def test_any_text_gives_pins_in_order_or_an_explained_refusal(name, text):
    pins, line = located(name, text)

    spans = [pin.span for pin in pins]
    assert line is None or 1 <= line <= text.count("\n") + 1
    assert spans == sorted(spans)
    assert all(0 <= span.start <= span.end <= len(text) for span in spans)
    assert all(pin.context is None or pin.span.of(text) in pin.context.of(text) for pin in pins)
    assert all(held is None or held[0] >= 1 for held in (hold_comment(text, pin) for pin in pins))


COMMENTS = st.sampled_from(["", "  # why", "  # nvcr.io/nvidia/pytorch:26.06-py3", " # 🚀 für arm"])
NOISE = st.sampled_from(["", "# between", "      # - IMAGE: DEV", "      #   BASE: x", "   "])
IMAGES = st.sampled_from(["DEV", "LTS", '"DEV"', "'LTS'", "UTIL"])
QUOTES = st.sampled_from(["", '"', "'"])


@st.composite
def block_rows(draw):
    """Return the text of one row, with `PIN` where its value is a pin."""
    image, quote = draw(IMAGES), draw(QUOTES)
    value = "PIN" if "DEV" in image else OLD
    pairs = draw(
        st.permutations([f"IMAGE: {image}", f"BASE: {quote}{value}{quote}", "PLATFORM: amd64", "N: [1]"])
    )
    lines = [f"{'      ' if number else '    - '}{pair}{draw(COMMENTS)}" for number, pair in enumerate(pairs)]
    return "\n".join([*lines, draw(NOISE)])


@given(
    rows=st.lists(block_rows(), max_size=6),
    head=st.sampled_from(
        ["", "\ufeff", "\ufeff# 🚀\n", "spec: {}\n---\n", ".x: &x [!reference [.a, b]]\n.y: *x\n"]
    ),
    tail=st.sampled_from(["", "\n", f"\nother:\n  matrix:\n  - {{IMAGE: DEV, BASE: {OLD}}}\n"]),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_a_cut_at_the_pins_changes_the_dev_rows_and_not_one_other_character(rows, head, tail, line_end):
    text = "\n".join([f"{head}job:", "  matrix:", *rows]) + tail
    before, after = (text.replace("PIN", pin).replace("\n", line_end) for pin in (OLD, NEW))

    pins = FORMATS["yaml-rows"].locate(before, MATRIX)

    assert splice(before, [(pin.span, NEW) for pin in pins]) == after
