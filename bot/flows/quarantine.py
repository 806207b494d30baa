"""A test leaves the gate in a local clone, and comes back: edits its files in place, all of them or none."""

from bot.core.plan import Files
from bot.core.recipe import BumpRecipe
from bot.core.testrecipes.plan import QuarantinePlan, model_config_path, plan_quarantine, section
from bot.core.testrecipes.plan_back import Witnesses, plan_unquarantine
from bot.core.testrecipes.request import QuarantineRequest, Repeats, UnquarantineRequest
from bot.core.testrecipes.select import find
from bot.core.testrecipes.target import Target, UnitTest
from bot.ports import Clone


def quarantine_checkout(
    recipe: BumpRecipe, request: QuarantineRequest, clone: Clone, *, dry_run: bool
) -> QuarantinePlan:
    """Take a test out in a clone and return what was done; with `dry_run` nothing is written."""
    files = dict(read_files(recipe, request.target, clone))
    if isinstance(request.remedy, Repeats) and not isinstance(request.target, UnitTest):
        rules = section(recipe)
        model = find(request.target, files, rules.recipes)[0].recipe.model
        files |= clone.read([model_config_path(rules, model, request.target.name)])
    plan = plan_quarantine(recipe, files, request)
    write(plan, clone, dry_run=dry_run)
    return plan


def unquarantine_checkout(
    recipe: BumpRecipe, request: UnquarantineRequest, clone: Clone, *, dry_run: bool
) -> QuarantinePlan:
    """Put a test back in a clone, by its git history or the row itself, and return what was done."""
    files = read_files(recipe, request.target, clone)
    plan = plan_unquarantine(recipe, files, request, Witnesses({}, clone.earlier))
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
