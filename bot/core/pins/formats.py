"""The pin formats by the name that a bump recipe uses."""

from collections.abc import Mapping
from typing import Protocol

from bot.core.pins import dockerfile_arg, dockerfile_from, regex, whole_file, yaml_rows
from bot.core.pins.pin import Pin


class PinFormat(Protocol):
    """A module that finds pins in one kind of file.

    `KEYS` must and `OPTIONAL_KEYS` may stand in the `where` of a site.
    """

    KEYS: frozenset[str]
    OPTIONAL_KEYS: frozenset[str]

    def locate(self, text: str, where: Mapping[str, object]) -> tuple[Pin, ...]:
        """Return the pins in the order of the text; none where the text has no such place.

        Raises UsageError for a `where` that makes no sense, whatever the text, and PinError with the
        line for a place that is there and cannot be edited safely.
        """
        ...


FORMATS: Mapping[str, PinFormat] = {
    "whole-file": whole_file,
    "dockerfile-arg": dockerfile_arg,
    "dockerfile-from": dockerfile_from,
    "yaml-rows": yaml_rows,
    "regex": regex,
}
