"""May a new golden take the old one's place? The decision, with its reason and its evidence.

What a person may accept is a change: values beyond the limits, more metrics or steps than before. What
nobody may accept here is a loss, because a run that crashed leaves a golden that is only shorter.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.core.goldens.compare import compare
from bot.core.goldens.comparison import Comparison, spans
from bot.core.goldens.golden import BadGolden, Golden
from bot.core.goldens.layout import in_layout_of
from bot.core.goldens.limits import exceeded
from bot.core.goldens.place import place_of
from bot.core.goldens.read import quoted, read_golden, spelling
from bot.core.recipe_results import Goldens

_PADDING = '"nan"'
"""How a training golden spells a step without a value; the only spelling that may stay."""

_SECOND_RUN = "_2nd"


@dataclass(frozen=True, slots=True)
class Policy:
    """What a refresh goes by.

    `has_linter` says whether the base branch has the script `goldens.linter`, which blocks CI on any "nan";
    `accept` is a person's word that a change is right.
    """

    goldens: Goldens
    has_linter: bool
    accept: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """The bytes to write."""

    content: bytes
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The old golden says the same already."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The new golden is not taken, whoever asks, and why: a sentence without subject."""

    reason: str


@dataclass(frozen=True, slots=True)
class NeedsPerson:
    """The new golden is sound, and so different that a person has to accept it."""

    reason: str
    comparison: Comparison


Decision = Written | Unchanged | Rejected | NeedsPerson


def judge(path: str, old: bytes | None, new: bytes, policy: Policy) -> Decision:
    """Return what becomes of the golden at `path`; nothing is raised, whatever the bytes are.

    `old` is the file on the branch, None where there is none; `new` is what a run left.
    """
    misplaced = _misplaced(path, policy.goldens)
    if misplaced is not None or old is None:
        return Rejected(misplaced or "has no old golden whose place it could take")
    before, after = read_golden(old), read_golden(new)
    if isinstance(after, BadGolden):
        return Rejected(f"the new golden {after.reason}")
    if isinstance(before, Golden) and before.document == after.document:
        return Unchanged()
    reason = _unsound(after) or _not_finite(after, before, policy) or _loss(before, after)
    if reason is not None:
        return Rejected(reason)
    comparison, changes = _changes(before, after, policy.goldens)
    if changes and not policy.accept:
        return NeedsPerson("; ".join(changes), comparison)
    return Written(_content(old, new, policy.goldens), comparison)


def _misplaced(path: str, goldens: Goldens) -> str | None:
    place = place_of(path, goldens.file)
    if place is None:
        return f"is not where goldens lie: `{goldens.file}`"
    if place.platform.endswith(_SECOND_RUN):
        return "is of the second run of a test, which nothing reads"
    if place.environment not in {"", goldens.environment}:
        return f"is of another environment than `{goldens.environment}`, whose goldens a run produces"
    return None


def _unsound(golden: Golden) -> str | None:
    if golden.kind == "empty":
        return "the new golden holds nothing"
    for name, series in golden.series.items():
        if series.declared is None:
            return f"{quoted(name)} lacks one of `start_step`, `end_step` and `step_interval`"
        if not series.steps:
            return f"{quoted(name)} has no step"
    return None


def _not_finite(new: Golden, old: Golden | BadGolden, policy: Policy) -> str | None:
    """Return what a golden holds that is no finite number, unless the old one pads the same step."""
    padded = old.series if isinstance(old, Golden) else {}
    for place, word in _words(new.document):
        at = " ".join(quoted(str(it)) for it in place)
        if word != _PADDING:
            return f"holds {word[:40]} at {at}"
        if policy.has_linter:
            return f"holds {word} at {at}, on which the linter of the base branch would block CI"
        metric, step = place[0], place[-1]
        series = padded.get(metric) if metric in new.series else None
        if series is None or series.not_finite.get(int(step)) != _PADDING:
            return f"holds {word} at {at}, where the old golden does not"
    return None


def _words(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each place in a document that holds no finite number but should, with what stands there."""
    todo: list[tuple[tuple[str, ...], Any]] = [((), document)]
    while todo:
        place, value = todo.pop()
        if isinstance(value, dict):
            todo += [((*place, key), it) for key, it in reversed(value.items())]
        elif isinstance(value, list):
            todo += [((*place, str(index)), it) for index, it in reversed(list(enumerate(value)))]
        elif (word := spelling(value)) is not None:
            yield place, word


def _loss(old: Golden | BadGolden, new: Golden) -> str | None:
    """Return what the new golden lacks. Steps that the old one only pads may go."""
    if isinstance(old, BadGolden) or old.kind == "empty":
        return None
    comparison = compare(old, new)
    if old.kind != new.kind:
        return comparison.gaps[0]
    if comparison.missing:
        return f"{comparison.missing[0]} is not in the new golden"
    if old.kind == "training":
        for row in (*comparison.rows, *comparison.unmeasured):
            if row.coverage.missing:
                return f"{quoted(row.metric)} lacks {spans(row.coverage.missing)} in the new golden"
    return None


def _changes(old: Golden | BadGolden, new: Golden, goldens: Goldens) -> tuple[Comparison, list[str]]:
    """Return the comparison, and in sentences what only a person may accept of it."""
    if isinstance(old, BadGolden):
        gap = f"the old golden {old.reason}: there is nothing to compare with"
        return Comparison(gaps=(gap,)), [gap]
    comparison = compare(old, new)
    if old.kind == "empty":
        return comparison, list(comparison.gaps)
    changes = [f"{name} is new" for name in comparison.added]
    for row in (*comparison.rows, *comparison.unmeasured):
        more = sorted({*row.coverage.added, *row.coverage.lost})
        if more and old.kind == "training":
            changes.append(
                f"{quoted(row.metric)} has a number at {spans(more)}, where the old golden has none"
            )
    limits = goldens.limits if old.kind == "training" else goldens.inference.limits
    if not limits:
        changes.append(f"the recipe sets no limits for {old.kind} runs")
    beyond = exceeded(comparison, goldens)
    return comparison, [*changes, *beyond.values()]


def _content(old: bytes, new: bytes, goldens: Goldens) -> bytes:
    if goldens.format == "artifact":
        return new
    try:
        model = old.decode()
    except UnicodeDecodeError:
        return new
    return in_layout_of(new.decode(), model).encode()
