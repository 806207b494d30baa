"""`bot unquarantine`: puts a test back into the gate."""

from bot import wiring
from bot.cli.quarantine_common import document, is_dry_run, needs_clone, text
from bot.cli.result import Result
from bot.cli.selection import select
from bot.core.testrecipes.request import UnquarantineRequest
from bot.core.testrecipes.target import parse_platform, parse_target
from bot.flows.quarantine import unquarantine_checkout


def run(
    *,
    test: str,
    platform: str | None,
    track: str | None,
    checkout: str | None,
    dry_run: bool,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Put `test` back, and hand back what was changed."""
    settings = wiring.settings(config)
    target = parse_target(test)
    named = parse_platform(platform) if platform else None
    selection = select(recipe=recipe, repo=repo, base=base, checkout=checkout, default=settings.recipe)
    dry_run = is_dry_run(settings, asked=dry_run)
    clone = needs_clone(selection)
    request = UnquarantineRequest(target, named, selection.track(track))
    plan = unquarantine_checkout(selection.recipe, request, clone, dry_run=dry_run)
    return Result(document(plan, issue=None), text(plan, "nothing to do: the test runs", dry_run=dry_run))
