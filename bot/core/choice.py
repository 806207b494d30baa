"""Which bump recipe is meant when nobody says: the one that fits the repository, or a list to choose from."""

from collections.abc import Callable, Sequence

from bot.core.errors import UsageError
from bot.core.recipe import BumpRecipe


def choose_recipe(
    recipes: Sequence[BumpRecipe], repositories: Sequence[str], has_file: Callable[[str], bool]
) -> BumpRecipe:
    """Return the recipe whose repository is among `repositories`, or else whose fingerprint fits.

    `repositories` are `owner/name` in any case; `has_file` tells whether the checkout holds a path.
    Raises UsageError with the list when no recipe fits, or several.
    """
    known = {name.lower() for name in repositories}
    by_name = [recipe for recipe in recipes if recipe.repository.lower() in known]
    fitting = by_name or [recipe for recipe in recipes if _fits(recipe, has_file)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f"several bump recipes fit: {_names(fitting)}", hint="choose one with `--recipe`")
    if repositories:
        of, hint = f" {', '.join(repositories)}", "choose one with `--recipe`"
    else:
        of, hint = " here", "choose one with `--recipe`, or name a clone with `--checkout`"
    raise UsageError(f"no bump recipe fits{of}; there are: {_names(recipes)}", hint=hint)


def _fits(recipe: BumpRecipe, has_file: Callable[[str], bool]) -> bool:
    return bool(recipe.fingerprint) and all(has_file(path) for path in recipe.fingerprint)


def _names(recipes: Sequence[BumpRecipe]) -> str:
    return ", ".join(f"`{recipe.name}` ({recipe.repository})" for recipe in recipes)
