"""What a comparison of two goldens found, as values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from statistics import median
from typing import Literal

from bot.core.goldens.golden import Kind

Measure = Literal["relative", "absolute", "share"]
"""How a difference is counted: (old - new) / old, old - new, or 1 where the two differ and 0 where not."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of the `expected` steps of the old golden that are not among the differences.

    `missing` steps have a number in the old golden and are not in the new one, `added` ones the reverse. At
    `not_finite` steps a golden holds something else than a finite number; at those of them that are `lost`,
    the other one has a number. At `from_zero` steps the old value is 0, or as good as, and the new one is
    another.
    """

    expected: int
    missing: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    not_finite: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    from_zero: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One metric of one file. A figure is None where it has no meaning or is not finite.

    `differences`, at `steps`, are signed: positive where the new value is smaller. `signed_mean` is the
    figure of Megatron-LM's own script; opposite moves cancel in it. `request` is where the largest difference
    of an inference run stands.
    """

    metric: str
    measure: Measure
    steps: tuple[int, ...] = field(repr=False)
    differences: tuple[float, ...] = field(repr=False)
    coverage: Coverage
    signed_mean: float | None = None
    mean_abs: float | None = None
    median_abs: float | None = None
    max_abs: float | None = None
    max_step: int | None = None
    request: str | None = None

    @property
    def n(self) -> int:
        """How many steps were compared."""
        return len(self.differences)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two goldens side by side. `gaps` say, each as a sentence, what was not compared and why.

    `rows` have at least one difference each, the `unmeasured` none. `missing` metrics and requests are in the
    old golden alone, `added` ones in the new.
    """

    kind: Kind = "empty"
    rows: tuple[Row, ...] = ()
    unmeasured: tuple[Row, ...] = ()
    gaps: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def measured(
    metric: str,
    measure: Measure,
    steps: Sequence[int],
    differences: Sequence[float],
    *,
    coverage: Coverage,
    requests: Sequence[str] = (),
) -> Row:
    """Return a row with its figures; one without differences has none. `requests` say where each stands."""
    if not differences:
        return Row(metric, measure, (), (), coverage)
    sizes = list(map(abs, differences))
    largest = max(sizes)
    at = sizes.index(largest)
    is_number = measure != "share"
    return Row(
        metric=metric,
        measure=measure,
        steps=tuple(steps),
        differences=tuple(differences),
        coverage=coverage,
        signed_mean=_finite(sum(differences) / len(differences)) if is_number else None,
        mean_abs=_finite(sum(sizes) / len(sizes)),
        median_abs=_finite(median(sizes)) if is_number else None,
        max_abs=_finite(largest),
        max_step=steps[at],
        request=requests[at] if requests else None,
    )


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None


def spans(steps: Sequence[int], limit: int = 4) -> str:
    """Return steps in words, as `step 3` or `steps 3, 5-9`; of more than `limit` runs the rest is counted."""
    runs: list[tuple[int, int]] = []
    for step in steps:
        if runs and step == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], step)
        else:
            runs.append((step, step))
    words = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:limit]]
    if len(runs) > limit:
        words.append(f"… ({len(steps)} in all)")
    return f"{'step' if len(steps) == 1 else 'steps'} {', '.join(words)}"
