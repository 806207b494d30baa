"""Test recipes of our own in all shapes that upstream's have."""

from typing import Any

from bot.core.recipe import BumpRecipe, parse_recipe

SCOPES = {
    "mr": "mr-broken",
    "mr-slim": "mr-slim-broken",
    "mr-github": "mr-github-broken",
    "nightly": "nightly-broken",
}

HEAD = """\
type: basic
format_version: 1
spec:
  name: "{test_case}_{environment}"
  model: gpt
  platforms: dgx_a100
  script: |-
    # scope: [mr] in a script is no scope
    cd /opt

products:
"""

TINY = """\
  - test_case: [tiny_tp1]
    products:
      - environment: [dev]
        scope: [mr, mr-github]
        platforms: [dgx_h100]
"""

# A second row for another environment, a comment between, a trailing comment with a list in it.
PAIR = """\
  - test_case: [pair_tp2]
    products:
      - environment: [lts]
        scope: [nightly]
      # - environment: [lts] # disabled
      #   scope: [nightly]
      - environment: [dev]
        scope: [mr] #[mr, mr-github] - broken on GitHub
        platforms: [dgx_h100]
"""

DEFAULT = """\
  - test_case: [default_platform]
    products:
      - environment: [dev]
        scope: [nightly]
"""

RECIPE = f"{HEAD}{TINY}{PAIR}{DEFAULT}"
PATH = "tests/test_utils/recipes/h100/ours.yaml"

BUMP_RECIPE = """\
repository: NVIDIA/Megatron-LM
tracks:
  dev:
    image: nvcr.io/nvidia/pytorch
    tag: YY.MM-py3
    title: 'move to {tag}'
    pins:
      - {path: pin, format: whole-file}
  lts:
    image: nvcr.io/nvidia/pytorch
    tag: YY.MM-py3
    title: 'move to {tag}'
    pins:
      - {path: pin.lts, format: whole-file}
quarantine:
  recipes: tests/test_utils/recipes
  scopes: {mr: mr-broken, mr-slim: mr-slim-broken, mr-github: mr-github-broken, nightly: nightly-broken}
  on_github: [mr-github]
  model_config_file: cases/{model}/{test}/model_config.yaml
  unit_tests:
    folder: tests/unit_tests
    marks: {dev: flaky_in_dev, lts: flaky}
  issues_per_suite: 2
  owners: {gpt: octocat}
"""


def bump_recipe(**section: Any) -> BumpRecipe:
    recipe = parse_recipe(BUMP_RECIPE, name="megatron-lm", path="megatron-lm.yaml")
    quarantine = recipe.quarantine.model_copy(update=section) if recipe.quarantine else None
    return recipe.model_copy(update={"quarantine": quarantine})


def row(scope: str = "[mr]", platforms: str = "[dgx_h100]", environment: str = "[dev]") -> str:
    """Return a recipe with one test `t` that has one row."""
    return (
        f"{HEAD}  - test_case: [t]\n    products:\n      - environment: {environment}\n"
        f"        scope: {scope}\n        platforms: {platforms}\n"
    )
