"""A track's files → what its pins say, and what has to change to move them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.core.coupled import compare
from bot.core.edits import FileEdit, unified_diff
from bot.core.errors import Refused
from bot.core.image import ImageRef, Release, TagScheme, find_images
from bot.core.pins import regex
from bot.core.pins.rewrite import SiteReading, inspect, rewrite
from bot.core.pins.site import PinSite
from bot.core.pins.span import line_of
from bot.core.pins.value import stands_at
from bot.core.recipe import Coupled, Report, Track

Files = Mapping[str, bytes | None]
"""Each file's exact bytes by path; None where there is no such file."""

Policy = Literal["edit", "report", "coupled"]


@dataclass(frozen=True, slots=True)
class SiteState:
    """One place that names the image.

    `problem` says why it is not as the recipe wants it, `hint` what to do about that. `hold` is the line and
    the text of a comment that asks to leave a pin alone; `note` is what the recipe says of a listed place.
    """

    path: str
    line: int | None
    value: str | None
    policy: Policy
    problem: str | None = None
    image: ImageRef | None = None
    platform: str | None = None
    hold: tuple[int, str] | None = None
    hint: str | None = None
    note: str | None = None

    @property
    def where(self) -> str:
        """`path:line`, or the path alone."""
        return self.path if self.line is None else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class TrackState:
    """What the files say of one track. `image` is the one image that all pins name, or None."""

    track: str
    image: ImageRef | None
    sites: tuple[SiteState, ...]
    notices: tuple[str, ...] = ()

    @property
    def pins(self) -> tuple[SiteState, ...]:
        """The sites that move."""
        return tuple(site for site in self.sites if site.policy == "edit")

    @property
    def in_sync(self) -> bool:
        """Whether every pin is as the recipe says and all name one image."""
        return self.image is not None and not any(site.problem for site in self.sites)

    def expecting(self, tag: str) -> "TrackState":
        """Return the state with a problem at each pin that is sound and not at `tag`."""

        def judged(site: SiteState) -> SiteState:
            if site.policy != "edit" or site.problem or site.image is None or site.image.tag == tag:
                return site
            return replace(site, problem=f"holds `{site.image.tag}`, expected `{tag}`")

        return replace(self, sites=tuple(judged(site) for site in self.sites))


@dataclass(frozen=True, slots=True)
class Plan:
    """What moves a track to `after`. Without edits every pin is there already.

    `before` is the image of the first pin that still has to move. `concerns` are what a person should
    look at, `listed` the places that name the image and stay.
    """

    track: str
    before: ImageRef
    after: ImageRef
    edits: tuple[FileEdit, ...]
    concerns: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()

    @property
    def notices(self) -> tuple[str, ...]:
        """Everything that is said beside the edits, the most important first."""
        return (*self.concerns, *self.listed)

    @property
    def diff(self) -> str:
        """The edits as a unified diff."""
        return unified_diff(self.edits)

    @property
    def files(self) -> Mapping[str, bytes]:
        """The edited files, as bytes."""
        return {edit.path: edit.after.encode() for edit in self.edits}


_MOVED_ON = "the repository has moved on: update the bump recipe"


def read_track(name: str, track: Track, files: Files) -> TrackState:
    """Return what `files` say of a track; every defect is a value, nothing is raised."""
    pins = [state for site in track.sites for state in _read_site(site, track, files)]
    pins = _compare_pins(pins, track.scheme)
    images = {state.image.plain() for state in pins if state.image}
    listed = [(place.path, "the image", _read_report(place, track, files)) for place in track.report]
    listed += [(place.path, place.name, _read_coupled(place, files)) for place in track.coupled]
    moved = {(pin.path, pin.line) for pin in pins}
    absent = (_absence(path, what, files) for path, what, states in listed if not states)
    return TrackState(
        track=name,
        image=images.pop() if len(images) == 1 else None,
        # A pin that moves is not listed as a place that stays, though its file may be named for another one.
        sites=(*pins, *(it for _, _, states in listed for it in states if (it.path, it.line) not in moved)),
        notices=tuple(dict.fromkeys(absent)),
    )


def _absence(path: str, what: str, files: Files) -> str:
    missing = files.get(path) is None
    return f"{path} is not on this branch" if missing else f"{path} does not name {what} on this branch"


def _read_site(site: PinSite, track: Track, files: Files) -> list[SiteState]:
    raw = files.get(site.path)
    if raw is None:
        return [SiteState(site.path, None, None, "edit", "the file is missing", hint=_MOVED_ON)]
    text = _decode(raw)
    if text is None:
        return [SiteState(site.path, None, None, "edit", "the file is not UTF-8", hint="save it as UTF-8")]
    return _site_states(site, inspect(text, site, track.image, track.scheme))


def _site_states(site: PinSite, reading: SiteReading) -> list[SiteState]:
    pins = [
        SiteState(
            site.path, pin.line, pin.value, "edit", pin.problem, pin.image, pin.platform, pin.hold, pin.hint
        )
        for pin in reading.pins
    ]
    defects = [
        SiteState(site.path, problem.line, None, "edit", problem.message, hint=problem.hint)
        for problem in reading.problems
    ]
    return pins + defects


def _read_report(place: Report, track: Track, files: Files) -> list[SiteState]:
    text = _decode(files.get(place.path) or b"") or ""
    # A line may name the image twice, as a link does.
    found = dict.fromkeys((line_of(text, at), image) for at, image in find_images(text, track.image))
    return [
        SiteState(place.path, line, str(image), "report", image=image, note=place.why)
        for line, image in found
    ]


def _read_coupled(place: Coupled, files: Files) -> list[SiteState]:
    text = _decode(files.get(place.path) or b"") or ""
    found = regex.groups(text, {"pattern": place.pattern})
    return [
        SiteState(place.path, line_of(text, pin.span.start), pin.span.of(text), "coupled", note=place.name)
        for pin, _ in found
    ]


