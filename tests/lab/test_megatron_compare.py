"""Upstream's comparison of golden values, as the lab has it."""

import json
from typing import Any

import pytest

from bot.lab.megatron_compare import comparisons, complaints, is_inference
from bot.lab.megatron_logs import Comparison

STEPS = 200


def training(losses: dict[int, Any] | None = None, zeros: float = 1000.0) -> bytes:
    values = {str(step): (losses or {}).get(step, 10.0) for step in range(1, STEPS + 1)}
    kept = {step: value for step, value in values.items() if value is not None}
    return json.dumps(
        {"lm loss": {"values": kept}, "num-zeros": {"values": {"1": zeros}}, "iteration-time": {"values": {}}}
    ).encode()


def loss(old: dict[int, Any], new: dict[int, Any]) -> tuple[bool, bool]:
    found = comparisons(training(old), training(new))[0]
    return found.exact, found.approximate


@pytest.mark.parametrize(
    ("old", "new", "exact", "approximate"),
    [
        pytest.param({}, {}, True, True, id="equal"),
        pytest.param({}, {3: 10.000_01}, False, True, id="a little"),
        pytest.param({}, {3: 10.5, 4: 9.5}, False, True, id="just inside"),
        pytest.param({}, {3: 11.0, 4: 9.0}, False, True, id="one of a hundred steps outside"),
        pytest.param({}, {3: 11.0, 4: 9.0, 5: 11.0}, False, False, id="more outside"),
        pytest.param({}, {3: None, 4: None, 5: None}, False, False, id="steps are missing"),
        pytest.param({}, {3: "nan", 4: "nan", 5: "nan"}, False, False, id="padded"),
        pytest.param({3: "nan"}, {3: "nan"}, True, True, id="padded before as well"),
        pytest.param({3: "nan", 4: "nan", 5: "nan"}, {3: None, 4: None, 5: None}, True, True, id="unpadded"),
    ],
)
def test_a_metric_is_compared_exactly_and_approximately(old, new, exact, approximate):
    assert loss(old, new) == (exact, approximate)


@pytest.mark.parametrize(("zeros", "approximate"), [(1190.0, True), (1210.0, True), (810.0, True)])
def test_one_step_may_always_be_outside(zeros, approximate):
    assert comparisons(training(), training(zeros=zeros))[1] == Comparison("num-zeros", False, approximate)


def test_a_metric_that_is_gone_has_failed():
    new = json.dumps({"num-zeros": {"values": {"1": 1000.0}}}).encode()

    assert comparisons(training(), new)[0] == Comparison("lm loss", exact=False, approximate=False)


def answers(tokens=(1, 2), logprobs=(-1.0, -2.0), memory=100) -> bytes:
    request = {"generated_tokens": list(tokens), "logprobs": list(logprobs), "latency": 0.5}
    return json.dumps({"0": request, "mem-max-allocated-bytes": memory}).encode()


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (answers(), []),
        (answers(logprobs=(-1.000_9, -2.0), memory=104), []),
        (answers(logprobs=(-1.0, -2.01)), ["Logprobs differ at index 1: -2.01 vs -2.0"]),
        (answers(tokens=(1, 3)), ["Token mismatch: request 0"]),
        (answers(memory=106), ["Memory is too high for mem-max-allocated-bytes: 106 vs 100"]),
        (answers(memory=94), ["Memory is too low for mem-max-allocated-bytes: 94 vs 100"]),
    ],
)
def test_answers_are_compared_by_tokens_log_probabilities_and_memory(new, said):
    assert list(complaints(answers(), new)) == said


def test_answers_are_told_from_metrics():
    assert is_inference(answers())
    assert not is_inference(training())
