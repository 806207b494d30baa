"""A build of a clone: from its pins to a request, through the preflight, to a report."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.build_ports import Builder, Containers, OnLine
from bot.core.build import BuildReport, BuildRequest, Problem, build_request, dockerfiles
from bot.core.errors import Refused, ServiceError
from bot.core.image import ImageRef
from bot.core.recipe import BumpRecipe
from bot.core.recipe_builds import Smoke
from bot.core.smoke import SmokeCheck, smoke_checks, smoke_request
from bot.flows.check import check_source
from bot.ports import Sources


@dataclass(frozen=True, slots=True)
class Built:
    """What became of a build: `report` is None where the preflight, or a dry run, kept it from starting."""

    request: BuildRequest
    problems: tuple[Problem, ...]
    report: BuildReport | None = None

    @property
    def refused(self) -> bool:
        """Whether the build would surely have failed."""
        return any(it.fatal for it in self.problems)


def prepare(
    recipe: BumpRecipe,
    track: str,
    source: Sources,
    *,
    platforms: Sequence[str],
    target: str | None = None,
    secrets: Collection[str] = (),
    cache: bool = True,
) -> BuildRequest:
    """Return the request for a branch as it stands. Raises Refused where its pins do not agree."""
    files = source.read(dockerfiles(recipe, track))
    return build_request(
        recipe,
        track,
        base_image(recipe, track, source),
        files,
        platforms=platforms,
        target=target,
        secrets=secrets,
        cache=cache,
    )


def base_image(recipe: BumpRecipe, track: str, source: Sources) -> ImageRef:
    """Return the image that the pins of a track name. Raises Refused where they do not agree."""
    state = check_source(recipe, source, [track], {}).tracks[0]
    if state.image is None or not state.in_sync:
        raise Refused(
            f"the pins of track `{track}` do not name one image",
            hint=f"`bot check --track {track}` shows each of them",
        )
    return state.image


def build(builder: Builder, request: BuildRequest, on_line: OnLine, *, dry_run: bool = False) -> Built:
    """Build what the preflight does not keep from being built; a dry run ends with the preflight.

    Raises ServiceError when the builder cannot be asked.
    """
    problems = builder.preflight(request)
    for problem in problems:
        if problem.what == "daemon" and problem.fatal:
            raise ServiceError(problem.text, hint=problem.hint)
    built = Built(request, problems)
    if dry_run or built.refused:
        return built
    return Built(request, problems, builder.build(request, on_line))


def try_images(
    containers: Containers, report: BuildReport, smoke: Smoke, on_line: OnLine
) -> Mapping[str, tuple[SmokeCheck, ...]]:
    """Return the checks of each platform's image; what was not built is not tried."""
    gpu = containers.has_gpus()
    checks = {}
    for it in report.builds:
        if it.image:
            asked = replace(smoke_request(it.image, smoke, gpu=gpu), platform=it.platform)
            done = containers.run(asked, on_line)
            checks[it.platform] = smoke_checks(done.tail, smoke, gpu=gpu)
    return checks
