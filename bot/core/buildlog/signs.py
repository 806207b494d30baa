"""What a cause of a broken build is, and the signs by which a line proves it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from bot.core.buildlog.prefilter import any_of


class Rank(IntEnum):
    """How far a line explains that a build broke; of two that do, the lower rank explains more."""

    DECISIVE = 0
    """It stops a build by itself."""
    SUSPECT = 1
    """It is the last thing that is known before the end; another explanation is better."""
    CONSEQUENCE = 2
    """It says that a part failed, not why."""
    WARNING = 3
    """It stops nothing, but belongs to what did."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A line that proves a cause: `word` stands in every text that `pattern` matches.

    Named groups `package` and `subject` say which one. `clears` means that the line takes back
    what earlier lines of the same cause in the same step said.
    """

    word: str
    pattern: str
    clears: bool = False


@dataclass(frozen=True, slots=True)
class Cause:
    """A way in which builds break: its name, what to do, and the lines that prove it.

    `hint` may name `{package}` and `{subject}`. `leads_to` names the causes that follow from this one.
    `of_build` says that it befalls the package that is being built, if one is.
    `of_image` says that it is about the image that the step is to get.
    `in_build` is the cause that it is instead while a package is being built. `phase` stands in for the
    step where a log has none.
    """

    name: str
    hint: str
    signs: tuple[Sign, ...]
    rank: Rank = Rank.DECISIVE
    leads_to: frozenset[str] = field(default_factory=frozenset)
    of_build: bool = False
    of_image: bool = False
    in_build: str | None = None
    phase: str | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A cause that a text proves."""

    cause: Cause
    package: str | None
    subject: str | None
    clears: bool


class Matcher:
    """The signs of all families, ready for use; of one family the first sign that matches counts."""

    def __init__(self, families: Mapping[str, Iterable[Cause]]) -> None:
        self._families = tuple(
            tuple((sign, re.compile(sign.pattern), cause) for cause in family for sign in cause.signs)
            for family in families.values()
        )
        self._any = any_of(self.words())

    def words(self) -> Iterator[str]:
        """Yield the words without which no text proves anything."""
        yield from (sign.word for family in self._families for sign, _, _ in family)

    def matches(self, text: str) -> Iterator[Match]:
        """Yield what a text proves."""
        if not self._any.search(text):
            return
        for family in self._families:
            for sign, pattern, cause in family:
                if sign.word in text and (found := pattern.search(text)):
                    groups = found.groupdict()
                    yield Match(cause, groups.get("package"), groups.get("subject"), sign.clears)
                    break
