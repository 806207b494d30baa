"""`bot quarantine`: takes a test out of the gate."""

from bot import wiring
from bot.cli.quarantine_common import document, is_dry_run, needs_clone, text
from bot.cli.result import Result
from bot.cli.selection import select
from bot.core.errors import UsageError
from bot.core.testrecipes.request import (
    Broken,
    QuarantineRequest,
    Reason,
    issue_address,
    parse_remedy,
)
from bot.core.testrecipes.target import parse_platform, parse_target
from bot.flows.quarantine import quarantine_checkout


def run(
    *,
    test: str,
    reason: Reason | None,
    issue: int | None,
    file_issue: bool,
    platform: str | None,
    comment: str | None,
    why: str | None,
    remedy: str | None,
    track: str | None,
    checkout: str | None,
    dry_run: bool,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Take `test` out of the gate, and hand back what was changed."""
    if issue is not None and file_issue:
        raise UsageError("`--issue` and `--file-issue` are two answers", hint="choose one of them")
    if issue is not None and issue < 1:
        raise UsageError(f"`{issue}` is no number of an issue", hint="numbers begin at 1")
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, checkout=checkout, default=settings.recipe)
    request = QuarantineRequest(
        target=parse_target(test),
        reason=reason,
        issue=issue_address(selection.recipe.repository, issue) if issue else None,
        platform=parse_platform(platform) if platform else None,
        remedy=parse_remedy(remedy) if remedy else Broken(),
        why=why or "",
        comment=comment,
        track=selection.track(track),
    )
    dry_run = is_dry_run(settings, asked=dry_run)
    clone = needs_clone(selection)
    plan = quarantine_checkout(selection.recipe, request, clone, dry_run=dry_run)
    return Result(
        document(plan, issue=issue), text(plan, "nothing to do: it is as asked for", dry_run=dry_run)
    )
