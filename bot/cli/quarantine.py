"""`bot quarantine`: takes a test out of the gate."""

from datetime import UTC, datetime

from bot import wiring
from bot.cli import bump_text
from bot.cli.loop import is_dry_run
from bot.cli.on_pull_request import clone_or_pull_request, hear
from bot.cli.quarantine_common import document, heard_result, text
from bot.cli.result import Result
from bot.cli.selection import Selection, select
from bot.core.errors import UsageError
from bot.core.rounds import TakeOut, Words
from bot.core.testrecipes.request import (
    Broken,
    QuarantineRequest,
    Reason,
    issue_address,
    parse_remedy,
)
from bot.core.testrecipes.target import parse_platform, parse_target
from bot.flows.quarantine import quarantine_checkout, quarantine_with_issue
from bot.flows.tracking_issue import Case, TrackingIssues
from bot.ports import Clone
from bot.settings import Settings

_NOTHING = "nothing to do: it is as asked for"


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
    pr: int | None,
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
    clone = clone_or_pull_request(selection, pr)
    if clone is None:
        words = Words(out=(TakeOut(request, file_issue),))
        return heard_result(hear(selection, settings, pr, words, dry_run=dry_run), _NOTHING, dry_run=dry_run)
    if file_issue:
        return _with_issue(selection, settings, request, clone, dry_run=dry_run)
    plan = quarantine_checkout(selection.recipe, request, clone, dry_run=dry_run)
    return Result(document(plan, issue=issue), text(plan, _NOTHING, dry_run=dry_run))


def _with_issue(
    selection: Selection, settings: Settings, request: QuarantineRequest, clone: Clone, *, dry_run: bool
) -> Result:
    repository = selection.recipe.repository
    recorder = wiring.dry_run_host(settings, repository) if dry_run else None
    host = recorder or wiring.code_host(settings, repository)
    issues = TrackingIssues(selection.recipe, host, wiring.texts(), datetime.now(UTC).date())
    plan, issue = quarantine_with_issue(selection.recipe, request, clone, issues, Case(), dry_run=dry_run)
    calls = recorder.calls if recorder else ()
    shown = [text(plan, _NOTHING, dry_run=dry_run), *map(bump_text.call, calls)]
    if not dry_run:
        shown.append(f"tracked in {issue.url}")
    return Result(document(plan, issue=issue.number, calls=calls), "\n\n".join(shown))
