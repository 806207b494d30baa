"""Many pairs of goldens → what a report says of each, and how the moves spread."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from bot.core.goldens.compare import compare
from bot.core.goldens.comparison import Comparison, Row
from bot.core.goldens.golden import BadGolden
from bot.core.goldens.limits import exceeded
from bot.core.goldens.read import read_golden
from bot.core.recipe_results import Goldens

_BOUNDS = (1e-6, 1e-4, 1e-3, 1e-2, 0.1)
BUCKETS = ("0", "< 1e-6", "< 1e-4", "< 1e-3", "< 1e-2", "< 0.1", ">= 0.1")
"""Names of the ranges of |relative difference|, each beginning where the one before ends."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A file with the bytes of both sides, None where a side has no such file."""

    file: str
    old: bytes | None
    new: bytes | None


@dataclass(frozen=True, slots=True)
class Compared:
    """One file of a comparison; `exceeded` has for each metric beyond its limit the sentence that says so."""

    file: str
    comparison: Comparison
    exceeded: dict[str, str] = field(default_factory=dict)


def compare_files(pair: Pair, goldens: Goldens | None) -> Compared:
    """Return the comparison of two files; a side that is absent (None) or no golden is a gap of it.

    `goldens` brings the limits, None where there are none.
    """
    file, old, new = pair.file, pair.old, pair.new
    gaps = [f"there is no {side} golden" for side, it in (("old", old), ("new", new)) if it is None]
    before, after = read_golden(old or b""), read_golden(new or b"")
    for side, data, golden in (("old", old, before), ("new", new, after)):
        if data is not None and isinstance(golden, BadGolden):
            gaps.append(f"the {side} golden {golden.reason}")
    if gaps or isinstance(before, BadGolden) or isinstance(after, BadGolden):
        return Compared(file, Comparison(gaps=tuple(gaps)))
    comparison = compare(before, after)
    return Compared(file, comparison, exceeded(comparison, goldens) if goldens else {})


def farthest_first(compared: Iterable[Compared]) -> list[tuple[Compared, Row]]:
    """Return every row with its file: those beyond a limit first, then by the mean of |difference|.

    A mean that is not finite counts as the largest.
    """
    rows = [(it, row) for it in compared for row in it.comparison.rows]

    def order(entry: tuple[Compared, Row]) -> tuple[bool, float]:
        it, row = entry
        return row.metric not in it.exceeded, -_size(row.mean_abs)

    return sorted(rows, key=order)


def spread(compared: Sequence[Compared]) -> dict[str, tuple[int, ...]]:
    """Return how many relative rows fall into each of `BUCKETS`, by each of two means.

    The signed mean is what Megatron-LM's script shows. Moves up and down cancel in it, so the mean of
    |difference| stands beside it.
    """
    rows = [row for it in compared for row in it.comparison.rows if row.measure == "relative"]
    return {
        "signed mean": _counted(_size(row.signed_mean) for row in rows),
        "mean of |difference|": _counted(_size(row.mean_abs) for row in rows),
    }


@dataclass(frozen=True, slots=True)
class OfMetric:
    """One metric over all files: median and largest |signed mean|, and the largest mean |difference|."""

    metric: str
    files: int
    median_signed: float
    largest_signed: float
    largest_mean: float


def by_metric(compared: Iterable[Compared]) -> list[OfMetric]:
    """Return each relative metric, the one in most files first. What is not finite counts as infinite."""
    found: dict[str, list[Row]] = {}
    for it in compared:
        for row in it.comparison.rows:
            if row.measure == "relative":
                found.setdefault(row.metric, []).append(row)
    ordered = sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [_of_metric(metric, rows) for metric, rows in ordered]


def _of_metric(metric: str, rows: Sequence[Row]) -> OfMetric:
    signed = [_size(row.signed_mean) for row in rows]
    largest = max(_size(row.mean_abs) for row in rows)
    return OfMetric(metric, len(rows), median(signed), max(signed), largest)


def _counted(sizes: Iterable[float]) -> tuple[int, ...]:
    found = [0] * len(BUCKETS)
    for size in sizes:
        found[0 if size == 0 else 1 + sum(size >= bound for bound in _BOUNDS)] += 1
    return tuple(found)


def _size(figure: float | None) -> float:
    return float("inf") if figure is None else abs(figure)


def not_compared(compared: Iterable[Compared]) -> list[tuple[str, str]]:
    """Return (file, reason) of all that was not compared."""
    return [(it.file, gap) for it in compared for gap in it.comparison.gaps]
