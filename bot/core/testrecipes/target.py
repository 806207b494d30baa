"""What a person names: a functional test, perhaps with its model, or a unit test by path and name."""

import re
from dataclasses import dataclass

from bot.core.errors import UsageError
from bot.core.markdown import one_line

_NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9_.+-]{0,198}[A-Za-z0-9_])?"
_FUNCTIONAL = re.compile(rf"(?:(?P<model>{_NAME})/)?(?P<name>{_NAME})")
_UNIT = re.compile(
    r"(?P<path>(?:[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}/){0,20}[A-Za-z0-9_-]{1,100}\.py)"
    r"::(?P<names>[A-Za-z_][A-Za-z0-9_]{0,199}(?:::[A-Za-z_][A-Za-z0-9_]{0,199}){0,4})"
)
_PLATFORM = re.compile(_NAME)


@dataclass(frozen=True, slots=True)
class FunctionalTest:
    """A test case by its name; `model` is the folder of its goldens, where somebody named it."""

    name: str
    model: str | None = None

    def __str__(self) -> str:
        return self.name if self.model is None else f"{self.model}/{self.name}"


@dataclass(frozen=True, slots=True)
class UnitTest:
    """A test function: its file, the classes around it, and its own name last."""

    path: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return "::".join((self.path, *self.names))


Target = FunctionalTest | UnitTest


def parse_target(text: str) -> Target:
    """Return what `text` names. Raises UsageError for anything that is no name of a test."""
    if unit := _UNIT.fullmatch(text):
        return UnitTest(unit["path"], tuple(unit["names"].split("::")))
    if functional := _FUNCTIONAL.fullmatch(text):
        return FunctionalTest(functional["name"], functional["model"])
    if "[" in text and "::" in text:
        raise UsageError(
            f"`{one_line(text)}` names one case of a test",
            hint="a mark holds for the whole test: leave out what stands in `[…]`",
        )
    raise UsageError(
        f"`{one_line(text)}` names no test",
        hint="name a functional test, `MODEL/TEST`, or a unit test as `path/test_x.py::test_y`",
    )


def parse_platform(text: str) -> str:
    """Return the platform that `text` names. Raises UsageError for what can be none."""
    if not is_platform(text):
        raise UsageError(f"`{one_line(text)}` names no platform", hint="write it as `dgx_h100`")
    return text


def is_platform(text: str) -> bool:
    """Whether CI could know a platform by this name: one word."""
    return _PLATFORM.fullmatch(text) is not None
