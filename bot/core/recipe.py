"""Bump recipe text → `BumpRecipe`: strict, with every problem reported at once and with its line."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ValidationError, ValidationInfo, field_validator, model_validator

from bot.core.errors import UsageError
from bot.core.image import TagScheme
from bot.core.pins.errors import PinError
from bot.core.pins.formats import FORMATS
from bot.core.pins.site import PinSite, Shape
from bot.core.recipe_builds import Builds
from bot.core.recipe_problems import explain
from bot.core.recipe_results import Goldens, LabelProof, PipelineResults, Quarantine, Results
from bot.core.recipe_schedule import Schedule
from bot.core.recipe_slurm import SlurmJobs
from bot.core.recipe_types import (
    Count,
    Format,
    ImageName,
    Pattern,
    Platform,
    RecipeModel,
    RelativePath,
    RepositoryName,
    TagPattern,
    Title,
    TrackName,
    not_empty,
)
from bot.core.yaml_document import YamlProblem, read_document


class ShapeModel(RecipeModel):
    """How a pin's place looked on older branches."""

    where: Mapping[str, Any] = {}
    """Where the pins stand in this shape of the file; keys as the format says."""
    count: Count = 1
    """How many pins there have to be."""
    platforms: tuple[str, ...] = ()
    """The platforms that have to occur, each exactly once."""

    def shape(self) -> Shape:
        """Return the shape as a value."""
        return Shape(where=self.where, count=self.count, platforms=self.platforms)


def _misfits(name: str, shape: "ShapeModel | Pin") -> Iterator[str]:
    """Yield what in a shape is not as the format `name` wants it."""
    pin_format, where = FORMATS[name], shape.where
    missing = sorted(pin_format.KEYS - where.keys())
    unknown = sorted(where.keys() - pin_format.KEYS - pin_format.OPTIONAL_KEYS)
    yield from (f"needs `where.{key}`, as its format is `{name}`" for key in missing)
    yield from (f"has `where.{key}`, which format `{name}` does not know" for key in unknown)
    if not missing:
        yield from _unreadable(name, where)
    if shape.platforms and shape.count != len(shape.platforms):
        yield "has another `count` than it has `platforms`"
    if shape.platforms and "platform" not in where:
        yield "has `platforms`, and no `where.platform` that names the platform of a pin"


def _unreadable(name: str, where: Mapping[str, Any]) -> Iterator[str]:
    """Let the format read `where`; that the empty text has no pin is fine."""
    try:
        FORMATS[name].locate("", where)
    except PinError:
        return
    except UsageError as error:
        yield f"has a bad `where`: {error.message}"


class Pin(RecipeModel):
    """A place that names the image and has to move with the track."""

    path: RelativePath
    """The file."""
    format: Format
    """How the pin is found in it."""
    where: Mapping[str, Any] = {}
    """Where in the file; the keys depend on the format."""
    value: Literal["reference", "tag", "release"] = "reference"
    """What stands there: a whole reference, its tag, or the release `YY.MM` alone."""
    count: Count = 1
    """How many pins there have to be; anything else is refused."""
    platforms: tuple[str, ...] = ()
    """The platforms that have to occur, each exactly once."""
    older_shapes: tuple[ShapeModel, ...] = ()
    """How the same place looked on older branches; tried in order when `where` finds nothing."""

    @model_validator(mode="after")
    def _shapes_fit_the_format(self) -> "Pin":
        shapes: tuple[Pin | ShapeModel, ...] = (self, *self.older_shapes)
        problems = [problem for shape in shapes for problem in _misfits(self.format, shape)]
        if problems:
            raise ValueError("; ".join(dict.fromkeys(problems)))
        return self

    def site(self) -> PinSite:
        """Return the place as the pin formats take it."""
        return PinSite(
            path=self.path,
            format=self.format,
            where=self.where,
            form=self.value,
            count=self.count,
            platforms=self.platforms,
            shapes=tuple(shape.shape() for shape in self.older_shapes),
        )


class Report(RecipeModel):
    """A place that names the image and does not move with the track: it is only listed."""

    path: RelativePath
    """The file; each reference to the track's image in it is listed."""
    why: str
    """Why it stays."""


class Coupled(RecipeModel):
    """A pin of something that the image brings too: compared with the new image, never edited."""

    name: str
    """What is pinned, such as `NCCL`."""
    path: RelativePath
    """The file."""
    pattern: Pattern
    """A regular expression; `(?P<pin>…)` is the whole pin, further named groups are its parts."""
    against: Annotated[Mapping[str, str], AfterValidator(not_empty)]
    """For the pin or each part, the variable in the image's environment that it has to agree with."""

    @model_validator(mode="after")
    def _parts_are_groups(self) -> "Coupled":
        for part in self.against:
            if part not in re.compile(self.pattern).groupindex:
                raise ValueError(f"has `against.{part}`, which is no named group of the pattern")
        return self


