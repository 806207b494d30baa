"""Which tests the CI of the small Megatron-LM runs: its test recipes in, the tests of a scope out.

Rows are flow lists whose product counts, `spec` gives defaults, GitHub asks for tiers behind older words.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML

RECIPES = "tests/test_utils/recipes/"
TIERS = {"mr-github-slim": "L0", "mr-github": "L1", "nightly": "L2", "weekly": "L3"}
"""Scope words of the recipes that GitHub's CI knows by another name."""


@dataclass(frozen=True, slots=True, order=True)
class FunctionalTest:
    """A test on a platform: its model folder and its name."""

    model: str
    name: str
    platform: str

    @property
    def key(self) -> str:
        """`model/name@platform`, by which stories name it."""
        return f"{self.model}/{self.name}@{self.platform}"

    @property
    def golden(self) -> str:
        """The path of its golden values, for the environment that GitHub runs."""
        folder = f"tests/functional_tests/test_cases/{self.model}/{self.name}"
        return f"{folder}/golden_values_dev_{self.platform}.json"


def select(
    files: Mapping[str, bytes], scope: str, platform: str, environment: str = "dev"
) -> tuple[FunctionalTest, ...]:
    """Return the tests that the recipes have for a scope (`L0`, `L1`, `unit-tests`) on a platform, sorted."""
    found = {
        FunctionalTest(model, name, platform)
        for path, content in files.items()
        if path.startswith(RECIPES) and path.endswith(".yaml")
        for model, name, row in _rows(YAML(typ="safe", pure=True).load(content))
        if scope in {TIERS.get(word, word) for word in row.get("scope") or ()}
        and environment in row.get("environment", ())
        and platform in row["platforms"]
    }
    return tuple(sorted(found))


def _rows(recipe: Any) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    spec = recipe["spec"]
    for entry in recipe.get("products") or ():
        for row in entry["products"]:
            platforms = row.get("platforms") or [spec["platforms"]]
            # Of several names in one entry only the first one is ever run.
            yield spec["model"], entry["test_case"][0], {**row, "platforms": platforms}
