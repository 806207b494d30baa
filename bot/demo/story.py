"""A story as a small YAML file: the world it begins in, and the steps of everybody who is not the bot."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.core.errors import UsageError
from bot.core.yaml_document import YamlProblem, read_document
from bot.lab.megatron_tests import Kind

Goal = Literal["run", "question", "ready"]
"""What is waited for: CI runs, a person is asked, the pull request is ready for review."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Test(_Model):
    """How a test goes with the new image: a drift multiplies metrics."""

    goes: Kind
    by: Mapping[str, float] = {}


class Saying(_Model):
    """A comment of somebody's; the issue is opened where there is none."""

    by: str
    on: Literal["issue", "pull request"]
    text: str


class Step(_Model):
    """One thing that happens, or that is waited for."""

    release: str | None = None
    until: Goal | None = None
    finish: Literal["run"] | None = None
    say: Saying | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> "Step":
        if sum(value is not None for value in (self.release, self.until, self.finish, self.say)) != 1:
            raise ValueError("has to be one of `release`, `until`, `finish`, `say`")
        return self


class Story(_Model):
    """A story. The pins begin at the tag `from`; `releases` are there beside it, `tests` go another way."""

    name: str
    title: str
    start: str = Field(alias="from")
    releases: tuple[str, ...] = ()
    tests: Mapping[str, Test] = {}
    steps: tuple[Step, ...]


def names() -> tuple[str, ...]:
    """Return the names of the stories, the first one being told unless another is named."""
    found = {it.name.removesuffix(".yaml") for it in _folder().iterdir() if it.name.endswith(".yaml")}
    return ("release", *sorted(found - {"release"}))


def load_story(name: str) -> Story:
    """Return a story by its name. Raises UsageError when there is none, or when it has problems."""
    if name not in names():
        known = ", ".join(f"`{it}`" for it in names())
        raise UsageError(f"there is no story `{name[:80]}`", hint=f"there are {known}")
    return parse_story(_folder().joinpath(f"{name}.yaml").read_text(encoding="utf-8"), name)


def parse_story(text: str, name: str) -> Story:
    """Return the story that `text` is. Raises UsageError with the first problem."""
    try:
        document: Any = read_document(text).value
        return Story.model_validate({**document, "name": name})
    except YamlProblem as problem:
        raise UsageError(problem.message, path=f"{name}.yaml", line=problem.line) from problem
    except (ValidationError, TypeError) as error:
        raise UsageError(f"story `{name}` cannot be told: {error}") from error


def _folder() -> Any:
    return files("bot.demo").joinpath("stories")
