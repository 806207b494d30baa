"""What Megatron-LM's comparison of golden values says of those that a test produced.

Its rules are upstream's own, on purpose written once more: nothing of the bot's core is used, so that the
bot is judged by another. Two metrics are compared, each exactly and approximately
(https://github.com/NVIDIA/Megatron-LM/blob/main/tests/functional_tests/python_test_utils/common.py).
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from bot.lab.megatron_logs import Comparison

TOLERANCES = {"lm loss": 0.05, "num-zeros": 0.2}
"""The metrics that a test compares unless its configuration says otherwise, and how far each may move."""


def is_inference(golden: bytes) -> bool:
    """Whether golden values are answers to requests rather than metrics of a training."""
    return not any(isinstance(it, dict) and "values" in it for it in json.loads(golden).values())


def comparisons(old: bytes, new: bytes) -> tuple[Comparison, ...]:
    """Return what becomes of each metric when a training produced `new` and the tree has `old`."""
    before, after = json.loads(old), json.loads(new)
    return tuple(
        _compared(name, _values(before[name]), _values(after.get(name, {"values": {}})), tolerance)
        for name, tolerance in TOLERANCES.items()
        if name in before
    )


def _values(block: Mapping[str, Any]) -> Mapping[str, float]:
    return {step: math.inf if value == "nan" else float(value) for step, value in block["values"].items()}


def _compared(
    name: str, golden: Mapping[str, float], actual: Mapping[str, float], tolerance: float
) -> Comparison:
    pairs = [(value, actual.get(step, math.inf)) for step, value in golden.items()]
    outside = sum(not _is_close(new, old, tolerance) for old, new in pairs)
    allowed = min(max(len(pairs) // 100, 1), 50)
    return Comparison(name, all(old == new for old, new in pairs), outside <= allowed)


def _is_close(actual: float, golden: float, tolerance: float) -> bool:
    if math.isinf(actual) or math.isinf(golden):
        return actual == golden
    return abs(actual - golden) <= tolerance * abs(golden)


def complaints(old: bytes, new: bytes) -> Iterator[str]:
    """Yield what the comparison of answers says, in the words of its assertions; nothing where they agree."""
    before, after = json.loads(old), json.loads(new)
    for request, answer in before.items():
        other = after.get(request)
        if isinstance(answer, dict) and isinstance(other, dict):
            yield from _answers(request, answer, other)
    old_memory, new_memory = (it.get("mem-max-allocated-bytes") for it in (before, after))
    if isinstance(old_memory, int | float) and isinstance(new_memory, int | float):
        if new_memory < old_memory * 0.95:
            yield f"Memory is too low for mem-max-allocated-bytes: {new_memory} vs {old_memory}"
        if new_memory > old_memory * 1.05:
            yield f"Memory is too high for mem-max-allocated-bytes: {new_memory} vs {old_memory}"


def _answers(request: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    if old.get("generated_tokens") != new.get("generated_tokens"):
        yield f"Token mismatch: request {request}"
    pairs = zip(old.get("logprobs") or (), new.get("logprobs") or (), strict=False)
    for index, (golden, actual) in enumerate(pairs):
        if abs(golden - actual) > 0.001:  # noqa: PLR2004 - upstream's own bound
            yield f"Logprobs differ at index {index}: {actual} vs {golden}"
            return
