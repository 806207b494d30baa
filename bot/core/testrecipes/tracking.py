"""Tracking issues: which one a quarantine belongs to, and what all of them say about age and expiry.

An issue of the bot's is known by its author and its first line. A suite, the folder of a model's goldens,
has only so many issues of its own; beyond them its tests share an umbrella.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from bot.core.host import Issue
from bot.core.testrecipes.ledger_block import Entry, read_block

MARKER = "<!-- ngc-bump-bot:quarantine -->"
UMBRELLA_MARKER = "<!-- ngc-bump-bot:quarantine:umbrella -->"


@dataclass(frozen=True, slots=True)
class Tracked:
    """An issue of the bot's with its ledger."""

    issue: Issue
    entries: tuple[Entry, ...]
    umbrella: bool


@dataclass(frozen=True, slots=True)
class Use:
    """Go on with an issue: it is the test's own, or the umbrella of its suite."""

    tracked: Tracked


@dataclass(frozen=True, slots=True)
class Open:
    """Open an issue, as the test's own or as the umbrella of its suite."""

    umbrella: bool


@dataclass(frozen=True, slots=True)
class Listed:
    """A quarantine as `bot status` shows it; `age` is in days, and so is `left`, until it expires."""

    entry: Entry
    number: int
    url: str
    state: Literal["open", "closed"]
    age: int
    left: int

    @property
    def has_expired(self) -> bool:
        """Whether its time is over."""
        return self.left <= 0


def tracked(issues: Iterable[Issue], bot: int) -> tuple[Tracked, ...]:
    """Return the tracking issues among `issues`: those that the account with the id `bot` wrote."""
    return tuple(it for issue in issues if issue.author.id == bot for it in _tracked(issue))


def _tracked(issue: Issue) -> Iterator[Tracked]:
    first = issue.body.lstrip().partition("\n")[0].strip()
    if first in {MARKER, UMBRELLA_MARKER}:
        yield Tracked(issue, read_block(issue.body), first == UMBRELLA_MARKER)


def choose_issue(known: Sequence[Tracked], entry: Entry, at_most: int) -> Use | Open:
    """Return where a quarantine is tracked; a closed issue is done with, whatever it was about.

    `at_most` issues of a suite stand alone; further tests of it share an umbrella.
    """
    is_open = [it for it in known if it.issue.state == "open"]
    for it in is_open:
        if any(other.key == entry.key for other in it.entries):
            return Use(it)
    suite = [it for it in is_open if any(other.model == entry.model for other in it.entries)]
    if len([it for it in suite if not it.umbrella]) < at_most:
        return Open(umbrella=False)
    return next((Use(it) for it in suite if it.umbrella), Open(umbrella=True))


def list_quarantines(known: Iterable[Tracked], today: date) -> tuple[Listed, ...]:
    """Return every quarantine, the one that expires first in front."""
    found = [
        Listed(
            entry=entry,
            number=it.issue.number,
            url=it.issue.url,
            state=it.issue.state,
            age=(today - entry.since).days,
            left=(entry.expires - today).days,
        )
        for it in known
        for entry in it.entries
    ]
    return tuple(sorted(found, key=lambda it: (it.left, it.number, it.entry.test)))


def expiry_marker(entry: Entry) -> str:
    """Return the first line of the comment that announces the expiry of a quarantine; it tells them apart."""
    words = (entry.model, entry.test, entry.platform or "", entry.expires.isoformat())
    return f"<!-- ngc-bump-bot:quarantine:expired {' '.join(word for word in words if word)} -->"
