"""Places in a text, and the cut at them."""

import pytest

from bot.core.pins.errors import PinError
from bot.core.pins.span import Span, line_end, line_of, line_start, splice

TEXT = "one\r\ntwo\n\nfour"


def test_edits_may_come_in_any_order_and_leave_the_rest_alone():
    assert (
        splice("a=1 b=2 c=3", [(Span(10, 11), ""), (Span(2, 3), "10"), (Span(4, 4), "x ")]) == "a=10 x b=2 c="
    )


def test_no_edit_gives_the_same_text():
    assert splice(TEXT, []) == TEXT


def test_neighbouring_edits_are_no_overlap():
    assert splice("abcd", [(Span(0, 2), "x"), (Span(2, 4), "y")]) == "xy"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(Span(5, 8), Span(6, 7), id="inside"),
        pytest.param(Span(4, 6), Span(5, 8), id="across"),
        pytest.param(Span(5, 8), Span(5, 8), id="the same place twice"),
        pytest.param(Span(5, 5), Span(5, 5), id="two insertions at one place"),
    ],
)
def test_edits_that_claim_one_place_are_refused(first, second):
    with pytest.raises(PinError, match="two edits claim the same place") as refused:
        splice(TEXT, [(first, "x"), (second, "y")])

    assert refused.value.line == 2


def test_a_span_gives_its_text():
    assert Span(5, 8).of(TEXT) == "two"


@pytest.mark.parametrize(("offset", "line"), [(0, 1), (4, 1), (5, 2), (9, 3), (10, 4), (14, 4)])
def test_lines_count_from_one_and_end_at_a_line_feed(offset, line):
    assert line_of(TEXT, offset) == line


@pytest.mark.parametrize(
    ("offset", "above", "start"),
    [(0, 0, 0), (7, 0, 5), (10, 0, 10), (12, 1, 9), (12, 2, 5), (12, 3, 0), (12, 9, 0)],
)
def test_the_start_of_a_line_or_of_one_above(offset, above, start):
    assert line_start(TEXT, offset, above) == start


@pytest.mark.parametrize(("offset", "end"), [(0, 4), (5, 8), (8, 8), (9, 9), (11, 14)])
def test_the_end_of_a_line_is_before_its_line_feed(offset, end):
    assert line_end(TEXT, offset) == end
