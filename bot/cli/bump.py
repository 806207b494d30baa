"""`bot bump`: moves a track in a clone, or as a draft pull request on GitHub."""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot import wiring
from bot.cli.result import Result
from bot.cli.selection import Selection, select
from bot.core.edits import FileEdit
from bot.core.errors import Refused
from bot.core.host import Call
from bot.core.plan import Plan
from bot.flows.bump import Bump, BumpOutcome
from bot.flows.check import NOT_SEARCHED, references_left
from bot.flows.checkout_bump import bump_checkout
from bot.flows.request import BumpRequest
from bot.flows.target import Target, resolve_target
from bot.ports import ImageRegistry

if TYPE_CHECKING:
    from bot.settings import Settings

PAUSE = 3.0
"""Seconds between two looks at copy-pr-bot's branch."""


def run(
    *,
    tag: str,
    track: str | None,
    checkout: str | None,
    no_verify: bool,
    anyway: bool,
    dry_run: bool,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Bump to `tag`, and hand back what was changed."""
    settings = None if checkout and no_verify else wiring.settings(config)
    default = settings.recipe if settings else None
    selection = select(recipe=recipe, repo=repo, base=base, checkout=checkout, default=default)
    name = selection.track(track)
    registry = wiring.registry(settings) if settings and not no_verify else None
    target = resolve_target(selection.recipe.track(name), tag, registry)
    if selection.clone is not None or settings is None:
        return _in_clone(selection, name, target, dry_run=dry_run)
    request = BumpRequest(selection.recipe, name, selection.base, target, anyway=anyway)
    return _on_github(request, settings, registry, dry_run=dry_run or settings.mode == "dry-run")


def refusal(error: Refused) -> Mapping[str, Any]:
    """Return the document of a refused bump; the error stands beside it."""
    reason = {"path": error.path, "line": error.line, "reason": error.message, "hint": error.hint}
    return _document(None, [], refused=[reason])


def _in_clone(selection: Selection, name: str, target: Target, *, dry_run: bool) -> Result:
    clone = selection.clone
    if clone is None:
        raise AssertionError("a clone is opened whenever one is named")
    plan = bump_checkout(name, selection.recipe.track(name), target, clone, dry_run=dry_run)
    notices = [*plan.notices, *references_left(selection.recipe, clone)]
    did = "would change" if dry_run else "changed"
    return Result(_document(plan, notices), _text(plan, did, notices))


def _on_github(
    request: BumpRequest, settings: "Settings", registry: ImageRegistry | None, *, dry_run: bool
) -> Result:
    if settings.mode == "stopped" and not dry_run:
        raise Refused("the bot is stopped by `BOT_MODE`", hint="set it to `running`, or say `--dry-run`")
    repository = request.recipe.repository
    recorder = wiring.dry_run_host(settings, repository) if dry_run else None
    host = recorder or wiring.code_host(settings, repository)
    with closing(wiring.ledger(settings)) as ledger:
        bump = Bump(
            host,
            wiring.unwritten(ledger) if dry_run else ledger,
            wiring.texts(),
            registry,
            now=lambda: datetime.now(UTC),
            pause=lambda: None if dry_run else time.sleep(PAUSE),
        )
        outcome = bump.run(request)
    calls = recorder.calls if recorder else ()
    notices = [*outcome.plan.notices, NOT_SEARCHED]
    text = _text(outcome.plan, "would change" if dry_run else "changed", notices)
    document = _document(outcome.plan, notices, outcome=outcome, calls=calls, dry_run=dry_run)
    return Result(document, "\n\n".join([text, *_calls_text(calls), _outcome_text(outcome, dry_run=dry_run)]))


def _document(
    plan: Plan | None,
    notices: Sequence[str],
    *,
    refused: Sequence[Mapping[str, Any]] = (),
    outcome: BumpOutcome | None = None,
    calls: Sequence[Call] = (),
    dry_run: bool = False,
) -> Mapping[str, Any]:
    return {
        "changed": [_changed(edit) for edit in plan.edits] if plan else [],
        "from": str(plan.before) if plan else None,
        "to": str(plan.after.plain()) if plan else None,
        "diff": plan.diff if plan else "",
        "pull_request": _pull_request(outcome) if outcome and not dry_run else None,
        "refused": list(refused),
        "notices": list(notices),
        "calls": [{"method": call.method, "path": call.path, "body": call.body} for call in calls],
    }


def _changed(edit: FileEdit) -> Mapping[str, Any]:
    return {"path": edit.path, "lines": list(edit.lines)}


def _pull_request(outcome: BumpOutcome) -> Mapping[str, Any] | None:
    pull = outcome.pull_request
    if pull is None:
        return None
    return {
        "number": pull.number,
        "url": pull.url,
        "title": pull.title,
        "draft": pull.draft,
        "labels": list(pull.labels),
        "head": outcome.sha,
        "approval": outcome.approval,
    }


def _text(plan: Plan, did: str, notices: Sequence[str]) -> str:
    if plan.edits:
        lines = sum(len(edit.lines) for edit in plan.edits)
        summary = f"{did} {lines} lines in {len(plan.edits)} files: {plan.before} -> {plan.after.plain()}"
    else:
        summary = f"nothing to do: every pin of {plan.track} is at {plan.after.plain()}"
    listed = ["notices:\n" + "\n".join(f"  {notice}" for notice in notices)] if notices else []
    return "\n\n".join([*([plan.diff.rstrip("\n")] if plan.edits else []), *listed, summary])


def _calls_text(calls: Sequence[Call]) -> list[str]:
    return [
        f"{call.method} {call.path}"
        + (f"\n{json.dumps(call.body, indent=2, ensure_ascii=False)}" if call.body else "")
        for call in calls
    ]


_APPROVALS = {
    "none": "no approval is needed here",
    "asked": "approval asked; copy-pr-bot has not taken it yet, run the command again to look",
    "taken": "approved, and copy-pr-bot has taken it",
    "late": "approved more than 15 minutes ago and not taken: is the commenting account a vetter here?",
}


def _outcome_text(outcome: BumpOutcome, *, dry_run: bool) -> str:
    if dry_run:
        return "dry run: nothing was written"
    if outcome.pull_request is None:
        return "no pull request is needed"
    return f"{outcome.pull_request.url} at {outcome.sha}: {_APPROVALS[outcome.approval]}"
