"""Releases, pins and policy → which tag the schedule moves a track to now, or why it moves to none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cronsim import CronSim

from bot.core.image import Release, TagScheme
from bot.core.recipe_schedule import Schedule

_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """A release of the registry. `first_seen` is when the bot saw the tag first (UTC).

    `repushed` are the other digests under which the tag was seen; empty for one never pushed again.
    """

    tag: str
    platforms: tuple[str, ...]
    digest: str
    first_seen: datetime
    repushed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """What the recipe wants of a release: the form of its tag, its platforms, and its schedule."""

    scheme: TagScheme
    platforms: tuple[str, ...]
    schedule: Schedule


@dataclass(frozen=True, slots=True)
class Decision:
    """The tag to move to, None for none, and the reason in words; `alerts` are for a person to settle.

    `due_since` is the moment (UTC) from which the bump was due.
    """

    tag: str | None
    reason: str
    alerts: tuple[str, ...] = ()
    due_since: datetime | None = None


def decide(seen: Sequence[Candidate], pinned: Sequence[str], policy: Policy, now: datetime) -> Decision:
    """Return the decision for a track whose pins are at the tags `pinned`; `now` has its zone.

    Pins that disagree count as the oldest of them.
    """
    alerts = tuple(_alert(it) for it in seen if it.repushed)
    releases = [release for tag in pinned if (release := policy.scheme.release(tag))]
    if not releases or len(releases) != len(pinned):
        return Decision(None, "a pin is not at a release of the track", alerts)
    current = min(releases)
    newer = [(release, it) for it in seen if (release := policy.scheme.release(it.tag)) and release > current]
    newer.sort(key=lambda it: it[0], reverse=True)
    if not newer:
        return Decision(None, f"nothing is newer than {current}", alerts)
    reasons = []
    for place, (release, candidate) in enumerate(newer):
        reason = _unwanted(place, _months(current, release), candidate, policy, now)
        if reason is None:
            return _begun(candidate, policy.schedule, alerts, now)
        reasons.append(f"{candidate.tag} {reason}")
    return Decision(None, "; ".join(reasons), alerts)


def _alert(candidate: Candidate) -> str:
    before = ", ".join(candidate.repushed)
    return f"{candidate.tag} was pushed again: it is {candidate.digest}, and was {before}"


def _months(old: Release, new: Release) -> int:
    return (new.year - old.year) * _MONTHS + new.month - old.month


def _unwanted(place: int, months: int, candidate: Candidate, policy: Policy, now: datetime) -> str | None:
    """Return why the schedule passes a release over; `place` counts the newer ones."""
    return next(_reasons(place, months, candidate, policy, now), None)


def _reasons(place: int, months: int, candidate: Candidate, policy: Policy, now: datetime) -> Iterator[str]:
    schedule = policy.schedule
    if why := schedule.skip.get(candidate.tag):
        yield f"is skipped: {why}"
    if place < schedule.lag:
        yield f"is among the {schedule.lag} newest, which are left to others"
    if months < schedule.every_months:
        yield f"is {months} months newer, and {schedule.every_months} are wanted"
    if missing := [it for it in policy.platforms if it not in candidate.platforms]:
        yield f"lacks {' and '.join(missing)}"
    if candidate.repushed:
        yield "was pushed again: a person decides"
    due = candidate.first_seen + timedelta(days=schedule.minimum_age)
    if now < due:
        yield f"is too new: it waits until {due.astimezone(schedule.zone):%Y-%m-%d %H:%M %Z}"


def _begun(candidate: Candidate, schedule: Schedule, alerts: tuple[str, ...], now: datetime) -> Decision:
    due = candidate.first_seen + timedelta(days=schedule.minimum_age)
    start = due if schedule.cron is None else next(CronSim(schedule.cron, due.astimezone(schedule.zone)))
    if now < start:
        return Decision(None, f"{candidate.tag} begins at {start:%Y-%m-%d %H:%M %Z}", alerts)
    return Decision(candidate.tag, f"{candidate.tag} is due", alerts, start.astimezone(UTC))
