"""What a person asked for → the image to move to, as the registry has it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.core.errors import Refused, ServiceError, UsageError
from bot.core.image import ImageRef, parse_image, resolve_tag
from bot.core.manifest import Manifest
from bot.core.plan import Files, plan_bump
from bot.core.recipe import Track
from bot.ports import ImageRegistry


@dataclass(frozen=True, slots=True)
class Target:
    """The new image; `manifest` and `environment` are None when the registry was not asked."""

    image: ImageRef
    manifest: Manifest | None = None
    environment: Mapping[str, str] | None = None


Verify = Callable[[], Target]
"""Asks the registry for the target. It is called only where a pin has to move."""


def named_target(track: Track, wanted: str) -> Target | None:
    """Return the target of a full tag, not verified; None for one that is to be looked up, or is none."""
    return Target(_image(track, wanted)) if track.scheme.release(wanted) else None


def settled(name: str, track: Track, files: Files, target: Target, verify: Verify | None) -> Target:
    """Return the target as the registry has it, or as it is where nobody has to ask.

    Raises Refused for what needs no registry to be refused: a pin that is held, broken or newer.
    """
    if verify is None or not plan_bump(name, track, files, target.image).edits:
        return target
    return verify()


def resolve_target(track: Track, wanted: str, registry: ImageRegistry | None) -> Target:
    """Return the image that `wanted` (a tag, or `YY.MM` where the tag is looked up) means for a track.

    Without a registry nothing is verified. Raises UsageError for a tag of another form, Refused when
    the tag does not exist or lacks a platform of the recipe, ServiceError when the registry fails.
    """
    if registry is None:
        tag = resolve_tag(wanted, track.scheme, _cannot_look_up)
        return Target(_image(track, tag))
    try:
        return _verified(track, wanted, registry)
    except ServiceError as error:
        hint = f"{error.hint or 'try again later'}; `--no-verify` does without the registry"
        raise ServiceError(error.message, hint=hint) from error


def _verified(track: Track, wanted: str, registry: ImageRegistry) -> Target:
    tag = resolve_tag(wanted, track.scheme, lambda: registry.tags(track.image))
    manifest = registry.manifest(track.image, tag)
    if manifest is None:
        raise Refused(f"`{track.image}` has no tag `{tag}`", hint="`bot releases` lists what there is")
    missing = [platform for platform in track.platforms if platform not in manifest.platforms]
    if missing:
        there = ", ".join(manifest.platforms) or "no platform"
        raise Refused(
            f"`{track.image}:{tag}` lacks {' and '.join(missing)}; it has {there}",
            hint="try again when the registry has all of them, or say `--no-verify`",
        )
    configs = registry.configs(track.image, manifest)
    environment = next((config.environment for config in configs if config.platform in track.platforms), {})
    return Target(_image(track, tag, manifest.digest), manifest, environment)


def _image(track: Track, tag: str, digest: str | None = None) -> ImageRef:
    image = parse_image(track.image)
    if image is None:
        raise UsageError(f"`{track.image}` is no image name", hint="mend `image` in the bump recipe")
    return image.at(tag, digest)


def _cannot_look_up() -> tuple[str, ...]:
    raise UsageError(
        "this tag has to be looked up in the registry", hint="name it in full, or leave out `--no-verify`"
    )
