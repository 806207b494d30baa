"""How far metrics of training runs moved."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.goldens.compare import compare
from bot.core.goldens.comparison import Comparison, Row, spans
from tests.core.goldens.made import answer, block, inference, read, training, written


def compared(old: bytes, new: bytes) -> Comparison:
    return compare(read(old), read(new))


def only_row(old: object, new: object) -> Row:
    (row,) = compared(training(lm_loss=old), training(lm_loss=new)).rows
    return row


def test_figures_of_a_metric():
    row = only_row([10.0, 20.0, 40.0, 8.0], [11.0, 20.0, 36.0, 8.4])

    assert (row.metric, row.measure, row.n) == ("lm loss", "relative", 4)
    assert row.differences == pytest.approx((-0.1, 0.0, 0.1, -0.05))
    assert row.signed_mean == pytest.approx(-0.0125)
    assert row.mean_abs == pytest.approx(0.0625)
    assert row.median_abs == pytest.approx(0.075)
    assert (row.max_abs, row.max_step) == (pytest.approx(0.1), 1)


def test_moves_that_cancel_in_the_signed_mean_are_seen_in_the_others():
    row = only_row([10.0] * 50, [11.0, 9.0] * 25)

    assert row.signed_mean == pytest.approx(0)
    assert (row.mean_abs, row.median_abs, row.max_abs) == pytest.approx((0.1, 0.1, 0.1))


def test_the_first_of_the_largest_moves_is_named():
    assert only_row({"5": 1.0, "10": 1.0, "15": 1.0}, {"5": 1.0, "10": 2.0, "15": 0.0}).max_step == 10


def test_equal_goldens_have_rows_of_zeros_and_no_gap():
    same = training(lm_loss=[1.0, 2.0], num_zeros=[3.0, 4.0])

    result = compared(same, same)

    assert [(row.metric, row.mean_abs) for row in result.rows] == [("lm loss", 0), ("num zeros", 0)]
    assert (result.kind, result.gaps, result.missing, result.added) == ("training", (), (), ())


@pytest.mark.parametrize(
    ("old", "new", "steps", "gap"),
    [
        pytest.param(
            [1.0, 2.0, 3.0, 4.0],
            [1.0, 2.0],
            (1, 2),
            "`lm loss`: the new golden lacks steps 3-4",
            id="steps are missing",
        ),
        pytest.param(
            [1.0], [1.0, 2.0], (1,), "`lm loss`: the old golden lacks step 2", id="a step is more than before"
        ),
        pytest.param(
            [1.0, 2.0],
            [1.0, "nan"],
            (1,),
            "`lm loss`: one of the goldens has no finite number at step 2",
            id="a value is lost",
        ),
        pytest.param(
            ["nan", 2.0],
            [1.0, 2.0],
            (2,),
            "`lm loss`: one of the goldens has no finite number at step 1",
            id="a value is new",
        ),
        pytest.param(
            [0.0, 2.0],
            [1.0, 2.0],
            (2,),
            "`lm loss`: no longer 0 at step 1, and nothing is relative to 0",
            id="a value left zero",
        ),
        pytest.param(
            [1e-13, 2.0],
            [1.0, 2.0],
            (2,),
            "`lm loss`: no longer 0 at step 1, and nothing is relative to 0",
            id="a value left what is as good as zero",
        ),
    ],
)
def test_a_step_that_is_not_compared_is_said(old, new, steps, gap):
    result = compared(training(lm_loss=old), training(lm_loss=new))

    assert [row.steps for row in result.rows] == [steps]
    assert result.gaps == (gap,)


def test_padding_in_both_goldens_is_no_gap_and_counted():
    row = only_row([1.0, "nan", 3.0], [1.0, "nan", 3.0])

    assert (row.n, row.coverage.not_finite, row.coverage.lost) == (2, (2,), ())


def test_padding_that_goes_loses_nothing():
    result = compared(
        training(lm_loss={"1": 1.0, "2": "nan", "3": 3.0}), training(lm_loss={"1": 1.0, "3": 3.0})
    )

    (row,) = result.rows
    assert (row.coverage.missing, row.coverage.not_finite, row.coverage.lost) == ((), (2,), ())
    assert result.gaps == ()


def test_zero_that_stays_zero_is_no_gap():
    result = compared(training(lm_loss=[0.0, 2.0]), training(lm_loss=[0.0, 2.0]))

    assert (result.gaps, result.rows[0].n) == ((), 1)


@pytest.mark.parametrize("values", [[0.0, 0.0], ["nan", "nan"]])
def test_a_metric_without_a_step_to_compare_has_no_row_and_is_said(values):
    result = compared(training(lm_loss=values), training(lm_loss=values))

    assert result.rows == ()
    assert [row.metric for row in result.unmeasured] == ["lm loss"]
    assert result.gaps == (
        "`lm loss`: no step has a finite number in both goldens that is not 0 in the old one",
    )


def test_metrics_of_one_golden_alone_are_said():
    result = compared(training(a=[1.0], b=[1.0]), training(b=[1.0], c=[1.0]))

    assert (result.missing, result.added) == (("a",), ("c",))
    assert result.gaps == ("`a` is not in the new golden", "`c` is not in the old golden")


def test_figures_beside_the_metrics_are_compared_as_they_are():
    old, new = ({"lm loss": block([1.0]), "iteration_timing_avg": it} for it in (2.0, 1.0))

    rows = compared(written(old), written(new)).rows

    assert [(row.metric, row.signed_mean) for row in rows] == [("lm loss", 0), ("iteration_timing_avg", 0.5)]


@pytest.mark.parametrize(
    ("old", "new", "gap"),
    [
        pytest.param(
            training(lm_loss=[1.0]),
            inference(r0=answer()),
            "the old golden holds metrics of a training run, the new one answers to requests",
            id="another kind of run",
        ),
        pytest.param(
            b"{}",
            training(lm_loss=[1.0]),
            "the old golden holds nothing, the new one metrics of a training run",
            id="from nothing",
        ),
        pytest.param(b"{}", b"{}", "both goldens hold nothing", id="nothing at all"),
    ],
)
def test_what_cannot_be_compared_is_said(old, new, gap):
    assert compared(old, new) == Comparison(gaps=(gap,))


def test_figures_beyond_a_double_are_none():
    row = only_row([-1e308, 1.0, -1e308], [1e308, 1.0, -1e308])

    assert (row.signed_mean, row.mean_abs, row.max_abs) == (None, None, None)
    assert (row.median_abs, row.max_step) == (0, 1)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.just("nan")
SERIES = st.dictionaries(st.integers(0, 30).map(str), NUMBERS, min_size=1, max_size=12)


def mean_of_megatron(old: dict[str, object], new: dict[str, object]) -> float | None:
    """Return mean((old - new) / old) over shared finite steps whose old value is not next to zero."""
    found = []
    for step in sorted(map(int, old)):
        then, now = (float(it.get(str(step), "nan")) for it in (old, new))
        if math.isfinite(then) and math.isfinite(now) and abs(then) >= 1e-12:
            found.append((then - now) / then)
    return sum(found) / len(found) if found else None


@settings(deadline=None)
@given(SERIES, SERIES)
def test_the_signed_mean_is_megatrons(old, new):
    sides = [json.dumps({"m": {"values": it}}).encode() for it in (old, new)]
    expected = mean_of_megatron(old, new)

    rows = compared(*sides).rows

    assert bool(rows) == (expected is not None)
    if rows and math.isfinite(expected):
        assert rows[0].signed_mean == pytest.approx(expected, rel=1e-12, abs=1e-300)


@settings(deadline=None)
@given(SERIES, SERIES)
def test_every_step_is_compared_or_named(old, new):
    result = compared(*(json.dumps({"m": {"values": it}}).encode() for it in (old, new)))
    (row,) = (*result.rows, *result.unmeasured)
    coverage = row.coverage
    still_zero = {
        int(step)
        for step in old.keys() & new.keys()
        if old[step] != "nan" and abs(float(old[step])) < 1e-12 and old[step] == new[step]
    }

    named = {*row.steps, *coverage.missing, *coverage.added, *coverage.not_finite, *coverage.from_zero}

    assert named | still_zero == set(map(int, old.keys() | new.keys()))


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        pytest.param((3,), "step 3", id="one"),
        pytest.param((1, 2, 3, 7), "steps 1-3, 7", id="runs"),
        pytest.param((5, 10, 15, 20), "steps 5, 10, 15, 20", id="four"),
        pytest.param((5, 10, 15, 20, 25, 30), "steps 5, 10, 15, 20, … (6 in all)", id="more"),
    ],
)
def test_steps_in_words(steps, words):
    assert spans(steps) == words
