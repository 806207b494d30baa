"""A container build as values: what is asked of a builder, and what became of it.

One request is understood by every builder. It names secrets and never holds one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.core.buildlog.diagnosis import Diagnosis
from bot.core.errors import Refused, UsageError
from bot.core.image import ImageRef
from bot.core.pins.dockerfile_lines import instructions
from bot.core.recipe import BumpRecipe
from bot.core.recipe_builds import Builds, Variant

PLATFORMS = {"amd64": "linux/amd64", "arm64": "linux/arm64"}
"""For each architecture that a person may name, the platform as builders call it."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """One image to build, for each platform.

    `dockerfile` and `folders` are paths in the context; `args` are public, `secrets` are the names of
    environment variables, handed to BuildKit as secrets of the same name. `tag` is the name of the result
    on the builder, one for all platforms: see `tag_for`. `cache` is false where every step has to run
    anew. `disk` and `memory` are gigabytes that the build needs.
    """

    base: ImageRef
    dockerfile: str
    target: str
    args: Mapping[str, str]
    platforms: tuple[str, ...]
    tag: str
    folders: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    cache: bool = True
    disk: int = 0
    memory: int = 0

    def tag_for(self, platform: str) -> str:
        """Return the name of the image of one platform."""
        return f"{self.tag}-{platform.rpartition('/')[2]}"


class BuildOutcome(StrEnum):
    """How the build of one platform ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"


@dataclass(frozen=True, slots=True)
class PlatformBuild:
    """What became of one platform.

    `seconds` are those of the whole build, `diagnosis` holds the stages with their times and, where it
    failed, why. `image` is the image's id, None unless it succeeded; `error` is the builder's own last word.
    """

    platform: str
    outcome: BuildOutcome
    seconds: float
    diagnosis: Diagnosis
    tag: str
    image: str | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What became of a request, in the order of its platforms."""

    builds: tuple[PlatformBuild, ...]

    @property
    def succeeded(self) -> bool:
        """Whether every platform was built, and there was one."""
        return bool(self.builds) and all(it.outcome is BuildOutcome.SUCCEEDED for it in self.builds)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that a build would stumble over; `fatal` where it would surely fail.

    `what` is a stable word (`daemon`, `disk`, `memory`, `registry`, `image`, `platform`, `secret`,
    `context`, `emulation`), `text` a sentence, `hint` what to do.
    """

    what: str
    text: str
    hint: str
    fatal: bool = True


def dockerfiles(recipe: BumpRecipe, track: str) -> tuple[str, ...]:
    """Return the Dockerfiles that a track may be built from. Raises UsageError where the recipe has none."""
    return tuple(it.dockerfile for it in _variants(recipe, track))


def variant_of(recipe: BumpRecipe, track: str, files: Mapping[str, bytes | None]) -> Variant:
    """Return the way to build `track` on a branch that holds `files`: the first whose Dockerfile is there.

    Raises UsageError for a recipe that does not say, Refused where no Dockerfile is there.
    """
    variants = _variants(recipe, track)
    for variant in variants:
        if files.get(variant.dockerfile) is not None:
            return variant
    paths = ", ".join(f"`{it.dockerfile}`" for it in variants)
    raise Refused(
        f"there is no Dockerfile for track `{track}`: {paths}", hint="name the branch or clone that has one"
    )


def build_request(
    recipe: BumpRecipe,
    track: str,
    base: ImageRef,
    files: Mapping[str, bytes | None],
    *,
    platforms: Sequence[str],
    target: str | None = None,
    secrets: Collection[str] = (),
    cache: bool = True,
) -> BuildRequest:
    """Return what a builder is asked for, made from the recipe and a branch's files alone.

    `secrets` are the names of those that are at hand. Raises UsageError for a recipe that does not say how
    to build, Refused for a Dockerfile or stage that is not there and for a stage whose secrets are missing.
    """
    builds = _builds(recipe)
    variant = variant_of(recipe, track, files)
    stage = target or builds.target
    _refuse_unknown_stage(variant.dockerfile, files[variant.dockerfile] or b"", stage)
    needed = builds.secrets.get(stage, ())
    if missing := [name for name in needed if name not in secrets]:
        raise Refused(
            f"stage `{stage}` needs secrets that are not set: {', '.join(missing)}",
            hint=f"set them in the environment, or build stage `{builds.target}`",
        )
    return BuildRequest(
        base=base,
        dockerfile=variant.dockerfile,
        target=stage,
        args={builds.image_argument: str(base), **variant.args},
        platforms=tuple(dict.fromkeys(platforms)),
        tag=_tag(recipe, track, base, stage),
        folders=builds.folders,
        secrets=needed,
        cache=cache,
        disk=builds.disk,
        memory=builds.memory,
    )


def _builds(recipe: BumpRecipe) -> Builds:
    if recipe.builds is None:
        raise UsageError(
            f"recipe `{recipe.name}` does not say how its container is built",
            hint="add a `builds` section; recipes/README.md documents it",
        )
    return recipe.builds


def _variants(recipe: BumpRecipe, track: str) -> tuple[Variant, ...]:
    variants = _builds(recipe).tracks.get(track)
    if not variants:
        raise UsageError(
            f"recipe `{recipe.name}` does not say how track `{track}` is built",
            hint="add it to `builds.tracks`",
        )
    return variants


def _refuse_unknown_stage(path: str, dockerfile: bytes, stage: str) -> None:
    stages = stages_of(dockerfile.decode(errors="replace"))
    if stage not in stages:
        known = ", ".join(f"`{it}`" for it in stages) or "none"
        raise Refused(f"has no stage `{stage[:80]}`", path=path, hint=f"its stages: {known}")


def stages_of(dockerfile: str) -> tuple[str, ...]:
    """Return the names of a Dockerfile's stages, in order and in small letters as BuildKit knows them."""
    return tuple(
        words[2].lower()
        for it in instructions(dockerfile)
        if it.keyword == "FROM"
        and len(words := [word.text for word in it.words if not word.text.startswith("--")]) > 2  # noqa: PLR2004 - IMAGE AS NAME
        and words[1].upper() == "AS"
    )


def _tag(recipe: BumpRecipe, track: str, base: ImageRef, stage: str) -> str:
    """Return a name that is valid for an image: small letters, and one tag of at most 128 characters."""
    repository = recipe.repository.rpartition("/")[2].lower().strip("._-") or "image"
    return f"bot-build/{repository}:{'-'.join((track, stage, base.tag or 'digest'))[:110]}"
