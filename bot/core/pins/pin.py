"""A pin: one value in one file that names the base image."""

from dataclasses import dataclass

from bot.core.pins.span import Span


@dataclass(frozen=True, slots=True)
class Pin:
    """Where the bare value stands, without quotes.

    `platform` is what the place itself says, such as `arm64` in a matrix row. `context` is the part
    of the text in which a comment speaks of this pin; None stands for its line and the three above.
    """

    span: Span
    platform: str | None = None
    context: Span | None = None
