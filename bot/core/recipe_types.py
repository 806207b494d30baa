"""The values that bump recipes are made of, each checked with words that a person can act on."""

import re
from collections.abc import Callable, Sized
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict

from bot.core.image import parse_image
from bot.core.pins.formats import FORMATS

Items = TypeVar("Items", bound=Sized)


def _like(pattern: str, wanted: str) -> Callable[[str], str]:
    def checked(value: str) -> str:
        if not re.fullmatch(pattern, value, re.ASCII):
            raise ValueError(f"has to be {wanted}")
        return value

    return checked


def _relative_path(value: str) -> str:
    if "\\" in value or {"", ".", ".."} & set(value.split("/")):
        raise ValueError("has to be a path inside the repository, with `/` and without `..`")
    return value


def _image_name(value: str) -> str:
    image = parse_image(value)
    if image is None or image.name != value:
        raise ValueError("has to be `HOST/REPOSITORY` without a tag, such as `nvcr.io/nvidia/pytorch`")
    return value


def _tag_pattern(value: str) -> str:
    if not re.fullmatch(r"[\w.*-]+", value, re.ASCII) or re.findall("YY|MM", value) != ["YY", "MM"]:
        raise ValueError("has to be a tag with `YY` and then `MM` in it, such as `YY.MM-py3`")
    return value


def _title(value: str) -> str:
    if "{tag}" not in value or re.search(r"[{}\r\n]", value.replace("{tag}", "")):
        raise ValueError("has to be one line with `{tag}` in it and no other braces")
    return value


def _known_format(value: str) -> str:
    if value not in FORMATS:
        raise ValueError(f"has to be one of: {', '.join(FORMATS)}")
    return value


def _pattern(value: str) -> str:
    try:
        groups = re.compile(value).groupindex
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"is no regular expression: {error}") from error
    if "pin" not in groups:
        raise ValueError("has to hold the named group `(?P<pin>…)`")
    return value


def not_empty(value: Items) -> Items:
    """Return a list or mapping that holds something; raises ValueError for an empty one."""
    if not value:
        raise ValueError("must not be empty")
    return value


RelativePath = Annotated[str, AfterValidator(_relative_path)]
RepositoryName = Annotated[
    str, AfterValidator(_like(r"[\w-]+/(?!\.\.?\Z)[\w.-]+", "`OWNER/NAME`, such as `NVIDIA/Megatron-LM`"))
]
TrackName = Annotated[
    str, AfterValidator(_like(r"[a-z0-9]+(-[a-z0-9]+)*", "named by small letters and digits, joined by `-`"))
]
ImageName = Annotated[str, AfterValidator(_image_name)]
TagPattern = Annotated[str, AfterValidator(_tag_pattern)]
Platform = Annotated[
    str, AfterValidator(_like(r"[a-z0-9]+(/[a-z0-9]+){1,2}", "`OS/ARCHITECTURE`, such as `linux/arm64`"))
]
Title = Annotated[str, AfterValidator(_title)]
Pattern = Annotated[str, AfterValidator(_pattern)]
Count = Annotated[int, Strict(), Field(ge=1)]
Format = Annotated[str, AfterValidator(_known_format)]


class RecipeModel(BaseModel):
    """A section of a bump recipe: strict, frozen, documented key by key."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
