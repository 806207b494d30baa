"""The pin format `dockerfile-arg`: the default of a build argument, chosen by its name.

`arg` is the name, as in `ARG FROM_IMAGE_NAME=…`.
"""

from collections.abc import Mapping

from bot.core.pins import where as keys
from bot.core.pins.dockerfile_lines import instructions, value_span
from bot.core.pins.pin import Pin

KEYS: frozenset[str] = frozenset({"arg"})
OPTIONAL_KEYS: frozenset[str] = frozenset()


def locate(text: str, where: Mapping[str, object]) -> tuple[Pin, ...]:
    """Return a pin for each `ARG NAME=value`; an `ARG NAME` without default is none.

    Raises UsageError for a bad `where`, PinError for a value that cannot be cut out safely.
    """
    start = f"{keys.text(where, 'arg')}="
    return tuple(
        Pin(value_span(text, word, len(start)))
        for instruction in instructions(text)
        if instruction.keyword == "ARG"
        for word in instruction.words
        if word.text.startswith(start)
    )
