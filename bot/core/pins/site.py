"""A pin site: a place in a repository, as the bump recipe describes it."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.pins.value import PinForm


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape of a site: how its pins are found, how many there are, and of which platforms.

    Each of `platforms` must occur exactly once; none given, none is looked at.
    """

    where: Mapping[str, object]
    count: int = 1
    platforms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PinSite:
    """A file, the pin format and the shape in which pins stand there.

    `form` says what a pin's value is. `shapes` are shapes that the site has on other branches; they
    are tried in order where the main one finds no pin at all.
    """

    path: str
    format: str
    where: Mapping[str, object]
    form: PinForm = "reference"
    count: int = 1
    platforms: tuple[str, ...] = ()
    shapes: tuple[Shape, ...] = ()

    @property
    def main_shape(self) -> Shape:
        """The shape by which the site is judged unless only another one finds pins."""
        return Shape(self.where, self.count, self.platforms)