class Track(RecipeModel):
    """One line of images that moves together, such as `dev` or `lts`."""

    image: ImageName
    """The image, without tag."""
    tag: TagPattern
    """The form of its tags: `YY` and `MM` are the release, `*` a version that the registry knows."""
    platforms: tuple[Platform, ...] = ("linux/amd64", "linux/arm64")
    """The platforms that a tag has to offer before the track moves to it."""
    pins: Annotated[tuple[Pin, ...], AfterValidator(not_empty)]
    """The places that move."""
    report: tuple[Report, ...] = ()
    """The places that are listed and stay; one that is absent on a branch is a notice."""
    coupled: tuple[Coupled, ...] = ()
    """The pins that are compared with the new image; one that is absent on a branch is a notice."""
    title: Title
    """Title of the pull request and subject of the commit; `{tag}` is the new tag."""
    labels: tuple[str, ...] = ()
    """Labels of the pull request, set before anything can start CI."""
    conflicting_labels: tuple[str, ...] = ()
    """Labels that make CI do something else; reported when somebody sets one."""
    label_proof: LabelProof | None = None
    """How a log shows that CI saw the labels."""

    @model_validator(mode="after")
    def _releases_can_be_computed(self) -> "Track":
        if not self.scheme.is_computed and any(pin.value == "release" for pin in self.pins):
            raise ValueError("has a pin with `value: release`, from which the `*` of `tag` does not follow")
        return self

    @property
    def scheme(self) -> TagScheme:
        """The form of the track's tags."""
        return TagScheme(self.tag)

    @property
    def sites(self) -> tuple[PinSite, ...]:
        """The places that move, as the pin formats take them."""
        return tuple(pin.site() for pin in self.pins)

    @property
    def pin_paths(self) -> tuple[str, ...]:
        """The files that the bot edits, each once."""
        return tuple(dict.fromkeys(pin.path for pin in self.pins))

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file that the track names, each once."""
        return tuple(dict.fromkeys((*self.pin_paths, *self.listed_paths)))

    @property
    def listed_paths(self) -> tuple[str, ...]:
        """The files that the bot only reads, each once."""
        reported = (place.path for place in self.report)
        coupled = (place.path for place in self.coupled)
        return tuple(dict.fromkeys((*reported, *coupled)))


class PullRequests(RecipeModel):
    """How pull requests are opened in the repository."""

    template: RelativePath | None = None
    """The repository's template; it is kept, with the bot's text above it."""
    author: Literal["any", "user"] = "any"
    """`user` where a pull request of an App is not treated as one of the team."""
    author_why: str = ""
    """What happens otherwise."""
    approval: Literal["none", "copy-pr-bot"] = "none"
    """Who has to be asked to run CI on a commit: copy-pr-bot takes `/ok to test <sha>`."""
    teams: tuple[str, ...] = ()
    """Teams (`ORG/SLUG`) that the bot's user has to be in, checked by `bot doctor`."""


class GitLab(RecipeModel):
    """The project on GitLab that mirrors the repository."""

    project: str
    """Its path or number."""
    branches: tuple[str, ...]
    """The branches whose pins `bot check --gitlab` reads."""
    results: PipelineResults | None = None
    """How the results of its pipelines are read."""


class BumpRecipe(RecipeModel):
    """Everything the bot knows about one repository."""

    name: str
    """The file's name; set by the bot."""
    repository: RepositoryName
    """`OWNER/NAME` on GitHub."""
    base: str = "main"
    """The branch to bump unless another is named."""
    fingerprint: tuple[RelativePath, ...] = ()
    """Files that, all together, tell a clone of this repository when its remotes do not."""
    tracks: Annotated[Mapping[TrackName, Track], AfterValidator(not_empty)]
    """The tracks, by name."""
    pull_requests: PullRequests = PullRequests()
    """How pull requests are opened."""
    results: Results | None = None
    """How the results of its CI are read."""
    goldens: Goldens | None = None
    """Where its golden values lie."""
    quarantine: Quarantine | None = None
    """How a test is taken out of the gate."""
    builds: Builds | None = None
    """How its container is built."""
    slurm: SlurmJobs | None = None
    """How programs run in its container on a Slurm cluster."""
    gitlab: GitLab | None = None
    """The mirror on GitLab, if there is one."""
    schedule: Schedule | None = None
    """When a track moves by itself; never, unless told."""

    @field_validator("schedule")
    @classmethod
    def _schedule_names_a_track(cls, value: Schedule | None, info: ValidationInfo) -> Schedule | None:
        if value and value.track not in info.data.get("tracks", (value.track,)):
            raise ValueError(f"has `track: {value.track}`, and there is no such track")
        return value

    def track(self, name: str) -> Track:
        """Return a track. Raises UsageError, with the names there are."""
        if name not in self.tracks:
            raise UsageError(
                f"recipe `{self.name}` has no track `{name}`", hint=f"it has: {', '.join(self.tracks)}"
            )
        return self.tracks[name]


def parse_recipe(text: str, *, name: str, path: str) -> BumpRecipe:
    """Return the bump recipe that `text` is; `path` is what messages call the file.

    Raises UsageError that lists every problem with its line.
    """
    try:
        document = read_document(text)
    except YamlProblem as problem:
        raise UsageError(problem.message, path=path, line=problem.line) from problem
    if not isinstance(document.value, dict):
        raise UsageError("a bump recipe is a mapping", path=path, line=1)
    named = document.line(("name",)), "`name` is the file's name and is not written"
    problems = [named] if "name" in document.value else []
    try:
        recipe = BumpRecipe.model_validate(document.value | {"name": name})
    except ValidationError as error:
        raise _refused([*problems, *explain(error, document, BumpRecipe)], path) from error
    if problems:
        raise _refused(problems, path)
    return recipe


def _refused(problems: list[tuple[int, str]], path: str) -> UsageError:
    hint = "recipes/README.md documents every key"
    if len(problems) == 1:
        ((line, sentence),) = problems
        return UsageError(sentence, path=path, line=line, hint=hint)
    lines = "".join(f"\n  {path}:{line}: {sentence}" for line, sentence in sorted(problems))
    return UsageError(f"{len(problems)} problems in the recipe:{lines}", hint=hint)
