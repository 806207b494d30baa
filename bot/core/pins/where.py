"""Typed reading of a recipe's `where`: the mapping that tells a pin format what to look for."""

from collections.abc import Mapping

from bot.core.errors import UsageError


def text(where: Mapping[str, object], key: str) -> str:
    """Return the text under `key`. Raises UsageError where there is none."""
    value = where.get(key)
    if not isinstance(value, str) or not value:
        raise UsageError(f"`{key}` in `where` must be a text", hint="put numbers in quotes")
    return value


def optional_text(where: Mapping[str, object], key: str) -> str | None:
    """Return the text under `key`, or None where the key is absent. Raises UsageError for anything else."""
    return text(where, key) if key in where else None


def texts(where: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return the list of texts under `key`. Raises UsageError for anything else."""
    value = where.get(key)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"`{key}` in `where` must be a list of texts", hint="put numbers in quotes")
    return tuple(value)


def text_map(where: Mapping[str, object], key: str) -> Mapping[str, str]:
    """Return the mapping of texts under `key`. Raises UsageError for anything else, also for an empty one."""
    value = where.get(key)
    if not isinstance(value, Mapping) or not value or not _is_text(*value, *value.values()):
        raise UsageError(f"`{key}` in `where` must map texts to texts", hint="put numbers in quotes")
    return value


def _is_text(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)
