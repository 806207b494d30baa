"""`bot doctor`: what is missing, and why it matters."""

from collections.abc import Callable, Iterator
from functools import partial

from bot import wiring
from bot.cli.result import Result
from bot.cli.selection import Selection, select
from bot.core.doctor import Check, gitlab_check, identity_checks, one_team_is_enough, remote_check
from bot.core.errors import BotError
from bot.settings import Settings


def run(
    *, remote: bool, recipe: str | None, repo: str | None, base: str | None, config: str | None
) -> Result:
    """Look at the settings, and with `remote` at the services too."""
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, default=settings.recipe)
    checks = tuple(_local(selection, settings))
    if remote:
        checks = one_team_is_enough((*checks, *_remote(selection, settings)))
    document = {"checks": [{"name": it.name, "ok": it.ok, "why": it.why, "fix": it.fix} for it in checks]}
    failed = any(check.ok is False for check in checks)
    return Result(document, "\n".join(_line(check) for check in checks), 1 if failed else 0)


def _local(selection: Selection, settings: Settings) -> Iterator[Check]:
    yield Check("bump recipe", ok=True, why=f"`{selection.recipe.name}` for {selection.recipe.repository}")
    yield _tried(
        "ledger",
        "the bot could not tell its own commits from others",
        lambda: wiring.ledger(settings).close(),
    )
    yield from identity_checks(selection.recipe, settings.roles)
    yield from gitlab_check(selection.recipe, configured=settings.gitlab_url is not None)


def _remote(selection: Selection, settings: Settings) -> Iterator[Check]:
    recipe = selection.recipe
    if settings.roles:
        for what, state, detail in wiring.examine_github(settings, recipe, selection.base):
            yield remote_check(what, detail, state=state)
    registry = wiring.registry(settings)
    for image in dict.fromkeys(track.image for track in recipe.tracks.values()):
        yield _tried(f"registry {image}", "no tag can be verified", partial(registry.tags, image))
    if recipe.gitlab and settings.gitlab_url:
        branch = wiring.gitlab_branch(settings, recipe.gitlab.project, recipe.gitlab.branches[0])
        paths = next(iter(recipe.tracks.values())).pin_paths
        yield _tried(
            f"GitLab project {recipe.gitlab.project}",
            "a mirror that drifted is not seen",
            partial(branch.read, paths),
        )


def _tried(name: str, without: str, act: Callable[[], object]) -> Check:
    try:
        act()
    except BotError as error:
        return Check(name, ok=False, why=f"{error}: {without}", fix=error.hint or "")
    return Check(name, ok=True, why="works")


def _line(check: Check) -> str:
    mark = {True: "ok     ", False: "MISSING", None: "unknown"}[check.ok]
    fix = f"\n        -> {check.fix}" if check.fix else ""
    return f"{mark} {check.name}: {check.why}{fix}"
