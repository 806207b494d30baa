"""Request bodies as GitHub reads them: unknown keys are ignored, a wrong type or a missing key is a 422."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bot.lab.answers import ApiError, unprocessable


class Body:
    """The JSON object of a request; each reader says what is wrong in GitHub's words."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def __contains__(self, name: str) -> bool:
        return name in self._document

    def __getitem__(self, name: str) -> Any:
        return self._document[name]

    @property
    def names(self) -> tuple[str, ...]:
        """The keys that are there."""
        return tuple(self._document)

    def text(self, name: str) -> str:
        """Return a string that must be there."""
        value = self.optional_text(name)
        if value is None:
            raise _invalid(f'"{name}" wasn\'t supplied.')
        return value

    def optional_text(self, name: str) -> str | None:
        """Return a string, or None where it is absent or null."""
        value = self._document.get(name)
        if value is not None and not isinstance(value, str):
            raise _wrong_type(name, value, "a string")
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a boolean."""
        value = self._document.get(name, default)
        if not isinstance(value, bool):
            raise _wrong_type(name, value, "a boolean")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings, empty where it is absent."""
        values = self.items(name)
        for position, value in enumerate(values):
            if not isinstance(value, str):
                raise _wrong_type(f"{name}/items/{position}", value, "a string")
        return tuple(values)

    def items(self, name: str) -> Sequence[Any]:
        """Return a list of anything, empty where it is absent."""
        value = self._document.get(name, [])
        if not isinstance(value, list):
            raise _wrong_type(name, value, "an array")
        return value

    def inner(self, name: str) -> "Body | None":
        """Return an object, or None where it is absent or null."""
        value = self._document.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise _wrong_type(name, value, "an object")
        return Body(value)

    def bodies(self, name: str) -> tuple["Body", ...]:
        """Return a list of objects that must be there."""
        if name not in self._document:
            raise _invalid(f'"{name}" wasn\'t supplied.')
        values = self.items(name)
        for position, value in enumerate(values):
            if not isinstance(value, dict):
                raise _wrong_type(f"{name}/items/{position}", value, "an object")
        return tuple(Body(value) for value in values)

    def is_null(self, name: str) -> bool:
        """Whether the key is there and its value is null."""
        return name in self._document and self._document[name] is None

    def choice(self, name: str, choices: Sequence[str]) -> str | None:
        """Return one of `choices`, or None where it is absent."""
        value = self.optional_text(name)
        if value is not None and value not in choices:
            raise _invalid(
                f"For 'properties/{name}', {json.dumps(value)} is not a member of {list(choices)}."
            )
        return value


def read_body(raw: bytes) -> Body:
    """Return the body of a request; a bare array stands for `labels`, as GitHub has it there.

    400 if it is no JSON, or neither an object nor an array.
    """
    if not raw.strip():
        return Body({})
    try:
        document = json.loads(raw)
    except ValueError as error:
        raise ApiError(400, "Problems parsing JSON") from error
    if isinstance(document, list):
        return Body({"labels": document})
    if not isinstance(document, dict):
        raise ApiError(400, "Body should be a JSON object")
    return Body(document)


def _invalid(what: str) -> ApiError:
    return unprocessable(f"Invalid request.\n\n{what}")


def _wrong_type(name: str, value: Any, wanted: str) -> ApiError:
    return _invalid(f"For 'properties/{name}', {json.dumps(value)} is not {wanted}.")
