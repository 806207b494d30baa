"""Two goldens → how far each metric moved, and what could not be compared.

The signed mean is that of Megatron-LM's own script, step by step and in the same order
(https://github.com/NVIDIA/Megatron-LM/blob/main/tests/test_utils/python_scripts/compare_golden_values_kl.py);
what that script leaves out in silence is said here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

from bot.core.goldens.answers import compare_answers, compare_figure
from bot.core.goldens.comparison import Comparison, Coverage, Row, measured, spans
from bot.core.goldens.golden import Golden, Series
from bot.core.goldens.read import quoted

ZERO = 1e-12
"""An old value nearer to 0 than this is 0: nothing is relative to it."""

_RECORDED = {"training": "metrics of a training run", "inference": "answers to requests", "empty": "nothing"}


def compare(old: Golden, new: Golden) -> Comparison:
    """Return a row for each metric that both goldens have, in the old one's order, and every gap."""
    if old.kind != new.kind:
        kinds = f"the old golden holds {_RECORDED[old.kind]}, the new one {_RECORDED[new.kind]}"
        return Comparison(gaps=(kinds,))
    if old.kind == "empty":
        return Comparison(gaps=("both goldens hold nothing",))
    if old.kind == "inference":
        parts = [_by_name(old.figures, new.figures, compare_figure), compare_answers(old, new)]
    else:
        parts = [
            _by_name(old.series, new.series, compare_series),
            _by_name(old.figures, new.figures, compare_series),
        ]
    return Comparison(
        kind=old.kind,
        rows=tuple(row for part in parts for row in part.rows),
        unmeasured=tuple(row for part in parts for row in part.unmeasured),
        gaps=tuple(gap for part in parts for gap in part.gaps),
        missing=tuple(name for part in parts for name in part.missing),
        added=tuple(name for part in parts for name in part.added),
    )


def compare_series(metric: str, old: Series, new: Series) -> Row:
    """Return how far a metric moved, relative to its old values; the row is empty when no step is left."""
    if old.steps == new.steps and not (old.not_finite or new.not_finite):
        # The usual case: nothing has to be looked up step by step.
        return _relative(metric, old.steps, old.values, new.values, Coverage(len(old.steps)))
    then = {step: value for step, value in zip(old.steps, old.values, strict=True) if isfinite(value)}
    now = {step: value for step, value in zip(new.steps, new.values, strict=True) if isfinite(value)}
    steps = [step for step in then if step in now]
    vague = sorted(old.not_finite.keys() | new.not_finite.keys())
    coverage = Coverage(
        expected=len(old.steps),
        missing=tuple(step for step in then if step not in now and step not in new.not_finite),
        added=tuple(step for step in now if step not in then and step not in old.not_finite),
        not_finite=tuple(vague),
        lost=tuple(step for step in vague if (step in then) != (step in now)),
    )
    return _relative(metric, steps, [then[step] for step in steps], [now[step] for step in steps], coverage)


def _relative(
    metric: str, steps: Sequence[int], old: Sequence[float], new: Sequence[float], coverage: Coverage
) -> Row:
    differences = [(then - now) / then for then, now in zip(old, new, strict=True) if abs(then) >= ZERO]
    if len(differences) < len(steps):
        triples = list(zip(steps, old, new, strict=True))
        steps = [step for step, then, _ in triples if abs(then) >= ZERO]
        rose = tuple(step for step, then, now in triples if abs(then) < ZERO and then != now)
        coverage = replace(coverage, from_zero=rose)
    return measured(metric, "relative", steps, differences, coverage=coverage)


def _by_name(
    old: Mapping[str, Series], new: Mapping[str, Series], compared: Callable[[str, Series, Series], Row]
) -> Comparison:
    missing = tuple(name for name in old if name not in new)
    added = tuple(name for name in new if name not in old)
    rows = [compared(name, old[name], new[name]) for name in old if name in new]
    gaps = [f"{quoted(name)} is not in the new golden" for name in missing]
    gaps += [f"{quoted(name)} is not in the old golden" for name in added]
    gaps += [gap for row in rows for gap in _gaps(row)]
    return Comparison(
        rows=tuple(row for row in rows if row.differences),
        unmeasured=tuple(row for row in rows if not row.differences),
        gaps=tuple(gaps),
        missing=missing,
        added=added,
    )


def _gaps(row: Row) -> Iterator[str]:
    name, coverage = quoted(row.metric), row.coverage
    if coverage.missing:
        yield f"{name}: the new golden lacks {spans(coverage.missing)}"
    if coverage.added:
        yield f"{name}: the old golden lacks {spans(coverage.added)}"
    if coverage.lost:
        yield f"{name}: one of the goldens has no finite number at {spans(coverage.lost)}"
    if coverage.from_zero:
        yield f"{name}: no longer 0 at {spans(coverage.from_zero)}, and nothing is relative to 0"
    if not row.differences:
        yield f"{name}: no step has a finite number in both goldens that is not 0 in the old one"
