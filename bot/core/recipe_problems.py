"""What a schema finds wrong with a YAML document → one sentence for people per problem, with its line."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from bot.core.yaml_document import Document


def explain(
    error: ValidationError, document: Document, schema: type[BaseModel]
) -> tuple[tuple[int, str], ...]:
    """Return (line, sentence) of each problem that `schema` has with `document`."""
    return tuple((document.line(it["loc"]), _sentence(it, schema)) for it in error.errors())


def nested_model(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a field's type holds, itself or as its items or values, or None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := nested_model(part))), None)


def _sentence(found: Any, schema: type[BaseModel]) -> str:
    place = ".".join(str(part) for part in found["loc"] if part != "[key]")
    say = _SENTENCES.get(found["type"], _in_pydantics_words)
    return f"`{place}` {say(found)}{_suggestion(found, schema)}"


def _suggestion(found: Any, schema: type[BaseModel]) -> str:
    if found["type"] != "extra_forbidden":
        return ""
    *around, wrong = found["loc"]
    near = difflib.get_close_matches(str(wrong), _keys_at(around, schema), n=1)
    return f"; did you mean `{near[0]}`?" if near else ""


def _keys_at(place: Sequence[str | int], schema: type[BaseModel]) -> tuple[str, ...]:
    """Return the keys of the mapping at `place`; numbers and free names lead to no other mapping."""
    for part in place:
        field = schema.model_fields.get(str(part))
        schema = (nested_model(field.annotation) if field else None) or schema
    return tuple(schema.model_fields)


def _text(found: Any) -> str:
    is_single = not isinstance(found["input"], dict | list | None)
    return "has to be a text" + (": put it in quotes" if is_single else "")


def _in_pydantics_words(found: Any) -> str:
    return f"is not right: {found['msg'][0].lower()}{found['msg'][1:]}"


_SENTENCES: Mapping[str, Callable[[Any], str]] = {
    "dict_type": lambda _: "has to be a mapping",
    "extra_forbidden": lambda _: "is no key of a recipe",
    "finite_number": lambda _: "has to be a finite number",
    "float_type": lambda _: "has to be a number",
    "greater_than_equal": lambda found: f"has to be at least {found['ctx']['ge']}",
    "int_type": lambda _: "has to be a whole number",
    "invalid_key": lambda _: "has to be a text: put the key in quotes",
    "literal_error": lambda found: f"has to be {found['ctx']['expected'].replace(chr(39), '`')}",
    "missing": lambda _: "is missing",
    "model_type": lambda _: "has to be a mapping",
    "string_type": _text,
    "tuple_type": lambda _: "has to be a list",
    "value_error": lambda found: str(found["ctx"]["error"]),
}
