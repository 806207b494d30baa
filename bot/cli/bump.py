"""`bot bump`: moves a track in a clone, or as a draft pull request on GitHub."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from bot import wiring
from bot.cli import bump_text
from bot.cli.loop import is_dry_run, one_pass, pull_request_document
from bot.cli.result import Result
from bot.cli.selection import Selection, select
from bot.core.errors import Refused
from bot.core.host import Call
from bot.core.plan import Plan
from bot.flows.bump import BumpOutcome, Stopped
from bot.flows.check import NOT_SEARCHED, references_left
from bot.flows.checkout_bump import bump_checkout
from bot.flows.request import BumpRequest
from bot.flows.target import Target, Verify, named_target, resolve_target
from bot.ports import Clone, ImageRegistry
from bot.settings import Settings


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
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, checkout=checkout, default=settings.recipe)
    name = selection.track(track)
    dry_run = is_dry_run(settings, asked=dry_run)
    registry = None if no_verify else wiring.registry(settings)
    track_of_recipe = selection.recipe.track(name)
    verify = partial(resolve_target, track_of_recipe, tag, registry)
    named = named_target(track_of_recipe, tag)
    target, check = (named, verify) if named and registry else (verify(), None)
    if selection.clone is not None:
        return _in_clone(selection, selection.clone, name, target, check, dry_run=dry_run)
    request = BumpRequest(selection.recipe, name, selection.base, target, anyway=anyway)
    return _on_github(request, settings, registry, check, dry_run=dry_run)


def refusal(error: Refused) -> Mapping[str, Any]:
    """Return the document of a refused bump; the error stands beside it."""
    reason = {"path": error.path, "line": error.line, "reason": error.message, "hint": error.hint}
    outcome = error.outcome if isinstance(error, Stopped) else None
    return _document(None, [], refused=[reason], outcome=outcome)


def _in_clone(
    selection: Selection, clone: Clone, name: str, target: Target, verify: Verify | None, *, dry_run: bool
) -> Result:
    track = selection.recipe.track(name)
    plan = bump_checkout(name, track, target, clone, dry_run=dry_run, verify=verify)
    left = references_left(selection.recipe, clone)
    did = "would change" if dry_run else "changed"
    return Result(_document(plan, [*plan.notices, *left]), bump_text.plan(plan, did, left))


def _on_github(
    request: BumpRequest,
    settings: Settings,
    registry: ImageRegistry | None,
    verify: Verify | None,
    *,
    dry_run: bool,
) -> Result:
    passed = one_pass(request, settings, registry, verify=verify, dry_run=dry_run)
    outcome, calls = passed.outcome, passed.calls
    notices = [*outcome.plan.notices, NOT_SEARCHED]
    shown = [bump_text.plan(outcome.plan, "moves", [NOT_SEARCHED]), *map(bump_text.call, calls)]
    shown.append(bump_text.dry_run(outcome) if dry_run else bump_text.outcome(outcome))
    document = _document(outcome.plan, notices, outcome=None if dry_run else outcome, calls=calls)
    return Result(document, "\n\n".join(shown))


def _document(
    plan: Plan | None,
    notices: Sequence[str],
    *,
    refused: Sequence[Mapping[str, Any]] = (),
    outcome: BumpOutcome | None = None,
    calls: Sequence[Call] = (),
) -> Mapping[str, Any]:
    return {
        "changed": [{"path": it.path, "lines": list(it.lines)} for it in plan.edits] if plan else [],
        "from": str(plan.before) if plan else None,
        "to": str(plan.after.plain()) if plan else None,
        "diff": plan.diff if plan else "",
        "pull_request": pull_request_document(outcome) if outcome else None,
        "refused": list(refused),
        "notices": list(notices),
        "calls": [{"method": it.method, "path": it.path, "body": it.body} for it in calls],
    }
