"""What a command hands back to be printed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """A command's outcome: the JSON document (`schema` and `command` are added), the text, the status."""

    document: Mapping[str, Any]
    text: str
    exit_code: int = 0