def _decode(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _compare_pins(pins: Sequence[SiteState], scheme: TagScheme) -> list[SiteState]:
    """Give each sound pin that lags behind another one a problem that names the other."""
    sound = [pin for pin in pins if pin.image and not pin.problem]
    if not sound:
        return list(pins)
    newest = max(sound, key=lambda pin: (scheme.release(_tag(pin)) or _NO_RELEASE, _has_digest(pin)))

    def judged(pin: SiteState) -> SiteState:
        if pin.problem or pin.image is None or newest.image is None:
            return pin
        if pin.image.tag != newest.image.tag:
            return replace(
                pin, problem=f"holds `{pin.image.tag}` while {newest.where} holds `{newest.image.tag}`"
            )
        if pin.image.digest and newest.image.digest and pin.image.digest != newest.image.digest:
            return replace(pin, problem=f"holds another digest than {newest.where}")
        return pin

    return [judged(pin) for pin in pins]


_NO_RELEASE = Release(0, 0)


def _tag(pin: SiteState) -> str:
    return (pin.image.tag if pin.image else None) or ""


def _has_digest(pin: SiteState) -> bool:
    return bool(pin.image and pin.image.digest)


def plan_bump(
    name: str,
    track: Track,
    files: Files,
    target: ImageRef,
    environment: Mapping[str, str] | None = None,
) -> Plan:
    """Return the edits that move every pin of a track to `target`.

    `environment` is the new image's, for the coupled pins. Raises Refused, with every reason at
    once, when a pin is not as the recipe says, is held by a comment or is newer than the target, and
    when pins of one site that still have to move do not agree.
    """
    state = read_track(name, track, files)
    moving = [pin for pin in state.pins if pin.image is None or not stands_at(pin.image, target)]
    _refuse_defects(state)
    _refuse_holds(moving)
    _refuse_newer(moving, track, target)
    edits = _edits(track, files, target) if moving else ()
    before = next((pin.image.plain() for pin in moving if pin.image), target.plain())
    coupled = (text for place in track.coupled for text in _concerns(place, files, environment))
    listed = (
        f"{site.where} names `{site.value}` and stays: {site.note}"
        for site in state.sites
        if site.policy == "report"
    )
    concerns = (*_skew(moving), *coupled)
    return Plan(name, before, target, edits, concerns, (*dict.fromkeys(listed), *state.notices))


def _refuse_defects(state: TrackState) -> None:
    # A pin that merely lags behind another one is what a bump mends.
    defects = [site for site in state.pins if site.problem and site.image is None]
    if defects:
        raise _refused("the pins are not as the recipe says", defects)


def _refused(what: str, sites: Sequence[SiteState], hint: str | None = None) -> Refused:
    first = sites[0]
    if len(sites) == 1:
        return Refused(f"{first.problem}", path=first.path, line=first.line, hint=hint or first.hint)
    reasons = "\n".join(f"  {site.where}: {site.problem}" for site in sites)
    hints = dict.fromkeys(site.hint for site in sites if site.hint)
    return Refused(f"{what}:\n{reasons}", hint=hint or "; ".join(hints) or None)


def _refuse_holds(moving: Sequence[SiteState]) -> None:
    held = [
        replace(pin, line=pin.hold[0], problem=f"a comment holds this pin: `{pin.hold[1]}`")
        for pin in moving
        if pin.hold
    ]
    if held:
        raise _refused(
            "comments hold these pins", held, hint="settle what the comment says and remove it first"
        )


def _refuse_newer(moving: Sequence[SiteState], track: Track, target: ImageRef) -> None:
    wanted = track.scheme.release(target.tag or "")
    newer = [
        replace(pin, problem=f"`{pin.image.tag}` is newer than `{target.tag}`")
        for pin in moving
        if pin.image and wanted and (track.scheme.release(pin.image.tag or "") or wanted) > wanted
    ]
    if newer:
        raise _refused(
            "the bot never moves a pin back", newer, hint="to go back, revert the pull request that bumped"
        )


def _skew(moving: Sequence[SiteState]) -> Iterator[str]:
    # Rows of one site that disagree are refused by `rewrite`. Sites are independent lanes: one that fell
    # behind is brought along, and said.
    if len({_tag(pin) for pin in moving}) > 1:
        held = ", ".join(f"{pin.where} held `{_tag(pin)}`" for pin in moving)
        yield f"the pins disagreed before: {held}"


def _edits(track: Track, files: Files, target: ImageRef) -> tuple[FileEdit, ...]:
    edits: dict[str, FileEdit] = {}
    for site in track.sites:
        before = (files[site.path] or b"").decode()
        so_far = edits.get(site.path) or FileEdit(site.path, before, before, ())
        done = rewrite(so_far.after, site, track.image, track.scheme, target)
        lines = tuple(sorted({*so_far.lines, *done.lines}))
        edits[site.path] = FileEdit(site.path, before, done.text, lines)
    return tuple(edit for edit in edits.values() if edit.after != edit.before)


def _concerns(place: Coupled, files: Files, environment: Mapping[str, str] | None) -> Iterator[str]:
    text = _decode(files.get(place.path) or b"") or ""
    for pin, parts in regex.groups(text, {"pattern": place.pattern}):
        where = f"{place.path}:{line_of(text, pin.span.start)}"
        if environment is None:
            yield f"{where}: compare {place.name} `{pin.span.of(text)}` with what the new image brings"
            continue
        found = {**parts, "pin": pin.span.of(text)}
        findings = compare(place.name, found, place.against, environment)
        yield from (f"{where}: {finding.text}" for finding in findings if finding.verdict != "agrees")
