"""`bot build`: the container of a clone, built on this machine, on the command line."""

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click

from bot import building, wiring
from bot.cli.build_diagnose import diagnosis_document, diagnosis_text
from bot.cli.result import Result
from bot.cli.selection import select
from bot.core.build import PLATFORMS, BuildOutcome, BuildRequest, PlatformBuild, Problem
from bot.core.errors import UsageError
from bot.core.markdown import one_line
from bot.core.smoke import SmokeCheck
from bot.flows.build import Built, build, prepare, try_images

Tried = Mapping[str, tuple[SmokeCheck, ...]]
"""The checks of each platform's image."""

_DONE, _NOT_SO, _REFUSED = 0, 1, 3


def run(
    *,
    track: str | None,
    checkout: str | None,
    builder: str | None,
    platform: Sequence[str],
    smoke: bool,
    target: str | None,
    no_cache: bool,
    network: str | None,
    timeout: int | None,
    dry_run: bool,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Build a track of a clone, for one platform or several."""
    if timeout is not None and timeout < 1:
        raise UsageError(
            "`--timeout` takes one minute or more", hint="leave it out to wait as long as it takes"
        )
    settings = wiring.settings(config)
    folder = checkout or "."
    selection = select(recipe=recipe, repo=repo, base=base, checkout=folder, default=settings.recipe)
    assert selection.clone is not None  # noqa: S101 - a folder was named
    name = selection.track(track)
    driver = building.docker_builder(settings, folder, network=network, minutes=timeout)
    builds = selection.recipe.builds
    request = prepare(
        selection.recipe,
        name,
        selection.clone,
        platforms=[PLATFORMS[it] for it in platform] or [driver.platform()],
        target=target,
        secrets=building.secret_names(builds.secrets.get(target or "", ()) if builds else ()),
        cache=not no_cache,
    )
    with until_terminated():
        show = progress(several=len(request.platforms) > 1)
        built = build(driver, request, show, dry_run=dry_run)
        tried: Tried = {}
        if smoke and builds and built.report:
            tried = try_images(driver, built.report, builds.smoke, show)
    good = _status(built) or int(any(it.state == "failed" for checks in tried.values() for it in checks))
    lines = [*_text(built, dry_run=dry_run), *_smoke_text(tried)]
    return Result(_document(builder or "docker", built, tried), "\n".join(lines), good)


def progress(*, several: bool) -> Any:
    """Return what shows each line on standard error; a log is outside text."""

    def show(platform: str, line: str) -> None:
        click.echo(f"{platform}  {one_line(line, 300)}" if several else one_line(line, 300), err=True)

    return show


@contextmanager
def until_terminated() -> Iterator[None]:
    """Let a request to end (SIGTERM) stop what was started, as an interrupt from the keyboard does."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _status(built: Built) -> int:
    if built.refused:
        return _REFUSED
    return _DONE if built.report is None or built.report.succeeded else _NOT_SO


def _document(builder: str, built: Built, tried: Tried) -> Mapping[str, Any]:
    return {
        "builder": builder,
        "outcome": _outcome(built),
        "request": _request(built.request),
        "problems": [_problem(it) for it in built.problems],
        "builds": [_build(it) for it in (built.report.builds if built.report else ())],
        "smoke": [
            {"platform": platform, "name": it.name, "state": it.state, "text": it.text}
            for platform, checks in tried.items()
            for it in checks
        ],
    }


def _outcome(built: Built) -> str:
    if built.refused:
        return "refused"
    if built.report is None:
        return "not started"
    bad = (it.outcome.value for it in built.report.builds if it.outcome is not BuildOutcome.SUCCEEDED)
    return next(bad, BuildOutcome.SUCCEEDED.value)


def _request(request: BuildRequest) -> Mapping[str, Any]:
    return {
        "base": str(request.base),
        "dockerfile": request.dockerfile,
        "target": request.target,
        "args": dict(request.args),
        "platforms": list(request.platforms),
        "folders": list(request.folders),
        "secrets": list(request.secrets),
        "tags": [request.tag_for(it) for it in request.platforms],
        "cache": request.cache,
    }


def _problem(problem: Problem) -> Mapping[str, Any]:
    return {"what": problem.what, "text": problem.text, "hint": problem.hint, "fatal": problem.fatal}


def _build(it: PlatformBuild) -> Mapping[str, Any]:
    return {
        "platform": it.platform,
        "outcome": it.outcome.value,
        "seconds": round(it.seconds, 1),
        "tag": it.tag,
        "image": it.image,
        "error": it.error or None,
        "diagnosis": diagnosis_document(it.diagnosis),
    }


def _text(built: Built, *, dry_run: bool) -> Iterator[str]:
    request = built.request
    yield f"{request.dockerfile}, stage {request.target}, from {request.base}"
    if dry_run:
        yield from (f"  --build-arg {name}={value}" for name, value in request.args.items())
        yield from (f"  --secret {name}" for name in request.secrets)
        yield f"  for {', '.join(request.platforms)}"
    for problem in built.problems:
        yield f"{'FAIL' if problem.fatal else 'note'} {problem.what}: {one_line(problem.text, 300)}"
        yield f"       -> {one_line(problem.hint, 300)}"
    for it in built.report.builds if built.report else ():
        yield f"{it.platform}: {it.outcome.value} after {it.seconds:.0f} s" + (
            f", {it.tag}" if it.image else ""
        )
        if it.outcome is BuildOutcome.SUCCEEDED:
            yield from (
                f"  stage {at.stage}: {at.steps} steps, {at.seconds:.0f} s" for at in it.diagnosis.stages
            )
        elif it.outcome is BuildOutcome.FAILED:
            yield from (f"  {line}" for line in diagnosis_text(it.diagnosis))
            yield from ([f"  {one_line(it.error, 300)}"] if it.error and not it.diagnosis.causes else [])
    if built.report is None:
        yield "nothing was built" + ("" if built.refused else ": this was a dry run")


def _smoke_text(tried: Tried) -> Iterator[str]:
    for platform, checks in tried.items():
        yield from (f"{platform}: {it.state:<7} {one_line(it.text, 300)}" for it in checks)
