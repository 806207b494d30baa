"""Values of the board → the few words and marks by which a reader takes them in."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from bot.core.board import Bump, Standing

Progress = Literal["done", "now", "asks", "stopped", "later"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a bump's way, and how far it has got."""

    name: str
    progress: Progress

    @property
    def words(self) -> str:
        """What a reader who sees no marks is told."""
        return _WORDS[self.progress]


_WORDS: dict[Progress, str] = {
    "done": "done",
    "now": "under way",
    "asks": "a person is asked",
    "stopped": "stopped",
    "later": "still to come",
}

_AT: dict[Standing, Progress] = {
    Standing.ASKING: "asks",
    Standing.STOPPED: "stopped",
    Standing.CLOSED: "stopped",
}


def stages(bump: Bump) -> tuple[Stage, ...]:
    """Return the way of a bump: what is done, where it is now, and what is to come."""
    is_open = bump.pull_request is not None
    is_green = bump.standing in {Standing.READY, Standing.MERGED}
    # Where no approval is needed, a run shows that CI has begun without one.
    approved = is_green or bump.approval == "taken" or bump.run_url is not None
    reached = (
        ("pins", is_open),
        ("pull request", is_open),
        ("approval", is_open and approved),
        ("CI", is_green),
        ("review", bump.standing is Standing.MERGED),
    )
    here = next((index for index, (_, done) in enumerate(reached) if not done), len(reached))
    return tuple(Stage(name, _progress(index, here, bump)) for index, (name, _) in enumerate(reached))


def _progress(index: int, here: int, bump: Bump) -> Progress:
    if index < here:
        return "done"
    return _AT.get(bump.standing, "now") if index == here else "later"


_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))


def age(since: datetime, now: datetime) -> str:
    """Return how long ago something was, in its largest unit: `3 d`, `5 h`, `12 min`, `now`."""
    passed = now - since
    return span(passed) if passed >= timedelta(minutes=1) else "now"


def span(time: timedelta) -> str:
    """Return a span in the largest unit of which it has one: `3 d`, `5 h`, `12 min`, `40 s`."""
    seconds = time.total_seconds()
    unit, size = next((it for it in _UNITS if seconds >= it[1]), ("s", 1))
    return f"{int(seconds // size)} {unit}"


def ago(since: datetime | None, now: datetime) -> str:
    """Return how long ago something was, in words: `12 min ago`, `just now`, `never`."""
    if since is None:
        return "never"
    said = age(since, now)
    return "just now" if said == "now" else f"{said} ago"


def days(count: int) -> str:
    """Return a number of days in words."""
    return "1 day" if count == 1 else f"{count} days"


def figure(value: float | None) -> str:
    """Return a difference with the digits that tell it from another one, `none` for none."""
    if value is None:
        return "none"
    return "0" if value == 0 else f"{value:.2g}"
