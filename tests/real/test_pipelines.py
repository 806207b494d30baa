"""The rule for GitLab's jobs against the repository's own stages, test recipes and goldens."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from bot.core.ci import Artifact, Job
from bot.core.pipeline_goldens import PipelineTest, golden_entry, golden_file, golden_sources, pipeline_test
from bot.core.recipe import parse_recipe

STAGES = ".gitlab/stages/04.functional-tests.yml"
RECIPES = "tests/test_utils/recipes"
FILE = Path(__file__).parents[2] / "recipes" / "megatron-lm.yaml"
RECIPE = parse_recipe(FILE.read_text(encoding="utf-8"), name="megatron-lm", path=FILE.name)
RESULTS, GOLDENS = RECIPE.gitlab.results, RECIPE.goldens
NOW = datetime(2026, 8, 22, tzinfo=UTC)


def loaded(text: bytes) -> dict:
    return YAML(typ="safe", pure=True).load(text)


def listed(megatron, head: str, folder: str) -> list[str]:
    return megatron.git("ls-tree", "-r", "--name-only", head, folder).decode().splitlines()


@pytest.fixture(params=["main", "dev", "core_r0.18.0", "core_r0.19.0"])
def head(request, megatron) -> str:
    return megatron.heads()[request.param]


def test_the_trigger_jobs_that_compare_goldens_are_those_of_the_six_lanes(megatron, head):
    stages = loaded(megatron.files(head, [STAGES])[STAGES])
    triggers = {name: job for name, job in stages.items() if name.startswith("functional:run_")}

    found = {name: pipeline_test(f"{name} / gpt / case", RESULTS, GOLDENS) for name in stages}

    lanes = {name: test for name, test in found.items() if test}
    assert set(triggers) - set(lanes) == {"functional:run_nemo"}
    assert len(lanes) == 6
    for name, test in lanes.items():
        said = stages[name]["variables"]
        assert (test.environment, test.platform) == (said["ENVIRONMENT"], f"dgx_{said['CLUSTER'].lower()}")


def test_every_golden_of_a_test_recipe_is_found_where_its_workload_leaves_it(megatron, head):
    paths = [path for path in listed(megatron, head, RECIPES) if path.endswith(".yaml")]
    recipes = [loaded(text) for text in megatron.files(head, paths).values()]
    known = {path for path in listed(megatron, head, "tests/functional_tests") if "golden_values" in path}

    seen, wrong = set(), []
    for spec, case, lane in ((it["spec"], case, lane) for it in recipes for case, lane in products(it)):
        test = PipelineTest(spec["model"], case, *lane)
        file = golden_file(test, GOLDENS)
        if file in known:
            seen.add(file)
            workload = spec["name"].format(
                test_case=case, environment=lane[0], platforms=lane[1], tag="tag", model=spec["model"]
            )
            if not is_found(test, file, workload.replace("_", "-").lower()):
                wrong.append((file, workload))

    assert wrong == []
    platforms = {re.search(r"_(dgx_\w+)\.json", file)[1] for file in seen}
    assert platforms >= {"dgx_a100", "dgx_h100"}
    assert len(seen) > 200


def products(recipe: dict):
    """Yield (test case, (environment, platform)) of each row, multiplied as upstream's parser does."""
    for entry in recipe.get("products") or ():
        for row in entry.get("products") or ():
            for environment in row.get("environment") or ():
                platforms = row.get("platforms", recipe["spec"].get("platforms", ()))
                for platform in [platforms] if isinstance(platforms, str) else platforms:
                    yield entry["test_case"][0], (environment, platform)


def is_found(test: PipelineTest, file: str, workload: str) -> bool:
    name = f"functional:run_{test.environment}_{test.platform} / {test.model} / {test.test}"
    job = Job(1, 1, name, 1, "completed", "failure", (), NOW, NOW, "")
    artifact = Artifact(1, 1, "artifacts.zip", 1, False, NOW, 1)
    found, _ = golden_sources([job], [artifact], RESULTS, GOLDENS)
    entry = f"results/iteration=0/restart=0/assets/basic/{workload}/{file.rpartition('/')[2]}"
    return [(it.file, golden_entry(it, [entry], RESULTS)) for it in found] == [(file, entry)]
