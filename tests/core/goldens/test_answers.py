"""How far the answers and figures of inference runs moved."""

import pytest

from bot.core.goldens.compare import compare
from bot.core.goldens.comparison import Comparison, Row
from tests.core.goldens.made import answer, inference, read


def compared(old: bytes, new: bytes) -> Comparison:
    return compare(read(old), read(new))


def rows_of(old: bytes, new: bytes) -> dict[str, Row]:
    return {row.metric: row for row in compared(old, new).rows}


def moved(old: dict[str, object], new: dict[str, object], part: str) -> Row:
    return rows_of(inference(r0=answer(**old)), inference(r0=answer(**new)))[part]


def test_equal_answers_have_a_row_for_each_part_and_no_gap():
    same = inference({"throughput": [5.0, 6.0], "mem-max-allocated-bytes": 7}, r0=answer(), r1=answer())

    result = compared(same, same)

    assert {row.metric: (row.measure, row.n, row.max_abs) for row in result.rows} == {
        "throughput": ("relative", 1, 0),
        "mem-max-allocated-bytes": ("relative", 1, 0),
        "input_prompt": ("share", 2, 0),
        "generated_text": ("share", 2, 0),
        "generated_tokens": ("share", 6, 0),
        "latency": ("relative", 2, 0),
        "logprobs": ("absolute", 6, 0),
    }
    assert (result.kind, result.gaps) == ("inference", ())


@pytest.mark.parametrize(
    ("tokens", "share", "position"),
    [
        pytest.param([11, 22, 33], 0, 0, id="all equal"),
        pytest.param([11, 0, 33], 1 / 3, 1, id="one differs"),
        pytest.param([11, 22], 1 / 3, 2, id="one is missing"),
        pytest.param([11, 22, 33, 44], 1 / 4, 3, id="one is more"),
        pytest.param([11, 22, None], 1 / 3, 2, id="one is null"),
    ],
)
def test_tokens_are_equal_or_not(tokens, share, position):
    row = moved({}, {"generated_tokens": tokens}, "generated_tokens")

    assert (row.measure, row.mean_abs, row.max_step, row.request) == ("share", share, position, "0")
    assert (row.signed_mean, row.median_abs) == (None, None)


@pytest.mark.parametrize(
    ("text", "differs"),
    [
        pytest.param(" Not far.", 0, id="the same"),
        pytest.param(" Not", 0, id="it ends earlier"),
        pytest.param(" Not far. Not at all.", 0, id="it goes on"),
        pytest.param(" not far.", 1, id="another letter"),
        pytest.param("", 1, id="nothing is said"),
    ],
)
def test_text_is_equal_as_far_as_the_shorter_goes(text, differs):
    assert moved({}, {"generated_text": text}, "generated_text").max_abs == differs


def test_log_probabilities_differ_by_what_lies_between_them():
    row = moved({}, {"logprobs": [-1.0, -0.75, -0.25]}, "logprobs")

    assert (row.differences, row.max_step) == ((0, 0.25, 0), 1)


@pytest.mark.parametrize(
    ("then", "now", "gap", "missing", "added"),
    [
        pytest.param([-1, -2, -3], [-1], "the new golden lacks the last 2", (1, 2), (), id="shorter"),
        pytest.param([-1], [-1, -2], "the old golden lacks the last 1", (), (1,), id="longer"),
    ],
)
def test_lists_of_two_lengths_are_compared_as_far_as_they_go(then, now, gap, missing, added):
    result = compared(inference(r0=answer(logprobs=then)), inference(r0=answer(logprobs=now)))
    row = next(row for row in result.rows if row.metric == "logprobs")

    assert (row.n, row.coverage.missing, row.coverage.added) == (1, missing, added)
    assert result.gaps == (f"`logprobs` of request `0`: {gap}",)


