"""Bytes of a golden file → what it holds, or a sentence that says why it holds none.

Training runs write `{metric: {start_step, end_step, step_interval, values}}`, inference runs
`{request: {generated_tokens, logprobs, …}}` beside figures of the whole run
(https://github.com/NVIDIA/Megatron-LM/tree/main/tests/functional_tests/python_test_utils).
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isfinite, nan
from typing import Any

from bot.core.goldens.golden import BadGolden, Golden, Kind, Series
from bot.core.markdown import one_line

LARGEST = 64 * 1024 * 1024
"""Bytes of a file that is still read, twenty times the largest golden of Megatron-LM."""

WORDS = frozenset(sign + word for sign in ("", "+", "-") for word in ("nan", "inf", "infinity"))
"""Texts that stand for no finite number, in lower case, as Megatron-LM's linter has them."""

_ANSWERS = frozenset({"generated_text", "generated_tokens", "logprobs"})
"""What makes a mapping the answer to a request."""

_STEP_DIGITS = 18
"""Digits of a step's number; a longer one is nonsense."""

_DECLARED = ("start_step", "end_step", "step_interval")

_DEEPEST = 20
"""Levels inside one answer; real ones have five."""

_NUMBER = frozenset({int, float})
"""Types of a number, bool being none of them."""

_PADDING = '"nan"'

_KINDS = {
    bool: "a truth value",
    dict: "an object",
    float: "a number",
    int: "a number",
    list: "a list",
    str: "a text",
}


class _Bad(Exception):
    """The sentence of a `BadGolden`."""


def read_golden(data: bytes) -> Golden | BadGolden:
    """Return what a golden file holds, or why it cannot be read; nothing is raised, whatever the bytes are.

    Numbers that are not finite are kept (see `Series`): whoever compares says where they stand.
    """
    try:
        return _golden(_document(data))
    except _Bad as bad:
        return BadGolden(str(bad))


def quoted(name: str) -> str:
    """Return a name from a golden as it stands in a sentence."""
    return f"`{one_line(name, 60)}`"


def _document(data: bytes) -> Mapping[str, Any]:
    if len(data) > LARGEST:
        raise _Bad(f"is larger than {LARGEST // 1024**2} MiB")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _Bad(f"is not UTF-8 at byte {error.start}") from error
    if not text.strip():
        raise _Bad("is empty")
    document = _parsed(text)
    if isinstance(document, str):
        # An inference run that writes JSON lines leaves its JSON as one JSON text.
        document = _parsed(document)
    if not isinstance(document, dict):
        raise _Bad(f"holds {_kind_of(document)} instead of an object")
    return document


