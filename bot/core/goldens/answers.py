"""Two inference goldens → how far their answers and their figures moved.

Megatron-LM asks for equal tokens, equal text as far as the shorter one goes, log-probabilities by absolute
difference, and figures by the median without the first, which warms up
(https://github.com/NVIDIA/Megatron-LM/blob/main/tests/functional_tests/python_test_utils/test_inference_regular_pipeline.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from math import copysign, inf
from statistics import median
from typing import Any

from bot.core.goldens.comparison import Comparison, Coverage, Measure, Row, measured
from bot.core.goldens.golden import Golden, Series
from bot.core.goldens.read import is_number, quoted

_NOTHING = object()
"""Stands where the shorter of two lists has ended; equal to nothing in JSON."""


def compare_figure(metric: str, old: Series, new: Series) -> Row:
    """Return how far the median of a figure moved, its first value left out where there are several."""
    vague = tuple(sorted({*old.not_finite, *new.not_finite}))
    before, after = _steady(old), _steady(new)
    if vague or not before or not after:
        return measured(metric, "relative", (), (), coverage=Coverage(1, not_finite=vague, lost=vague))
    then, now = median(before), median(after)
    if then == 0:
        rose = (0,) if now else ()
        return measured(metric, "relative", (), (), coverage=Coverage(1, from_zero=rose))
    return measured(metric, "relative", (0,), ((then - now) / then,), coverage=Coverage(1))


def _steady(series: Series) -> Sequence[float]:
    return series.values[1:] if len(series.values) > 1 else series.values


@dataclass(frozen=True, slots=True)
class _Part:
    """The same part of two answers: its differences by position, and the positions of one of them alone."""

    measure: Measure
    differences: Sequence[float]
    missing: range = range(0)
    added: range = range(0)


@dataclass(frozen=True, slots=True)
class _Gathered:
    """The differences of one part over all requests."""

    steps: list[int] = field(default_factory=list)
    differences: list[float] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)

    def add(self, request: str, part: _Part) -> None:
        self.steps.extend(range(len(part.differences)))
        self.differences.extend(part.differences)
        self.requests.extend([request] * len(part.differences))
        self.missing.extend(part.missing)
        self.added.extend(part.added)

    def row(self, key: str, measure: Measure) -> Row:
        expected = len(self.differences) + len(self.missing)
        coverage = Coverage(expected, missing=tuple(self.missing), added=tuple(self.added))
        return measured(key, measure, self.steps, self.differences, coverage=coverage, requests=self.requests)


def compare_answers(old: Golden, new: Golden) -> Comparison:
    """Return a row for each part of the answers, over all requests that both goldens have, and every gap.

    Steps are positions in a list, and 0 for what is no list. A part that is null counts as absent.
    """
    missing = [f"request {quoted(name)}" for name in old.requests if name not in new.requests]
    added = [f"request {quoted(name)}" for name in new.requests if name not in old.requests]
    gathered: dict[tuple[str, Measure], _Gathered] = {}
    uneven: list[str] = []
    for request in old.requests:
        if request not in new.requests:
            continue
        then, now = _present(old.requests[request]), _present(new.requests[request])
        missing += [f"{quoted(key)} of request {quoted(request)}" for key in then if key not in now]
        added += [f"{quoted(key)} of request {quoted(request)}" for key in now if key not in then]
        for key in then:
            if key in now:
                part = _compared(key, then[key], now[key])
                gathered.setdefault((key, part.measure), _Gathered()).add(request, part)
                uneven += _uneven(key, request, part)
    return Comparison(
        rows=tuple(it.row(*name) for name, it in gathered.items() if it.differences),
        gaps=(
            *(f"{it} is not in the new golden" for it in missing),
            *(f"{it} is not in the old golden" for it in added),
            *uneven,
        ),
        missing=tuple(missing),
        added=tuple(added),
    )


def _present(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if value is not None}


def _uneven(key: str, request: str, part: _Part) -> Iterator[str]:
    which, rest = ("new", part.missing) if part.missing else ("old", part.added)
    if rest:
        yield f"{quoted(key)} of request {quoted(request)}: the {which} golden lacks the last {len(rest)}"


def _compared(key: str, old: Any, new: Any) -> _Part:
    if key == "generated_tokens" and isinstance(old, list) and isinstance(new, list):
        pairs = zip_longest(old, new, fillvalue=_NOTHING)
        return _Part("share", [float(then != now) for then, now in pairs])
    if key == "generated_text" and isinstance(old, str) and isinstance(new, str):
        shorter = min(len(old), len(new))
        return _Part("share", [float(shorter == 0 or old[:shorter] != new[:shorter])])
    if is_number(old) and is_number(new):
        return _Part("relative", [_relative(old, new)])
    if _is_numbers(old) and _is_numbers(new):
        return _compared_lists(key, old, new)
    return _Part("share", [float(old != new)])


def _compared_lists(key: str, old: Sequence[float], new: Sequence[float]) -> _Part:
    pairs = list(zip(old, new, strict=False))
    missing, added = range(len(pairs), len(old)), range(len(pairs), len(new))
    if key.endswith("logprobs"):
        return _Part("absolute", [float(then) - float(now) for then, now in pairs], missing, added)
    return _Part("relative", [_relative(then, now) for then, now in pairs], missing, added)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_number, value))


def _relative(old: float, new: float) -> float:
    """Return the relative difference; what leaves 0 has moved infinitely far."""
    if old == new:
        return 0.0
    then, now = float(old), float(new)
    return (then - now) / then if then else copysign(inf, -now)