@pytest.mark.parametrize(
    ("then", "now", "difference"),
    [
        pytest.param(2.0, 1.0, 0.5, id="it fell"),
        pytest.param(0, 0.0, 0.0, id="zero stays zero"),
        pytest.param(0.0, 1.0, float("-inf"), id="it rose from zero"),
        pytest.param(0.0, -1.0, float("inf"), id="it fell from zero"),
    ],
)
def test_numbers_move_relative_to_what_they_were(then, now, difference):
    assert moved({"latency": then}, {"latency": now}, "latency").differences == (difference,)


def test_lists_of_times_move_relative_to_what_they_were():
    row = moved({"tpot": [0.5, 1.0]}, {"tpot": [0.25, 1.0]}, "tpot")

    assert (row.measure, row.differences) == ("relative", (0.5, 0))


@pytest.mark.parametrize(
    ("then", "now"),
    [
        pytest.param([[1, 2]], [[2, 1]], id="nested lists"),
        pytest.param({"a": 1}, {"a": 2}, id="objects"),
        pytest.param([1.5], 1.5, id="a list and a number"),
        pytest.param([1.5, "nan"], [1.5, "inf"], id="no numbers"),
        pytest.param(True, 1.5, id="a truth value and a number"),
    ],
)
def test_everything_else_is_equal_or_not(then, now):
    row = moved({"part": then}, {"part": now}, "part")

    assert (row.measure, row.max_abs) == ("share", 1)
    assert moved({"part": then}, {"part": then}, "part").max_abs == 0


def test_the_largest_move_is_named_with_its_request():
    old = inference(r0=answer(), r5=answer())
    new = inference(r0=answer(), r5=answer(logprobs=[-1, -0.5, -3]))

    row = rows_of(old, new)["logprobs"]

    assert (row.request, row.max_step, row.n) == ("5", 2, 6)


def test_requests_and_parts_of_one_golden_alone_are_said():
    old = inference({"throughput": 1.0}, r0=answer(), r1=answer())
    new = inference({"async_sched_step_count": 3}, r0=answer(latency=None, ttft=0.5), r2=answer())

    result = compared(old, new)

    assert result.missing == ("throughput", "request `1`", "`latency` of request `0`")
    assert result.added == ("async_sched_step_count", "request `2`", "`ttft` of request `0`")
    assert set(result.gaps) == {
        "`throughput` is not in the new golden",
        "`async_sched_step_count` is not in the old golden",
        "request `1` is not in the new golden",
        "request `2` is not in the old golden",
        "`latency` of request `0` is not in the new golden",
        "`ttft` of request `0` is not in the old golden",
    }


@pytest.mark.parametrize(
    ("then", "now", "difference"),
    [
        pytest.param([1.0, 10.0, 30.0, 20.0], [99.0, 22.0], -0.1, id="medians without the first"),
        pytest.param([10.0], [9.0], 0.1, id="lists of one"),
        pytest.param(10, 8, 0.2, id="numbers"),
    ],
)
def test_a_figure_moves_by_its_median_without_the_warm_up(then, now, difference):
    row = rows_of(inference({"throughput": then}, r0=answer()), inference({"throughput": now}, r0=answer()))

    assert row["throughput"].differences == pytest.approx((difference,))


@pytest.mark.parametrize(
    ("then", "now", "gap"),
    [
        pytest.param(
            [1.0, "nan"], [1.0, 2.0], "one of the goldens has no finite number at step 1", id="padded"
        ),
        pytest.param(0, 5, "no longer 0 at step 0, and nothing is relative to 0", id="from zero"),
        pytest.param(0, 0, "no step has a finite number", id="zero"),
        pytest.param([], [1.0], "no step has a finite number", id="empty"),
    ],
)
def test_a_figure_that_cannot_be_compared_is_said(then, now, gap):
    result = compared(inference({"count": then}, r0=answer()), inference({"count": now}, r0=answer()))

    assert "count" not in {row.metric for row in result.rows}
    assert any(it.startswith(f"`count`: {gap}") for it in result.gaps)