def _parsed(text: str) -> Any:
    if text.startswith("\ufeff"):
        raise _Bad("begins with a byte order mark")
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates)
    except RecursionError as error:
        raise _Bad("is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise _Bad(f"is no JSON: {error.msg} in line {error.lineno}, column {error.colno}") from error
    except ValueError as error:
        raise _Bad("holds a number of too many digits") from error


def _without_duplicates(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _Bad(f"has the key {quoted(next(it for it in names if names.count(it) > 1))} twice")
    return found


def _golden(document: Mapping[str, Any]) -> Golden:
    if any(not isinstance(document[name], dict) for name in _ANSWERS & document.keys()):
        # The answer to one request, without its id.
        _check_depth("the answer", document)
        return Golden("inference", document, requests={"": document})
    series: dict[str, Series] = {}
    requests: dict[str, Mapping[str, Any]] = {}
    figures: dict[str, Series] = {}
    for name, value in document.items():
        _check_name(name)
        if not isinstance(value, dict):
            figures[name] = _figures(name, value)
        elif "values" in value:
            series[name] = _series(name, value)
        elif value.keys() & _ANSWERS:
            _check_depth(name, value)
            requests[name] = value
        else:
            raise _Bad(f"has {quoted(name)}, which is neither a metric with `values` nor an answer")
    if series and requests:
        raise _Bad("mixes metrics of a training run with answers to requests")
    kind: Kind = "training" if series else "inference" if document else "empty"
    return Golden(kind, document, series, requests, figures)


def _check_name(name: str) -> None:
    if not name.isascii():
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise _Bad(f"has a name that is no text: {name[:60]!a}") from error


def _check_depth(name: str, value: Mapping[str, Any]) -> None:
    """Refuse what is nested so deep that comparing two of them could fail."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        inner = [it for part in level for it in (part.values() if isinstance(part, dict) else part)]
        level = [it for it in inner if isinstance(it, (dict, list))]
        if not level:
            return
    raise _Bad(f"has {quoted(name)}, which is nested too deeply")


def _figures(name: str, value: Any) -> Series:
    numbers = value if isinstance(value, list) else [value]
    return _numbers(name, tuple(range(len(numbers))), numbers)


def _series(name: str, block: Mapping[str, Any]) -> Series:
    declared = _declared(block)
    values = block["values"]
    if len(block) > len(_DECLARED) + 1:
        _check_depth(name, {key: value for key, value in block.items() if key != "values"})
    if isinstance(values, dict):
        steps, numbers = _steps(name, tuple(values)), list(values.values())
    elif isinstance(values, list) and declared and declared[2] > 0:
        steps = tuple(declared[0] + declared[2] * index for index in range(len(values)))
        numbers = values
    else:
        raise _Bad(f"has `values` of {quoted(name)} from which no steps follow")
    ordered = tuple(sorted(steps))
    if ordered != steps:
        by_step = dict(zip(steps, numbers, strict=True))
        steps, numbers = ordered, [by_step[step] for step in ordered]
    return _numbers(name, steps, numbers, declared)


def _declared(block: Mapping[str, Any]) -> tuple[int, int, int] | None:
    found = (block.get(key) for key in _DECLARED)
    whole = [it for it in found if type(it) is int and abs(it) < 10**_STEP_DIGITS]
    return (whole[0], whole[1], whole[2]) if len(whole) == len(_DECLARED) else None


@lru_cache(maxsize=256)
def _whole_numbers(keys: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return the numbers that the keys spell, None unless all do. Most series have the same few steps."""
    if all(key.isdecimal() and len(key) <= _STEP_DIGITS for key in keys):
        return tuple(map(int, keys))
    return None


def _steps(name: str, keys: tuple[str, ...]) -> tuple[int, ...]:
    steps = _whole_numbers(keys)
    if steps is None:
        bad = next(key for key in keys if not key.isdecimal() or len(key) > _STEP_DIGITS)
        raise _Bad(f"has a step {quoted(bad)} of {quoted(name)} that is no number of a step")
    if len(set(steps)) < len(steps):
        raise _Bad(f"has a step of {quoted(name)} twice")
    return steps


def _numbers(
    name: str,
    steps: tuple[int, ...],
    numbers: Sequence[Any],
    declared: tuple[int, int, int] | None = None,
) -> Series:
    """Return the series; nearly all goldens hold floats alone, and these cost no loop of Python."""
    # One number that is not finite makes the sum so; a sum that overflows only takes the longer way.
    if set(map(type, numbers)) <= {float} and isfinite(sum(numbers)):
        return Series(steps, tuple(numbers), {}, declared)
    values = list(numbers)
    spelled: dict[int, str] = {}
    for at, number in enumerate(numbers):
        if number.__class__ is float and isfinite(number):
            continue
        # Padding makes up most of what is left, hundreds of thousands of times in a tree.
        word = _PADDING if number == "nan" else spelling(number)
        if word is not None:
            spelled[steps[at]] = word
            values[at] = nan
        elif type(number) in _NUMBER:
            values[at] = float(number)
        else:
            raise _Bad(f"has {_kind_of(number)} at step {steps[at]} of {quoted(name)} instead of a number")
    return Series(steps, tuple(values), spelled, declared)


def spelling(value: Any) -> str | None:
    """Return how a JSON value that stands for no finite number is spelled, None for any other value."""
    if isinstance(value, str):
        return f'"{value}"' if value.strip().lower() in WORDS else None
    if type(value) not in _NUMBER:
        return None
    try:
        number = float(value)
    except OverflowError:
        number = float("inf") if value > 0 else float("-inf")
    return None if isfinite(number) else json.dumps(number)


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a finite number."""
    return type(value) in _NUMBER and spelling(value) is None


def _kind_of(value: Any) -> str:
    """Return what a JSON value is, in words."""
    if value is None:
        return "null"
    return _KINDS[type(value)]
