"""Pin sites, read and moved: every defect as a value for `check`, as an error before anything is written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from bot.core.image import ImageRef, TagScheme
from bot.core.pins.errors import PinError
from bot.core.pins.formats import FORMATS
from bot.core.pins.hold import hold_comment
from bot.core.pins.pin import Pin
from bot.core.pins.site import PinSite, Shape
from bot.core.pins.span import Span, line_of, splice
from bot.core.pins.value import read_value, stands_at, write_value

_MOVED_ON = "the file has moved on: update the bump recipe"


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a site; `line` is None where no line shows it."""

    line: int | None
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class ReadPin:
    """A pin as it was read: its value as written, and the image it stands for or the problem with it.

    `hold` is the line and the text of a comment that asks to leave the pin alone.
    """

    span: Span
    line: int
    value: str
    image: ImageRef | None
    platform: str | None
    hold: tuple[int, str] | None
    problem: str | None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class SiteReading:
    """All that a file says at one site.

    `shape` is the shape that the pins were found in, `problems` are those of the site as a whole.
    """

    shape: Shape
    pins: tuple[ReadPin, ...]
    problems: tuple[Problem, ...]

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """The problems of the site and then those of its pins."""
        return (
            *self.problems,
            *(Problem(pin.line, pin.problem, pin.hint) for pin in self.pins if pin.problem),
        )


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text with every pin at the new image.

    `lines` are the lines that changed, from 1. `before` is what each pin said, in the order of the text.
    """

    text: str
    lines: tuple[int, ...]
    before: tuple[ImageRef, ...]


def inspect(text: str, site: PinSite, image_name: str, scheme: TagScheme) -> SiteReading:
    """Return the pins of a site and everything that is not as the recipe says.

    `image_name` is the recipe's `host/repository`, `scheme` the form of its tags. Pins that disagree
    are no problem of one site: they are compared over all sites of a track. Raises only UsageError,
    for a recipe whose `where` makes no sense.
    """
    try:
        shape, pins = _find(text, site)
    except PinError as error:
        problem = Problem(error.line, error.message, error.hint)
        return SiteReading(site.main_shape, (), (problem,))
    read = tuple(_read(text, pin, site, image_name, scheme) for pin in pins)
    return SiteReading(shape, read, (*_miscounted(shape, read), *_misplaced(shape, read)))


def rewrite(text: str, site: PinSite, image_name: str, scheme: TagScheme, new: ImageRef) -> Rewritten:
    """Return `text` with every pin of the site moved to `new`; pins that are there already stay untouched.

    Raises PinError with path and line, and changes nothing, unless the site is as the recipe says, the
    pins that move agree, and the result reads back as `new` with exactly the planned lines changed.
    """
    reading = inspect(text, site, image_name, scheme)
    if reading.all_problems:
        raise _refusal(site, reading.all_problems)
    read = [(pin, pin.image) for pin in reading.pins if pin.image]
    moving = [(pin, image) for pin, image in read if not stands_at(image, new)]
    _refuse_disagreement(site, moving)
    after = _moved(text, site, [pin for pin, _ in moving], scheme, new)
    lines = tuple(sorted({pin.line for pin, _ in moving}))
    reread = inspect(after, _as_found(site, reading.shape), image_name, scheme)
    if _changed_lines(text, after) != lines or not _reads_as(reread, new):
        line = lines[0] if lines else None
        raise PinError(f"the pin does not read back as `{new}`", path=site.path, line=line, hint=_MOVED_ON)
    return Rewritten(after, lines, tuple(image for _, image in read))


def _find(text: str, site: PinSite) -> tuple[Shape, tuple[Pin, ...]]:
    locate = FORMATS[site.format].locate
    for shape in (site.main_shape, *site.shapes):
        if pins := locate(text, shape.where):
            return shape, pins
    return site.main_shape, ()


def _read(text: str, pin: Pin, site: PinSite, image_name: str, scheme: TagScheme) -> ReadPin:
    value, line = pin.span.of(text), line_of(text, pin.span.start)
    image, problem, hint = None, None, None
    try:
        image = read_value(value, site.form, image_name, scheme)
    except PinError as error:
        problem, hint = error.message, error.hint
    return ReadPin(pin.span, line, value, image, pin.platform, hold_comment(text, pin), problem, hint)


def _miscounted(shape: Shape, pins: tuple[ReadPin, ...]) -> Iterator[Problem]:
    if len(pins) != shape.count:
        line = pins[0].line if pins else None
        wanted = f"{shape.count} pin" if shape.count == 1 else f"{shape.count} pins"
        sought = "" if pins else _sought(shape)
        yield Problem(line, f"expected {wanted}, found {len(pins) or 'none'}{sought}", _MOVED_ON)


def _sought(shape: Shape) -> str:
    """Return where no pin was found, as the recipe has it."""
    places = (f"{key} {_shown(value)}" for key, value in shape.where.items())
    return f" at {', '.join(places)}" if shape.where else ""


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return " and ".join(f"`{key}: {text}`" for key, text in value.items())
    return f"`{' / '.join(map(str, value))}`" if isinstance(value, list | tuple) else f"`{value}`"


def _misplaced(shape: Shape, pins: tuple[ReadPin, ...]) -> Iterator[Problem]:
    """Yield what is wrong with the platforms; where there is no pin at all, that is said already."""
    if not shape.platforms or not pins:
        return
    lines: dict[str | None, list[int]] = {platform: [] for platform in shape.platforms}
    for pin in pins:
        lines.setdefault(pin.platform, []).append(pin.line)
    for platform, found in lines.items():
        if platform is None:
            yield Problem(found[0], "the pin names no platform", _MOVED_ON)
        elif platform not in shape.platforms:
            yield Problem(found[0], f"platform `{platform}` is not in the bump recipe", _MOVED_ON)
        elif len(found) != 1:
            yield Problem(
                found[-1] if found else pins[0].line,
                f"expected one pin of platform `{platform}`, found {len(found) or 'none'}",
                _MOVED_ON,
            )


def _refusal(site: PinSite, problems: tuple[Problem, ...]) -> PinError:
    first, *others = problems
    more = "".join(f"; {f'line {other.line}: ' if other.line else ''}{other.message}" for other in others)
    return PinError(f"{first.message}{more}", path=site.path, line=first.line, hint=first.hint)


def _refuse_disagreement(site: PinSite, moving: Sequence[tuple[ReadPin, ImageRef]]) -> None:
    tags = {image.tag: pin.line for pin, image in reversed(moving)}
    digests = {image.digest: pin.line for pin, image in reversed(moving) if image.digest}
    for values in (tags, digests):
        if len(values) > 1:
            lines = sorted((line, value) for value, line in values.items())
            said = " and ".join(f"`{value}` in line {line}" for line, value in lines)
            hint = "bring them to one image by hand"
            raise PinError(f"pins disagree: {said}", path=site.path, line=lines[0][0], hint=hint)


def _moved(text: str, site: PinSite, moving: Sequence[ReadPin], scheme: TagScheme, new: ImageRef) -> str:
    try:
        return splice(text, [(pin.span, _written(pin, site, scheme, new)) for pin in moving])
    except PinError as error:
        raise PinError(error.message, path=site.path, line=error.line, hint=error.hint) from error


def _written(pin: ReadPin, site: PinSite, scheme: TagScheme, new: ImageRef) -> str:
    try:
        return write_value(pin.value, site.form, new, scheme)
    except PinError as error:
        raise PinError(error.message, line=pin.line, hint=error.hint) from error


def _as_found(site: PinSite, shape: Shape) -> PinSite:
    return replace(site, where=shape.where, count=shape.count, platforms=shape.platforms, shapes=())


def _reads_as(reading: SiteReading, new: ImageRef) -> bool:
    return not reading.all_problems and all(pin.image and stands_at(pin.image, new) for pin in reading.pins)


def _changed_lines(before: str, after: str) -> tuple[int, ...]:
    pairs = zip_longest(before.split("\n"), after.split("\n"))
    return tuple(number for number, (old, new) in enumerate(pairs, start=1) if old != new)
