"""A metric of two goldens → a Mermaid chart, which GitHub draws inside a text.

Syntax: https://mermaid.js.org/syntax/xyChart.html
"""

import re
from collections.abc import Sequence
from math import isfinite

from bot.core.goldens.golden import Series

_FEWEST_POINTS = 2
_MOST_POINTS = 60
"""More points than this are not told apart at the width of a comment."""


def chart(metric: str, old: Series, new: Series, *, limit: int = 4_000) -> str:
    """Return the chart of a metric's old and new values at shared steps, at most `limit` characters long.

    Steps are thinned out evenly until the chart fits; the first and the last stay. An empty text says that
    it does not fit, or that fewer than two steps are shared.
    """
    then = dict(zip(old.steps, old.values, strict=True))
    now = dict(zip(new.steps, new.values, strict=True))
    steps = [it for it in old.steps if it in now and isfinite(then[it]) and isfinite(now[it])]
    points = min(len(steps), _MOST_POINTS)
    while points >= _FEWEST_POINTS:
        chosen = _thinned(steps, points)
        text = _chart(metric, chosen, [then[it] for it in chosen], [now[it] for it in chosen])
        if len(text) <= limit:
            return text
        points = points * 3 // 4
    return ""


def _thinned(steps: Sequence[int], points: int) -> list[int]:
    last = len(steps) - 1
    return [steps[round(index * last / (points - 1))] for index in range(points)]


def _chart(metric: str, steps: Sequence[int], old: Sequence[float], new: Sequence[float]) -> str:
    lowest, highest = min(*old, *new), max(*old, *new)
    # An axis without extent is drawn as nothing.
    margin = (highest - lowest) * 0.05 or abs(highest) * 0.05 or 1.0
    # A title is quoted; what could end the quotes, or the line, is left out.
    title = " ".join(re.findall(r"[\w.,:()/+-]+", metric))[:60]
    return "\n".join(
        (
            "xychart-beta",
            f'    title "{title}: old, then new"',
            f'    x-axis "step" [{", ".join(map(str, steps))}]',
            f'    y-axis "{title}" {_number(lowest - margin)} --> {_number(highest + margin)}',
            f"    line [{', '.join(map(_number, old))}]",
            f"    line [{', '.join(map(_number, new))}]",
            "",
        )
    )


def _number(value: float) -> str:
    """Return a number as Mermaid reads it: without exponent."""
    digits = f"{value:.6g}"
    return digits if "e" not in digits else f"{value:.12f}".rstrip("0").rstrip(".")
