"""The pin format `regex`: what the group `pin` of a pattern takes, at each match.

`pattern` is a Python regular expression with the named group `(?P<pin>…)`.
"""

import re
from collections.abc import Iterator, Mapping

from bot.core.errors import UsageError
from bot.core.pins import where as keys
from bot.core.pins.pin import Pin
from bot.core.pins.span import Span

KEYS: frozenset[str] = frozenset({"pattern"})
OPTIONAL_KEYS: frozenset[str] = frozenset()

_PIN = "pin"


def locate(text: str, where: Mapping[str, object]) -> tuple[Pin, ...]:
    """Return a pin for each match of `pattern`.

    Raises UsageError for a pattern that does not compile or has no group `pin`.
    """
    return tuple(_pin(match) for match in _matches(text, where))


def groups(text: str, where: Mapping[str, object]) -> tuple[tuple[Pin, Mapping[str, str]], ...]:
    """Return each pin with the other named groups of its match, those that took part.

    Raises UsageError as `locate` does.
    """
    return tuple((_pin(match), _others(match)) for match in _matches(text, where))


def _matches(text: str, where: Mapping[str, object]) -> Iterator[re.Match[str]]:
    pattern = _compiled(keys.text(where, "pattern"))
    return (match for match in pattern.finditer(text) if match[_PIN] is not None)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"the pattern `{pattern}` does not compile: {error}") from error
    if _PIN not in compiled.groupindex:
        raise UsageError(
            f"the pattern `{pattern}` has no group named `pin`", hint="write `(?P<pin>…)` around the value"
        )
    return compiled


def _pin(match: re.Match[str]) -> Pin:
    return Pin(Span(*match.span(_PIN)))


def _others(match: re.Match[str]) -> Mapping[str, str]:
    return {name: value for name, value in match.groupdict().items() if name != _PIN and value is not None}
