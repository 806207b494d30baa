"""Golden values before and after two real bumps of NVIDIA/Megatron-LM, and a repository that has them.

The folder is named by `GOLDENS_CORPUS`, or lies beside this repository; without it these tests are skipped.
It holds `<pull request>/{old,new}/` with each changed golden at its own path.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.lab.megatron import megatron_files
from bot.lab.megatron_tests import Outcome

_BESIDE = Path(__file__).parents[2] / "shared" / "corpus" / "goldens"
_NAME = "golden_values_dev_"


@dataclass(frozen=True, slots=True)
class Goldens:
    """The goldens of a bump's parent and of the bump, by path."""

    old: Mapping[str, bytes]
    new: Mapping[str, bytes]

    @property
    def tree(self) -> dict[str, bytes]:
        """A small Megatron-LM with the old goldens and a test recipe's row for each."""
        return {**megatron_files(), **self.old, **_recipes(self.old)}

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """Each test produces the new golden; comparing it with the tree's decides how it goes."""
        return {_test(path): Outcome("produces", content) for path, content in self.new.items()}


def real_goldens(pull_request: int) -> Goldens:
    folder = Path(os.environ.get("GOLDENS_CORPUS") or _BESIDE) / str(pull_request)
    if not folder.is_dir():
        pytest.skip("GOLDENS_CORPUS names no folder with the goldens of real bumps")
    old, new = (_files(folder / side) for side in ("old", "new"))
    assert old.keys() == new.keys()
    return Goldens(old, new)


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.json"))}


def _parts(path: str) -> tuple[str, str, str]:
    *_, model, test, name = path.split("/")
    return model, test, name.removeprefix(_NAME).removesuffix(".json")


def _test(path: str) -> str:
    model, test, platform = _parts(path)
    return f"{model}/{test}@{platform}"


def _recipes(goldens: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return a test recipe for each model, with a row for each test on each platform."""
    rows: dict[str, dict[str, list[str]]] = {}
    for path in goldens:
        model, test, platform = _parts(path)
        rows.setdefault(model, {}).setdefault(test, []).append(platform)
    return {
        f"tests/test_utils/recipes/h100/real-{model}.yaml": _recipe(model, tests).encode()
        for model, tests in rows.items()
    }


def _recipe(model: str, tests: Mapping[str, list[str]]) -> str:
    lines = ["type: basic", "spec:", f"  model: {model}", "products:"]
    for test, platforms in tests.items():
        lines += [f"  - test_case: [{test}]", "    products:"]
        for platform in platforms:
            lines += [
                "      - environment: [dev]",
                "        scope: [mr, mr-github]",
                f"        platforms: [{platform}]",
            ]
    return "\n".join(lines) + "\n"
