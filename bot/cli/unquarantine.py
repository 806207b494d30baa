"""`bot unquarantine`: puts a test back into the gate."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import click

from bot import wiring
from bot.cli.loop import is_dry_run
from bot.cli.on_pull_request import clone_or_pull_request, hear
from bot.cli.quarantine_common import document, heard_result, text
from bot.cli.result import Result
from bot.cli.selection import Selection, select
from bot.core.errors import BotError
from bot.core.rounds import Words
from bot.core.testrecipes.hunk import Hunk
from bot.core.testrecipes.request import UnquarantineRequest
from bot.core.testrecipes.target import parse_platform, parse_target
from bot.flows.quarantine import unquarantine_checkout
from bot.flows.tracking_issue import TrackingIssues
from bot.settings import Settings

_NOTHING = "nothing to do: the test runs"


def run(
    *,
    test: str,
    platform: str | None,
    track: str | None,
    checkout: str | None,
    pr: int | None,
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
    clone = clone_or_pull_request(selection, pr)
    request = UnquarantineRequest(target, named, selection.track(track))
    if clone is None:
        words = Words(back=(request,))
        return heard_result(hear(selection, settings, pr, words, dry_run=dry_run), _NOTHING, dry_run=dry_run)
    ledger = _ledger(selection, settings, request)
    plan = unquarantine_checkout(selection.recipe, request, clone, ledger, dry_run=dry_run)
    return Result(document(plan, issue=None), text(plan, _NOTHING, dry_run=dry_run))


def _ledger(
    selection: Selection, settings: Settings, request: UnquarantineRequest
) -> Mapping[str, Sequence[Hunk]]:
    """Return what the tracking issues tell, where the bot can sign in; without them the clone has to do."""
    if settings.github_token is None and settings.app_id is None:
        return {}
    try:
        host = wiring.code_host(settings, selection.recipe.repository)
        issues = TrackingIssues(selection.recipe, host, wiring.texts(), datetime.now(UTC).date())
        return issues.hunks(request.target)
    except BotError as error:
        click.echo(f"note: the tracking issues were not read: {error}", err=True)
        return {}
