"""What a golden file holds, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["training", "inference", "empty"]
"""What was recorded: metrics over steps, the answers to requests, or nothing (`{}`)."""


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers over ascending `steps`; those of a list count from 0.

    Where the golden has no finite number, `values` holds NaN and `not_finite` tells, by step, how the golden
    spells it: `"nan"` with quotes is the text that pads a step without a value. `declared` are `start_step`,
    `end_step` and `step_interval`, None where the golden lacks one of them.
    """

    steps: tuple[int, ...]
    values: tuple[float, ...]
    not_finite: Mapping[int, str] = field(default_factory=dict)
    declared: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Golden:
    """A golden file. `document` is its JSON, the other fields are the same in a form that compares well.

    `series` are the metrics of a training run; `requests` are the answers of an inference run by request id;
    `figures` are numbers, or lists of them, for the run as a whole, such as `throughput`.
    """

    kind: Kind
    document: Mapping[str, Any]
    series: Mapping[str, Series] = field(default_factory=dict)
    requests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    figures: Mapping[str, Series] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BadGolden:
    """Why a file is no golden, as a sentence without subject: `is empty`."""

    reason: str
