"""A comparison and the limits of a bump recipe → what moved farther than a person need not see."""

from collections.abc import Iterator

from bot.core.goldens.comparison import Comparison, Row
from bot.core.goldens.read import quoted
from bot.core.recipe_results import Goldens


def exceeded(comparison: Comparison, goldens: Goldens) -> dict[str, str]:
    """Return for each metric beyond its limit a sentence that says by how much; the rest is within.

    A step of a limited metric that is missing, is no longer finite or has left 0 is beyond any limit, as it
    is for Megatron-LM's approximate check
    (https://github.com/NVIDIA/Megatron-LM/blob/main/tests/functional_tests/python_test_utils/common.py).
    """
    is_training = comparison.kind == "training"
    limits = goldens.limits if is_training else goldens.inference.limits
    rises = {} if is_training else goldens.inference.rises
    found = {name: f"{quoted(name)} is missing" for name in comparison.missing if name in limits}
    for row in (*comparison.rows, *comparison.unmeasured):
        if row.metric in limits:
            most = limits[row.metric]
            beyond = _beyond(row, most, rises.get(row.metric, most))
            allowed = goldens.outliers.of(row.coverage.expected) if is_training else 0
            if beyond > allowed:
                found[row.metric] = _sentence(row, beyond, most, allowed)
    return found


def _beyond(row: Row, fall: float, rise: float) -> int:
    return _vanished(row) + sum(it > fall or -it > rise for it in row.differences)


def _vanished(row: Row) -> int:
    return len(row.coverage.missing) + len(row.coverage.lost) + len(row.coverage.from_zero)


def _sentence(row: Row, beyond: int, most: float, allowed: int) -> str:
    return f"{quoted(row.metric)}: {', '.join(_clauses(row, beyond, most, allowed))}"


def _clauses(row: Row, beyond: int, most: float, allowed: int) -> Iterator[str]:
    of = f"{beyond} of {row.coverage.expected}"
    yield f"{of} differ" if row.measure == "share" else f"{of} moved by more than {amount(row, most)}"
    if vanished := _vanished(row):
        yield f"{vanished} of them missing, without a number or no longer 0"
    if row.max_step is not None and (row.max_abs is None or row.max_abs > most):
        size = "" if row.measure == "share" else f"by {amount(row, row.max_abs)} "
        place = "step" if row.request is None else "position"
        where = f" of request {quoted(row.request)}" if row.request is not None else ""
        yield f"farthest {size}at {place} {row.max_step}{where}"
    if allowed:
        yield f"where {allowed} may"


def amount(row: Row, difference: float | None) -> str:
    """Return a difference of a row in words: a percentage unless it is an absolute one."""
    if difference is None:
        return "more than can be said"
    return f"{difference:.4g}" if row.measure == "absolute" else f"{difference * 100:.4g} %"
