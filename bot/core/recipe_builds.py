"""The section of a bump recipe that says how a repository's container is built and looked at."""

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator

from bot.core.recipe_types import Count, RecipeModel, RelativePath, TrackName, not_empty

_SECRET = re.compile(
    r"(?:^|_)(?:TOKENS?|SECRETS?|PASSWORDS?|PASSWD|CREDENTIALS?|(?:API|PRIVATE)_?KEYS?)(?:_|$)"
)


def _like(pattern: str, wanted: str) -> AfterValidator:
    def checked(value: str) -> str:
        if not re.fullmatch(pattern, value, re.ASCII):
            raise ValueError(f"has to be {wanted}")
        return value

    return AfterValidator(checked)


def _public(name: str) -> str:
    # Build arguments stand in the image's history and in its provenance:
    # https://docs.docker.com/build/building/secrets/
    if _SECRET.search(name.upper()):
        raise ValueError("is named like a secret, which belongs under `secrets`: arguments show in the image")
    return name


Variable = Annotated[
    str, _like(r"[A-Za-z_][A-Za-z0-9_]{0,99}", "the name of a variable: letters, digits and `_`")
]
Argument = Annotated[Variable, AfterValidator(_public)]
Stage = Annotated[
    str, _like(r"[a-z][a-z0-9._-]{0,99}", "a stage of a Dockerfile: small letters, digits, `.`, `_`, `-`")
]
Value = Annotated[str, _like(r"[^\x00-\x1f\x7f]{0,1000}", "one line of at most 1000 characters")]
Name = Annotated[
    str, _like(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?", "a name as Python packages have")
]
Module = Annotated[
    str, _like(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", "a Python module, such as `transformer_engine`")
]
Folder = Annotated[str, _like(r"(?:/[\w-][\w.-]*)+", "an absolute path, such as `/opt/venv`")]


class Variant(RecipeModel):
    """One way to build a track; the first whose Dockerfile the branch has is taken."""

    dockerfile: RelativePath
    """The Dockerfile, which the branch may lack where another variant follows."""
    args: Mapping[Argument, Value] = {}
    """Build arguments besides that of the base image."""
    extras: tuple[Name, ...] = ()
    """The extras that the Dockerfile installs with `uv sync`."""
    groups: tuple[Name, ...] = ()
    """The dependency groups that it installs."""


class Smoke(RecipeModel):
    """What the built image is asked for before anybody uses it."""

    environment: Folder = "/opt/venv"
    """The virtual environment, whose `bin` has to be on the path."""
    imports: tuple[Module, ...] = ("torch", "transformer_engine")
    """The modules that have to be importable."""


class Builds(RecipeModel):
    """How the container is built."""

    tracks: Annotated[Mapping[TrackName, tuple[Variant, ...]], AfterValidator(not_empty)]
    """For each track, the ways to build it, the newest branches' first."""
    target: Stage = "main"
    """The stage that is built unless another is named."""
    image_argument: Argument = "FROM_IMAGE_NAME"
    """The build argument that names the base image."""
    folders: tuple[RelativePath, ...] = ()
    """Folders that the Dockerfile copies and git does not hold; an absent one is made, and is empty."""
    secrets: Mapping[Stage, tuple[Variable, ...]] = {}
    """For each stage that needs secrets, the environment variables that hold them."""
    disk: Count = 60
    """Gigabytes that have to be free where images are kept."""
    memory: Count = 16
    """Gigabytes of memory that the machine has to have."""
    smoke: Smoke = Smoke()
    """How the image is tried."""
