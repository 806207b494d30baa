"""Why a run says nothing about a golden."""

import pytest

from bot.core.goldens.coverage import FileReason, Schedule, not_covered
from bot.core.testrecipes.scopes import TestRow
from tests.core.goldens.made import FOLDER, GOLDENS, PATH, ROOT


def row(platform="dgx_h100", test="small_tp1", environment="dev"):
    return TestRow("gpt", test, environment, platform)


SCHEDULE = Schedule({row(): ("mr", "mr-github")}, {"mr-broken", "mr-github-broken"})


def found(known, covered=(), schedule=SCHEDULE):
    return not_covered(known, covered, GOLDENS, {"dgx_h100", "dgx_gb200"}, schedule)


def reason(file, schedule=SCHEDULE):
    [only] = found([file], schedule=schedule)
    assert only.file == file
    return only.reason


def test_what_is_covered_or_no_golden_is_not_listed():
    assert found([PATH, f"{FOLDER}/model_config.yaml", "README.md"], covered=[PATH, "gone.json"]) == ()


def test_goldens_are_listed_once_by_their_path():
    files = [f"{ROOT}/{name}/golden_values_x.json" for name in ("b/b", "a/a")]

    assert found([*files, files[0]]) == tuple(
        FileReason(file, "has a name that no test writes") for file in sorted(files)
    )


@pytest.mark.parametrize("schedule", [SCHEDULE, None])
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("dev_dgx_h100_2nd", "is of the second run of a test, which nothing reads"),
        ("lts_dgx_a100_2nd", "is of the second run of a test, which nothing reads"),
        ("lts_dgx_h100", "is of environment `lts`, which this CI does not run"),
        ("dev_dgx_a100", "is of platform `dgx_a100`, which this CI does not run"),
        ("dev", "has a name that no test writes"),
    ],
)
def test_some_goldens_no_run_of_this_ci_renews(name, why, schedule):
    assert reason(f"{FOLDER}/golden_values_{name}.json", schedule) == why


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("nightly",), "is of a test that runs in `nightly` and did not run here"),
        (("mr", "weekly"), "is of a test that runs in `mr` and `weekly` and did not run here"),
        (("mr", "mr-github-broken"), "is of a test that runs in `mr` and did not run here"),
        (("mr-broken", "mr-github-broken"), "is of a test in quarantine: `mr-broken` and `mr-github-broken`"),
        ((), "is of a test without scope"),
    ],
)
def test_the_test_recipes_say_why_a_test_did_not_run(words, why):
    schedule = Schedule({row(): words, row("dgx_gb200"): ("nightly",)}, SCHEDULE.resting)

    assert reason(PATH, schedule) == why


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([row("dgx_a100"), row(environment="lts")], "is of a test that no test recipe runs on `dgx_h100`"),
        ([row(test="small_tp2"), TestRow("moe", "small_tp1", "dev", "dgx_h100")], "names"),
        ([], "names"),
    ],
)
def test_a_test_that_no_recipe_runs_there_is_told_from_one_that_none_names(rows, why):
    schedule = Schedule(dict.fromkeys(rows, ("mr",)), ())

    assert reason(PATH, schedule).endswith(why)


def test_without_test_recipes_it_is_only_said_that_the_test_did_not_run():
    assert reason(PATH, None) == "is of a test that did not run"
