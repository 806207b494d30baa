"""What changes inside the image from one tag to another."""

from dataclasses import dataclass

from bot.core.components import Component, breaking_changes, compare_components, release_warnings
from bot.core.errors import Refused
from bot.core.image import TagScheme
from bot.core.manifest import ImageConfig, Manifest
from bot.ports import ImageRegistry


@dataclass(frozen=True, slots=True)
class ImageComparison:
    """Two tags of an image, side by side.

    `breaking` and `warnings` are sentences for people: changes that can break a build or a run, and
    doubts about the comparison.
    """

    old: Manifest
    new: Manifest
    components: tuple[Component, ...]
    breaking: tuple[str, ...]
    warnings: tuple[str, ...]


def compare_images(
    registry: ImageRegistry, name: str, old_tag: str, new_tag: str, scheme: TagScheme
) -> ImageComparison:
    """Return how the components of `host/repository` differ between two tags.

    Raises Refused for a tag that does not exist, and ServiceError when the registry fails.
    """
    found = registry.manifests(name, (old_tag, new_tag))
    old, new = _existing(name, old_tag, found[0]), _existing(name, new_tag, found[1])
    before, after = registry.configs(name, old), registry.configs(name, new)
    components = compare_components(before, after)
    return ImageComparison(
        old=old,
        new=new,
        components=components,
        breaking=breaking_changes(components),
        warnings=(
            *_platform_warnings(old, new),
            *_release_warnings(before, old, scheme),
            *_release_warnings(after, new, scheme),
        ),
    )


def _existing(name: str, tag: str, manifest: Manifest | None) -> Manifest:
    if manifest is None:
        raise Refused(f"`{name}` has no tag `{tag}`", hint="`bot releases` lists what there is")
    return manifest


def _platform_warnings(old: Manifest, new: Manifest) -> tuple[str, ...]:
    return tuple(
        f"{platform} is only in `{there.tag}`, so it is not compared"
        for there, other in ((old, new), (new, old))
        for platform in there.platforms
        if platform not in other.platforms
    )


def _release_warnings(
    configs: tuple[ImageConfig, ...], manifest: Manifest, scheme: TagScheme
) -> tuple[str, ...]:
    release = scheme.release(manifest.tag)
    return release_warnings(configs, release) if release else ()
