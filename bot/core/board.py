"""What the page shows, as values: repositories, their tracks, the bump of each, quarantines, heartbeat.

    pass of the service ─▶ Bump ─▶ followed(before, it) ─▶ Bump with its timeline ─▶ Board ─▶ page

Everybody may read the page. What comes from an internal source is counted here and has no words, and an
address that is not meant for everybody is no link.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from math import inf
from typing import Literal

from bot.core.goldens.compare import compare
from bot.core.goldens.comparison import Row
from bot.core.goldens.golden import BadGolden
from bot.core.goldens.read import read_golden
from bot.core.goldens.trajectory import Panel, panels
from bot.core.loopback import is_loopback
from bot.core.plan import TrackState
from bot.core.testrecipes.tracking import Listed
from bot.core.triage.summary import Judged
from bot.core.triage.verdict import VerdictKind

MISSED_TICKS = 3
"""After this many intervals without a tick the service counts as missed: one may always be late."""

TIMELINE = 200
"""Moments of a bump that are kept; the oldest go first."""

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?(?:[/?#][!-~]*)?"
)

MomentKind = Literal["written", "run", "verdict", "asked", "stopped", "ready", "closed", "seen"]


class Standing(StrEnum):
    """Where a bump stands, in the words that a person reads."""

    WAITING = "waiting for CI"
    ASKING = "a person is asked"
    READY = "ready for review"
    STOPPED = "stopped"
    MERGED = "merged"
    CLOSED = "closed"

    @property
    def is_over(self) -> bool:
        """Whether the bot is done with it."""
        return self in {Standing.MERGED, Standing.CLOSED}


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of a timeline: when (UTC), who, what; `evidence` are lines from outside."""

    at: datetime
    actor: str
    kind: MomentKind
    text: str
    link: str | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerdictGroup:
    """The jobs with one verdict. Those of an internal source are in `count` and not in `rows`."""

    kind: VerdictKind
    count: int
    rows: tuple[Judged, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenChange:
    """A golden that the bump changes: a row and a panel for each metric; `gaps` say what has none."""

    file: str
    rows: tuple[Row, ...] = ()
    panels: tuple[Panel, ...] = field(default=(), repr=False)
    gaps: tuple[str, ...] = ()

    @property
    def farthest(self) -> Row | None:
        """The metric with the largest mean of |difference|, None where nothing was measured."""
        return max(self.rows, key=_distance, default=None)

    @property
    def distance(self) -> float:
        """That mean; one that is not finite is farther than any other, and no row is nearest of all."""
        return _distance(self.farthest) if self.farthest else -1.0


def _distance(row: Row) -> float:
    return inf if row.mean_abs is None else row.mean_abs


@dataclass(frozen=True, slots=True)
class PullLink:
    """The pull request of a bump, as far as the page speaks of it."""

    number: int
    url: str
    title: str
    draft: bool


@dataclass(frozen=True, slots=True)
class Bump:
    """One bump at one moment. `written` is what the last look wrote, `sentences` say why it stands so.

    `approval` is `none`, `asked`, `taken` or `late`; `passed` counts jobs; `timeline` has the oldest first.
    """

    repository: str
    base: str
    track: str
    tag: str
    at: datetime
    standing: Standing
    before: str | None = None
    sentences: tuple[str, ...] = ()
    pull_request: PullLink | None = None
    head: str | None = None
    labels: tuple[str, ...] = ()
    approval: str = "none"
    run_url: str | None = None
    passed: int = 0
    verdicts: tuple[VerdictGroup, ...] = ()
    not_refreshed: tuple[tuple[str, int], ...] = ()
    goldens: tuple[GoldenChange, ...] = ()
    written: tuple[str, ...] = ()
    timeline: tuple[Moment, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What no two bumps share; repositories are told apart without case."""
        return self.repository.lower(), self.base, self.track, self.tag

    @property
    def builds(self) -> tuple[tuple[VerdictKind, Judged], ...]:
        """The container builds that did not succeed, each with its verdict."""
        return tuple((it.kind, row) for it in self.verdicts for row in it.rows if row.subject.role == "build")


@dataclass(frozen=True, slots=True)
class Release:
    """The newest release of a track's image, and when the bot saw it first (UTC)."""

    tag: str
    platforms: tuple[str, ...]
    digest: str
    first_seen: datetime
    repushed: bool = False


@dataclass(frozen=True, slots=True)
class Pin:
    """A place that names the image: `path:line`, the tag there, and what is wrong with it, if anything."""

    where: str
    tag: str | None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Track:
    """A track of one base branch; `platforms` are those that a release has to have."""

    base: str
    name: str
    tag: str | None
    in_sync: bool
    pins: tuple[Pin, ...]
    platforms: tuple[str, ...] = ()
    newest: Release | None = None
    bumps: tuple[Bump, ...] = ()

    @property
    def missing_platforms(self) -> tuple[str, ...]:
        """The platforms that the newest release has not got."""
        there = self.newest.platforms if self.newest else self.platforms
        return tuple(it for it in self.platforms if it not in there)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the service heard or did; `repository` is empty where it concerns all of them."""

    at: datetime
    repository: str
    text: str
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """When the service last looked around (`tick`), did so without a failure, and saw a new release."""

    interval: timedelta
    tick: datetime | None = None
    success: datetime | None = None
    release: datetime | None = None

    def is_missed(self, now: datetime) -> bool:
        """Return whether the service has not looked around for too long, or never."""
        return self.tick is None or now - self.tick > MISSED_TICKS * self.interval

    def is_failing(self, now: datetime) -> bool:
        """Return whether it looks around, and has not done so without a failure for too long."""
        return self.success is None or now - self.success > MISSED_TICKS * self.interval


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository that the bot looks after; `paused` says by whom or why, None while it is not."""

    name: str
    tracks: tuple[Track, ...] = ()
    quarantines: tuple[Listed, ...] = ()
    paused: str | None = None

    @property
    def bumps(self) -> tuple[Bump, ...]:
        """Its bumps, track by track."""
        return tuple(bump for track in self.tracks for bump in track.bumps)


@dataclass(frozen=True, slots=True)
class Board:
    """All that the page shows, `mode` is `running`, `dry-run` or `stopped`; the newest event comes first."""

    mode: str
    heartbeat: Heartbeat
    repositories: tuple[Repository, ...] = ()
    events: tuple[Event, ...] = ()

    def bump(self, repository: str, base: str, track: str, tag: str | None = None) -> Bump | None:
        """Return the newest bump of a track, or the one to `tag`; None where there is none."""
        wanted = (repository.lower(), base, track)
        bumps = [it for repo in self.repositories for it in repo.bumps if it.key[:3] == wanted]
        return max((it for it in bumps if tag in {None, it.tag}), key=lambda it: it.at, default=None)


def public_link(url: str | None) -> str | None:
    """Return an address that everybody may follow, None for any other: https, or the own machine."""
    found = _ADDRESS.fullmatch(url or "")
    if found is None:
        return None
    return url if found["scheme"] == "https" or is_loopback(found["host"].strip("[]")) else None


def verdict_groups(
    judged: Iterable[tuple[VerdictKind, Sequence[Judged]]], *, internal: bool = False
) -> tuple[VerdictGroup, ...]:
    """Return the verdicts by kind; of an `internal` source nothing but how many there are."""
    return tuple(VerdictGroup(kind, len(rows), () if internal else tuple(rows)) for kind, rows in judged)


def golden_change(file: str, old: bytes | None, new: bytes | None) -> GoldenChange:
    """Return what becomes of a golden; a side that is absent (None) or no golden is a gap."""
    if old is None or new is None:
        return GoldenChange(file, gaps=(f"there is no {'old' if old is None else 'new'} golden",))
    before, after = read_golden(old), read_golden(new)
    if isinstance(before, BadGolden):
        return GoldenChange(file, gaps=(f"the old golden {before.reason}",))
    if isinstance(after, BadGolden):
        return GoldenChange(file, gaps=(f"the new golden {after.reason}",))
    found = compare(before, after)
    return GoldenChange(file, found.rows, panels(before, after), found.gaps)


def track_view(
    base: str, state: TrackState, platforms: Sequence[str] = (), newest: Release | None = None
) -> Track:
    """Return a track as the page shows it: of an image only the tag, for its registry may be internal."""
    pins = tuple(Pin(it.where, it.image.tag if it.image else None, it.problem) for it in state.pins)
    tag = state.image.tag if state.image else None
    return Track(base, state.track, tag, state.in_sync, pins, tuple(platforms), newest)


def followed(before: Bump | None, now: Bump) -> Bump:
    """Return a bump with the timeline of an earlier look at it, and a moment for each thing that changed.

    What was not looked at this time stays as it was: the goldens, and all but the reason where it stopped.
    """
    if before is None:
        return replace(now, timeline=tuple(_moments(None, now))[-TIMELINE:])
    if now.standing is Standing.STOPPED:
        now = replace(before, at=now.at, standing=now.standing, sentences=now.sentences, written=now.written)
    moments = (*before.timeline, *_moments(before, now))
    return replace(now, timeline=moments[-TIMELINE:], goldens=now.goldens or before.goldens)


def _moments(before: Bump | None, now: Bump) -> Iterable[Moment]:
    pull = now.pull_request.url if now.pull_request else None
    if before is None and not now.written:
        yield Moment(now.at, "bot", "seen", f"found the bump to {now.tag}", pull)
    for what in now.written:
        yield Moment(now.at, "bot", "written", f"wrote: {what}", pull)
    if now.run_url and now.run_url != (before.run_url if before else None):
        yield Moment(now.at, "CI", "run", "a run of the head", now.run_url)
    if now.verdicts and now.verdicts != (before.verdicts if before else ()):
        counts = ", ".join(f"{it.count} {it.kind}" for it in now.verdicts)
        yield Moment(now.at, "bot", "verdict", f"judged the run: {counts}", now.run_url, _proof(now.verdicts))
    if before is None or (before.standing, before.sentences) != (now.standing, now.sentences):
        yield from _turn(now, pull)


_TURNS: dict[Standing, tuple[str, MomentKind]] = {
    Standing.ASKING: ("bot", "asked"),
    Standing.READY: ("bot", "ready"),
    Standing.STOPPED: ("bot", "stopped"),
    Standing.MERGED: ("person", "closed"),
    Standing.CLOSED: ("person", "closed"),
}
"""Who brought a bump there, and what it is; waiting is no moment."""


def _turn(now: Bump, link: str | None) -> Iterable[Moment]:
    if now.standing in _TURNS:
        actor, kind = _TURNS[now.standing]
        yield Moment(now.at, actor, kind, str(now.standing), link, now.sentences)


_PROOF = 3
"""Lines of a run that stand in a timeline; all of them are in the table of verdicts."""


def _proof(groups: Sequence[VerdictGroup]) -> tuple[str, ...]:
    rows = [row for group in groups for row in group.rows if row.verdict.evidence]
    return tuple(f"{row.subject.name}: {row.verdict.evidence[0].text}" for row in rows[:_PROOF])
