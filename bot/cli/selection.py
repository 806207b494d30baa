"""Which recipe, branch and files a command works on, from what was typed."""

import re
from dataclasses import dataclass

from bot import wiring
from bot.core.choice import choose_recipe
from bot.core.errors import UsageError
from bot.core.recipe import BumpRecipe
from bot.ports import Clone

# As git check-ref-format has it (https://git-scm.com/docs/git-check-ref-format).
_BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])")


@dataclass(frozen=True, slots=True)
class Selection:
    """The recipe (its repository replaced by `--repo`), the branch, and the clone if there is one."""

    recipe: BumpRecipe
    base: str
    clone: Clone | None = None

    def track(self, named: str | None) -> str:
        """Return the named track, `dev` if none is named, or the only one there is."""
        only = next(iter(self.recipe.tracks)) if len(self.recipe.tracks) == 1 else "dev"
        name = named or only
        self.recipe.track(name)
        return name


def select(
    *,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    checkout: str | None = None,
    default: str | None = None,
) -> Selection:
    """Return what to work on; `default` is the recipe that the settings name.

    Raises UsageError when no recipe fits, or several.
    """
    if repo and not re.fullmatch(r"(?!\.)[\w.-]+/(?!\.\.?$)[\w.-]+", repo, re.ASCII):
        raise UsageError(f"`{repo[:80]}` is no repository", hint="write it as `OWNER/NAME`")
    if base and not _BRANCH.fullmatch(base):
        raise UsageError(
            f"`{base[:80]!r}` is no branch", hint="write it as git shows it, without `refs/heads/`"
        )
    clone = wiring.clone(checkout) if checkout else None
    chosen = _recipe(recipe, repo, clone, default)
    if repo:
        chosen = chosen.model_copy(update={"repository": repo})
    return Selection(chosen, base or chosen.base, clone)


def _recipe(name: str | None, repo: str | None, clone: Clone | None, default: str | None) -> BumpRecipe:
    if name:
        return wiring.load_recipe(name)
    if default and repo is None and clone is None:
        return wiring.load_recipe(default)
    repositories = [repo] if repo else clone.remotes() if clone else []
    try:
        return choose_recipe(
            wiring.shipped_recipes(),
            repositories,
            lambda path: clone is not None and clone.read([path])[path] is not None,
        )
    except UsageError:
        if default is None or repo is not None:
            raise
        return wiring.load_recipe(default)
