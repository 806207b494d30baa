"""`bot status`: where the bot's open bumps stand, and what is out of the gate."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bot import wiring
from bot.cli.loop import Passed, one_pass, pull_request_document
from bot.cli.result import Result
from bot.cli.selection import Selection, select
from bot.core.errors import BotError, Refused
from bot.core.markdown import one_line
from bot.core.testrecipes.tracking import Listed, list_quarantines
from bot.flows.open_bumps import OpenBump, open_bumps
from bot.flows.request import BumpRequest
from bot.flows.rounds import ROUND_WRITTEN
from bot.flows.target import named_target
from bot.flows.tracking_issue import TrackingIssues
from bot.settings import Settings


def run(
    *,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Look at each open bump as a pass of the bot would, and write nothing."""
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, default=settings.recipe)
    host = wiring.code_host(settings, selection.recipe.repository)
    found = open_bumps(host, selection.recipe, selection.base)
    bumps = [(it, _looked_at(it, selection, settings)) for it in found]
    quarantines: Sequence[Listed] = ()
    if selection.recipe.quarantine is not None:
        today = datetime.now(UTC).date()
        issues = TrackingIssues(selection.recipe, host, wiring.texts(), today)
        quarantines = [it for it in list_quarantines(issues.known(), today) if it.state == "open"]
    document = {
        "pull_requests": [_bump(it, seen) for it, seen in bumps],
        "quarantines": [_quarantine(it) for it in quarantines],
    }
    lines = [line for it, seen in bumps for line in _lines(it, seen)]
    text = [*(lines or [f"no bump is open onto {selection.base}"]), *_quarantine_lines(quarantines)]
    return Result(document, "\n".join(text))


def _looked_at(bump: OpenBump, selection: Selection, settings: Settings) -> Passed | BotError:
    target = named_target(selection.recipe.track(bump.track), bump.tag)
    if target is None:
        raise AssertionError("an open bump has a tag")
    request = BumpRequest(selection.recipe, bump.track, selection.base, target)
    try:
        return one_pass(request, settings, None, dry_run=True)
    except Refused as refusal:
        return refusal


def _bump(bump: OpenBump, seen: Passed | BotError) -> Mapping[str, Any]:
    proposal = bump.proposal
    known = {"number": proposal.number, "url": proposal.url, "track": bump.track, "tag": bump.tag}
    if isinstance(seen, BotError):
        return {**known, "state": "stopped", "questions": [seen.message], "next": None}
    return {**known, **(pull_request_document(seen.outcome) or {}), "written": [], "next": _next(seen)}


def _next(seen: Passed) -> str | None:
    """Return what a pass would do now with the results of CI."""
    done = seen.rounds.done if seen.rounds else ()
    return ", ".join(ROUND_WRITTEN[type(step)] for step in done) or None


def _lines(bump: OpenBump, seen: Passed | BotError) -> list[str]:
    head = f"#{bump.proposal.number} {bump.track} to {bump.tag}"
    if isinstance(seen, BotError):
        return [f"{head}: stopped: {one_line(seen.message, 400)}"]
    report, due = seen.outcome.report, _next(seen)
    state = report.state.value if report else "open"
    said = [f"  {one_line(it, 300)}" for it in (report.sentences if report else ())]
    return [f"{head}: {state}  {bump.proposal.url}", *said, *([f"  next: {due}"] if due else [])]


def _quarantine(it: Listed) -> Mapping[str, Any]:
    entry = it.entry
    return {
        "test": f"{entry.model}/{entry.test}" if entry.model else entry.test,
        "platform": entry.platform,
        "class": entry.reason,
        "owner": entry.owner,
        "age_days": it.age,
        "days_left": it.left,
        "issue": {"number": it.number, "url": it.url, "state": it.state},
    }


def _quarantine_lines(listed: Sequence[Listed]) -> list[str]:
    return ["", f"out of the gate: {len(listed)}", *map(_quarantine_line, listed)] if listed else []


def _quarantine_line(it: Listed) -> str:
    entry = it.entry
    where = f"{one_line(entry.test)} on {entry.platform or 'every platform'}"
    left = "expired" if it.has_expired else f"{it.left} days left"
    return f"  {where}: {entry.reason}, #{it.number}, {it.age} days old, {left}, {entry.owner or 'no owner'}"
