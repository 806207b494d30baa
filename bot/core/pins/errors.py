"""The one way in which a pin says no."""

from typing import ClassVar

from bot.core.errors import Refused


class PinError(Refused):
    """A pin is not as the bump recipe says, or cannot be edited safely; nothing was written."""

    code: ClassVar[str] = "pin"
