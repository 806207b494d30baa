"""Every reference to a recipe's images in a tree that no site of the recipe accounts for."""

import re
from collections.abc import Iterable, Sequence

from bot.core.image import find_images
from bot.core.plan import TrackState


def search_pattern(images: Iterable[str]) -> str:
    """Return an extended regular expression for lines that may name one of `images` (`host/repository`)."""
    names = (image.partition("/") for image in sorted(set(images)))
    return "|".join(f"{_escaped(host)}(:443)?[/#]{_escaped(repository)}" for host, _, repository in names)


def _escaped(text: str) -> str:
    return re.sub(r"[.[\]]", r"[\g<0>]", text)


def unaccounted(
    lines: Iterable[tuple[str, int, str]], images: Iterable[str], states: Sequence[TrackState]
) -> tuple[str, ...]:
    """Return `path:line: reference`, once, for each reference in `lines` that is none of the states' sites.

    `lines` are (path, line, text) of a search with `search_pattern`.
    """
    sites = [site for state in states for site in state.sites]
    # A defective pin has no image; what is written there is known all the same.
    known = {(site.path, site.line, text) for site in sites for text in (site.value, str(site.image))}
    found = (
        (path, line, str(image))
        for path, line, text in lines
        for name in sorted(set(images))
        for _, image in find_images(text, name)
    )
    return tuple(
        f"{path}:{line}: {image}"
        for path, line, image in dict.fromkeys(found)
        if (path, line, image) not in known
    )
