"""A chart in a text: the old and the new line, and never more than fits."""

import itertools
import re

import pytest

from bot.core.goldens.golden import Series
from bot.core.goldens.mermaid import chart
from tests.core.goldens.made import read, training


def series(values: object) -> Series:
    return read(training(lm_loss=values)).series["lm loss"]


def numbers(text: str, begin: str) -> list[list[float]]:
    found = re.findall(rf"{begin} \[(.*)\]", text)
    return [[float(it) for it in line.split(", ")] for line in found]


def test_a_chart_has_both_lines_over_the_shared_steps():
    text = chart("lm loss", series([10.0, 9.5, 9.0, 8.0]), series([10.0, "nan", 9.25]))

    assert text.splitlines() == [
        "xychart-beta",
        '    title "lm loss: old, then new"',
        '    x-axis "step" [1, 3]',
        '    y-axis "lm loss" 8.95 --> 10.05',
        "    line [10, 9]",
        "    line [10, 9.25]",
    ]


def test_many_steps_are_thinned_out_evenly_with_both_ends():
    values = [float(it) for it in range(1, 1001)]

    (steps,) = numbers(chart("m", series(values), series(values)), 'x-axis "step"')

    assert (len(steps), steps[0], steps[-1]) == (60, 1, 1000)
    gaps = [after - before for before, after in itertools.pairwise(steps)]
    assert max(gaps) - min(gaps) <= 1


@pytest.mark.parametrize("limit", [200, 300, 500, 1000, 4000])
def test_a_chart_is_never_longer_than_the_limit(limit):
    values = [1.23456 * it for it in range(1, 200)]

    text = chart("lm loss", series(values), series(values), limit=limit)

    assert 0 < len(text) <= limit
    assert len(numbers(text, "line")) == 2


@pytest.mark.parametrize(
    ("old", "new", "limit"),
    [
        pytest.param([1.0], [1.0], 4000, id="one step"),
        pytest.param(["nan", "nan"], [1.0, 1.0], 4000, id="no shared value"),
        pytest.param([1.0, 2.0], [1.0, 2.0], 50, id="no room"),
    ],
)
def test_a_chart_that_would_show_nothing_is_none(old, new, limit):
    assert chart("m", series(old), series(new), limit=limit) == ""


@pytest.mark.parametrize("value", [0.0, 5.0, -5.0])
def test_a_flat_line_has_an_axis_of_some_height(value):
    text = chart("m", series([value] * 2), series([value] * 2))

    low, high = map(float, re.search(r'y-axis "m" (\S+) --> (\S+)', text).groups())
    assert low < value < high


def test_numbers_have_no_exponent():
    text = chart("m", series([3.67e9, 0.00000123]), series([3.67e9, 1e-30]))

    assert "e" not in "".join(re.findall(r"line .*|-->.*", text)).replace("line", "")
    assert numbers(text, "line") == [[3.67e9, 0.00000123], [3.67e9, 0]]


def test_a_name_cannot_end_its_quotes_or_its_line():
    text = chart('a"\n    line [1]\n%% "b"', series([1.0, 2.0]), series([1.0, 2.0]))

    assert text.splitlines()[1] == '    title "a line 1 b: old, then new"'
    assert len(text.splitlines()) == 6
