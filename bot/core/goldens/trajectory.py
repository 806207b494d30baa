"""Two goldens → what a chart of them shows: old and new values over steps, and their difference."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.core.goldens.compare import compare_series
from bot.core.goldens.comparison import Measure
from bot.core.goldens.golden import Golden, Series
from bot.core.goldens.read import is_number

_ANSWERS = 4
"""Answers whose log-probabilities are drawn; goldens have one, or many that look alike."""


@dataclass(frozen=True, slots=True)
class Line:
    """Points of a line; `values` may hold NaN, where the line has a gap."""

    steps: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric: both lines and the difference, counted as `measure` says (old - new)."""

    title: str
    axis: str
    old: Line
    new: Line
    difference: Line
    measure: Measure


def panels(old: Golden, new: Golden) -> tuple[Panel, ...]:
    """Return a panel for each metric of both goldens, and for the log-probabilities of some answers."""
    return (*_of_metrics(old, new), *_of_answers(old, new))


def _of_metrics(old: Golden, new: Golden) -> Iterator[Panel]:
    for name, series in old.series.items():
        if name in new.series:
            row = compare_series(name, series, new.series[name])
            difference = Line(row.steps, row.differences)
            yield Panel(name, "step", _line(series), _line(new.series[name]), difference, "relative")


def _line(series: Series) -> Line:
    return Line(series.steps, series.values)


def _of_answers(old: Golden, new: Golden) -> Iterator[Panel]:
    shared = [request for request in old.requests if request in new.requests]
    for request in shared[:_ANSWERS]:
        then = _numbers(old.requests[request].get("logprobs"))
        now = _numbers(new.requests[request].get("logprobs"))
        if then and now:
            moved = [a - b for a, b in zip(then, now, strict=False)]
            title = f"logprobs of request {request}" if request else "logprobs"
            yield Panel(title, "position", _list(then), _list(now), _list(moved), "absolute")


def _numbers(value: object) -> list[float]:
    """Return a list of finite numbers, empty for anything else."""
    if isinstance(value, list) and all(map(is_number, value)):
        return list(map(float, value))
    return []


def _list(values: list[float]) -> Line:
    return Line(tuple(range(len(values))), tuple(values))
