"""Every reference to a recipe's images in a tree that no site of the recipe accounts for."""

from collections.abc import Iterable, Sequence

from bot.core.image import find_images
from bot.core.plan import TrackState


def search_pattern(images: Iterable[str]) -> str:
    """Return an extended regular expression for lines that may name one of `images` (`host/repository`)."""
    names = (_escaped(image).replace("/", "[/#]", 1) for image in sorted(set(images)))
    return "|".join(names)


def _escaped(image: str) -> str:
    return image.replace(".", "[.]")


def unaccounted(
    lines: Iterable[tuple[str, int, str]], images: Iterable[str], states: Sequence[TrackState]
) -> tuple[str, ...]:
    """Return `path:line: reference` for each reference in `lines` that is none of the states' sites.

    `lines` are (path, line, text) of a search with `search_pattern`.
    """
    known = {(site.path, site.line) for state in states for site in state.sites}
    names = sorted(set(images))
    return tuple(
        f"{path}:{line}: {image}"
        for path, line, text in lines
        if (path, line) not in known
        for name in names
        for _, image in find_images(text, name)
    )
