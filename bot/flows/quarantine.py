"""A test leaves the gate in a local clone, and comes back: edits its files in place, all of them or none."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.core.host import Issue
from bot.core.plan import Files
from bot.core.recipe import BumpRecipe
from bot.core.testrecipes.hunk import Hunk
from bot.core.testrecipes.plan import (
    QuarantinePlan,
    model_config_path,
    place_of,
    plan_quarantine,
    section,
)
from bot.core.testrecipes.plan_back import Witnesses, plan_unquarantine
from bot.core.testrecipes.request import QuarantineRequest, Repeats, UnquarantineRequest, issue_address
from bot.core.testrecipes.target import Target, UnitTest
from bot.flows.tracking_issue import Case, TrackingIssues
from bot.ports import Clone


def quarantine_checkout(
    recipe: BumpRecipe, request: QuarantineRequest, clone: Clone, *, dry_run: bool
) -> QuarantinePlan:
    """Take a test out in a clone and return what was done; with `dry_run` nothing is written."""
    plan = plan_quarantine(recipe, _files(recipe, request, clone), request)
    write(plan, clone, dry_run=dry_run)
    return plan


def _files(recipe: BumpRecipe, request: QuarantineRequest, clone: Clone) -> Files:
    files = read_files(recipe, request.target, clone)
    if not isinstance(request.remedy, Repeats) or isinstance(request.target, UnitTest):
        return files
    model, _ = place_of(recipe, files, request)
    return {**files, **clone.read([model_config_path(section(recipe), model, request.target.name)])}


def quarantine_with_issue(
    recipe: BumpRecipe,
    request: QuarantineRequest,
    clone: Clone,
    issues: TrackingIssues,
    case: Case,
    *,
    dry_run: bool,
) -> tuple[QuarantinePlan, Issue]:
    """Take a test out in a clone, under the issue that tracks it, and return both.

    An issue is opened only once nothing stands in the way of the edits.
    """
    files = _files(recipe, request, clone)
    entry = issues.entry(request, *place_of(recipe, files, request))
    issue = issues.find(entry)
    if issue is None:
        plan_quarantine(recipe, files, _under(recipe, request, 0))
        issue = issues.ensure(request, entry, case)
    plan = plan_quarantine(recipe, files, _under(recipe, request, issue.number))
    write(plan, clone, dry_run=dry_run)
    if not dry_run:
        issues.record(issue, plan, entry)
    return plan, issue


def _under(recipe: BumpRecipe, request: QuarantineRequest, number: int) -> QuarantineRequest:
    return replace(request, issue=issue_address(recipe.repository, number))


def unquarantine_checkout(
    recipe: BumpRecipe,
    request: UnquarantineRequest,
    clone: Clone,
    ledger: Mapping[str, Sequence[Hunk]],
    *,
    dry_run: bool,
) -> QuarantinePlan:
    """Put a test back in a clone and return what was done; `ledger` are the hunks of its issues, by file."""
    files = read_files(recipe, request.target, clone)
    plan = plan_unquarantine(recipe, files, request, Witnesses(ledger, clone.earlier))
    write(plan, clone, dry_run=dry_run)
    return plan


def read_files(recipe: BumpRecipe, target: Target, clone: Clone) -> Files:
    """Return the files in which a test may stand: its own one, or every test recipe."""
    if isinstance(target, UnitTest):
        return clone.read([target.path])
    listed = clone.list_files(section(recipe).recipes)
    return clone.read([path for path in listed if path.endswith((".yaml", ".yml"))])


def write(plan: QuarantinePlan, clone: Clone, *, dry_run: bool) -> None:
    """Write what a plan changes."""
    if plan.edits and not dry_run:
        clone.write({edit.path: edit.after.encode() for edit in plan.edits})
