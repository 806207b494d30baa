"""A report over many files: nothing is left out, and the farthest stands first."""

import pytest

from bot.core.goldens.report import (
    BUCKETS,
    Compared,
    OfMetric,
    Pair,
    by_metric,
    compare_files,
    farthest_first,
    not_compared,
    spread,
)
from tests.core.goldens.made import GOLDENS, answer, inference, training


def file(name: str, old: object, new: object, goldens=None) -> Compared:
    return compare_files(Pair(name, training(lm_loss=old), training(lm_loss=new)), goldens)


@pytest.mark.parametrize(
    ("old", "new", "gaps"),
    [
        pytest.param(None, training(a=[1.0]), ["there is no old golden"], id="new file"),
        pytest.param(training(a=[1.0]), None, ["there is no new golden"], id="deleted file"),
        pytest.param(None, None, ["there is no old golden", "there is no new golden"], id="no file at all"),
        pytest.param(b"", training(a=[1.0]), ["the old golden is empty"], id="empty file"),
        pytest.param(
            training(a=[1.0]), b"[]", ["the new golden holds a list instead of an object"], id="no golden"
        ),
        pytest.param(b"", None, ["there is no new golden", "the old golden is empty"], id="both are wrong"),
    ],
)
def test_a_side_that_cannot_be_read_is_said(old, new, gaps):
    compared = [compare_files(Pair("f", old, new), GOLDENS)]

    assert not_compared(compared) == [("f", gap) for gap in gaps]
    assert (compared[0].comparison.rows, compared[0].exceeded) == ((), {})


def test_limits_are_looked_at_only_where_there_are_some():
    assert list(file("f", [10.0] * 3, [20.0] * 3, GOLDENS).exceeded) == ["lm loss"]
    assert file("f", [10.0] * 3, [20.0] * 3).exceeded == {}


def test_what_is_beyond_a_limit_stands_first_then_what_moved_farthest():
    near, far = file("near", [10.0], [10.1]), file("far", [10.0], [90.0])
    infinite = file("infinite", [-1e308], [1e308])
    beyond = file("beyond", [10.0], [10.6], GOLDENS)

    order = [it.file for it, _ in farthest_first([near, far, beyond, infinite])]

    assert order == ["beyond", "infinite", "far", "near"]


def test_moves_are_counted_by_both_means():
    compared = [
        file("same", [10.0], [10.0]),
        file("tiny", [10.0], [10.000001]),
        file("on the bound", [10.0], [9.0]),
        file("up and down", [10.0, 10.0], [15.0, 5.0]),
        file("infinite", [-1e308], [1e308]),
        compare_files(
            Pair("inference", inference(r0=answer()), inference(r0=answer(logprobs=[9, 9, 9]))), None
        ),
    ]

    assert {name: dict(zip(BUCKETS, found, strict=True)) for name, found in spread(compared).items()} == {
        "signed mean": {
            "0": 3,
            "< 1e-6": 1,
            "< 1e-4": 0,
            "< 1e-3": 0,
            "< 1e-2": 0,
            "< 0.1": 0,
            ">= 0.1": 2,
        },
        "mean of |difference|": {
            "0": 2,
            "< 1e-6": 1,
            "< 1e-4": 0,
            "< 1e-3": 0,
            "< 1e-2": 0,
            "< 0.1": 0,
            ">= 0.1": 3,
        },
    }


def test_each_metric_is_summed_up_over_the_files():
    first = compare_files(Pair("a", training(x=[1.0], b=[4.0]), training(x=[2.0], b=[3.0])), None)
    second = compare_files(Pair("b", training(b=[4.0]), training(b=[4.0])), None)
    third = compare_files(Pair("c", training(b=[4.0]), training(b=[6.0])), None)

    assert by_metric([first, second, third]) == [
        OfMetric("b", 3, 0.25, 0.5, 0.5),
        OfMetric("x", 1, 1.0, 1.0, 1.0),
    ]
