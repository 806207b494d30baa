"""`bot lock`: uv in the container, on the command line."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot import building, wiring
from bot.cli.build import progress, until_terminated
from bot.cli.build_diagnose import diagnosis_document, diagnosis_text
from bot.cli.result import Result
from bot.cli.selection import select
from bot.core.build import build_request, dockerfiles
from bot.core.errors import Refused
from bot.core.lock import checked_package, commit_message
from bot.core.markdown import one_line
from bot.flows.build import base_image
from bot.flows.lock import Locked, lock


def run(
    *,
    track: str | None,
    checkout: str | None,
    resolve_conflict: bool,
    add: str | None,
    network: str | None,
    dry_run: bool,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Lock a clone in place."""
    if checkout is None:
        raise Refused(
            "a lock is only written into a clone so far, not onto a pull request",
            hint="name the clone with `--checkout DIR`, then commit what changed",
        )
    package = checked_package(add) if add else ""
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, checkout=checkout, default=settings.recipe)
    assert selection.clone is not None  # noqa: S101 - a folder was named
    name = selection.track(track)
    driver = building.docker_builder(settings, checkout, network=network, minutes=None)
    image = base_image(selection.recipe, name, selection.clone)
    files = selection.clone.read(dockerfiles(selection.recipe, name))
    platform = driver.platform()
    request = build_request(selection.recipe, name, image, files, platforms=[platform])
    chosen = driver.first_at_hand([request.tag_for(platform), str(image)])
    revisions = [f"{remote}/{selection.base}" for remote in ("upstream", "origin")] + [selection.base]
    with until_terminated():
        locked = lock(
            selection.recipe,
            name,
            selection.clone,
            driver,
            chosen,
            on_line=progress(several=False),
            package=package,
            revisions=revisions if resolve_conflict else (),
            dry_run=dry_run,
        )
    message = commit_message(package) if package else None
    text = "\n".join(_text(locked, chosen, message, dry_run=dry_run))
    return Result(_document(locked, chosen, message), text, 0 if _is_good(locked) else 1)


def _is_good(locked: Locked) -> bool:
    return locked.result is not None and locked.result.in_sync and not locked.result.gone


def _document(locked: Locked, image: str, message: str | None) -> Mapping[str, Any]:
    result = locked.result
    return {
        "image": image,
        "changed": sorted(result.files) if result else [],
        "in_sync": result.in_sync if result else None,
        "gone": [
            {"package": it.package, "url": it.url, "sha": it.sha} for it in (result.gone if result else ())
        ],
        "message": message,
        "failure": locked.why or None,
        "diagnosis": diagnosis_document(locked.diagnosis) if locked.diagnosis else None,
    }


def _text(locked: Locked, image: str, message: str | None, *, dry_run: bool) -> Iterator[str]:
    result = locked.result
    if result is None:
        yield f"nothing was written: {locked.why} in `{image}`"
        yield from diagnosis_text(locked.diagnosis) if locked.diagnosis else ()
        return
    wrote = "would change" if dry_run else "changed"
    yield from (f"{wrote} {path}" for path in sorted(result.files))
    if not result.files:
        yield "uv.lock is as it should be"
    if not result.in_sync:
        yield "`uv sync --locked` does not take it for the extras and groups of the Dockerfile"
    for it in result.gone:
        yield f"gone: {one_line(it.package)} at {it.sha} is no longer in {one_line(it.url)}"
    if message and result.files:
        yield f'commit it with: git commit -s -m "{message}" -- pyproject.toml uv.lock'
