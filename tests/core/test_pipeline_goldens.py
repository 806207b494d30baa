"""Where a GitLab pipeline leaves new goldens, and which ones it does not renew."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.ci import Artifact, Job
from bot.core.goldens.coverage import FileReason
from bot.core.pipeline_goldens import (
    GoldenSource,
    PipelineTest,
    golden_entry,
    golden_file,
    golden_sources,
    may_hold_golden,
    pipeline_test,
)
from bot.core.recipe_results import Goldens, PipelineResults

RESULTS = PipelineResults(
    functional=r"functional:run_(?P<environment>[a-z]+)_(?P<platform>dgx_\w+) / (?P<model>.+) / (?P<test>.+)",
    golden=(
        "results/iteration=*/restart=*/assets/basic/{test}-{environment}-{platform}/{file}",
        "results/iteration=*/restart=*/assets/basic/{test}/{file}",
    ),
)
GOLDENS = Goldens(file="cases/{model}/{test}/golden_values_{environment}_{platform}.json", artifact="logs-*")
H100 = "functional:run_dev_dgx_h100 / gpt / "
NOW = datetime(2026, 8, 22, tzinfo=UTC)
GOLDEN = "golden_values_dev_dgx_h100.json"
BASIC = "assets/basic/gpt3-mcore-tp1-dev-dgx-h100"


def job(number, name, *, attempt=1, status="completed", conclusion="failure") -> Job:
    ended = conclusion if status == "completed" else None
    return Job(number, 1, name, attempt, status, ended, (), NOW, NOW, "")


def zipped(number, *, expired=False) -> Artifact:
    return Artifact(number, 1, "artifacts.zip", 10, expired, NOW, number)


def sources(jobs, artifacts, known=()):
    return golden_sources(jobs, artifacts, RESULTS, GOLDENS, known)


def source(test="gpt3_mcore_TP1") -> GoldenSource:
    (found,), _ = sources([job(1, f"{H100}{test}")], [zipped(1)])
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (f"{H100}gpt3_tp1", PipelineTest("gpt", "gpt3_tp1", "dev", "dgx_h100")),
        (
            "functional:run_lts_dgx_a100 / moe / MoE_Case.v2",
            PipelineTest("moe", "MoE_Case.v2", "lts", "dgx_a100"),
        ),
        ("functional:smoke-h100 / gpt / gpt3_tp1", None),
        ("integration:run_dev_dgx_h100 / gpt / gpt3_tp1", None),
        ("gpt / gpt3_tp1", None),
        ("", None),
        (f"{H100}..", None),
        (f"{H100}a/../../b", None),
        (f"{H100}a b", None),
        (f"{H100}größe", None),
        ("functional:run_dev_dgx_h100 / ../x / test", None),
        (f"x / {H100}test", None),
    ],
)
def test_a_job_is_of_the_test_that_its_whole_name_tells(name, expected):
    assert pipeline_test(name, RESULTS, GOLDENS) == expected


def test_without_a_group_for_it_the_environment_is_that_of_the_goldens():
    results = RESULTS.model_copy(
        update={"functional": r"run_(?P<platform>\w+) / (?P<model>\w+) / (?P<test>\w+)"}
    )

    assert pipeline_test("run_dgx_h100 / gpt / a", results, GOLDENS) == PipelineTest(
        "gpt", "a", "dev", "dgx_h100"
    )


def test_a_golden_lies_where_the_recipe_says():
    test = PipelineTest("moe", "case", "lts", "dgx_a100")

    assert golden_file(test, GOLDENS) == "cases/moe/case/golden_values_lts_dgx_a100.json"


def test_the_newest_attempt_of_a_job_is_the_one_that_counts():
    jobs = [job(3, f"{H100}a", attempt=3), job(1, f"{H100}a"), job(2, f"{H100}a", attempt=2)]

    found, not_covered = sources(jobs, [zipped(1), zipped(2), zipped(3)])

    assert [(it.file, it.job.id, it.artifact.id) for it in found] == [(f"cases/gpt/a/{GOLDEN}", 3, 3)]
    assert not_covered == ()


def test_the_lanes_of_one_test_are_told_apart():
    names = ["functional:run_lts_dgx_a100 / gpt / a", f"{H100}a", "functional:run_dev_dgx_a100 / gpt / a"]

    found, _ = sources([job(n, name) for n, name in enumerate(names)], map(zipped, range(3)))

    assert [it.file.removeprefix("cases/gpt/a/") for it in found] == [
        "golden_values_dev_dgx_a100.json",
        GOLDEN,
        "golden_values_lts_dgx_a100.json",
    ]


@pytest.mark.parametrize(
    ("jobs", "artifacts", "reason"),
    [
        ([job(1, f"{H100}a", status="in_progress")], [zipped(1)], "its job has not ended"),
        ([job(1, f"{H100}a", conclusion="skipped")], [], "its job did not run"),
        ([job(1, f"{H100}a")], [zipped(2)], "its job left no artifact"),
        ([job(1, f"{H100}a")], [zipped(1, expired=True)], "the artifact of its job has expired"),
        (
            # A second attempt that runs makes the artifact of the first one old.
            [job(1, f"{H100}a"), job(2, f"{H100}a", attempt=2, status="queued")],
            [zipped(1)],
            "its job has not ended",
        ),
        ([job(1, "gpt / a")], [zipped(1)], "no job of the pipeline is of this test"),
        ([], [], "no job of the pipeline is of this test"),
    ],
)
def test_what_is_not_renewed_has_its_reason(jobs, artifacts, reason):
    file = f"cases/gpt/a/{GOLDEN}"

    assert sources(jobs, artifacts, known=[file]) == ((), (FileReason(file, reason),))


def test_two_jobs_of_one_test_are_not_chosen_from():
    results = RESULTS.model_copy(
        update={"functional": r".+_(?P<platform>dgx_\w+) / (?P<model>.+) / (?P<test>.+)"}
    )
    names = ["first_dgx_h100 / gpt / a", "second_dgx_h100 / gpt / a"]
    jobs = [job(n, name) for n, name in enumerate(names)]

    found, (missing,) = golden_sources(jobs, map(zipped, range(2)), results, GOLDENS)

    assert found == ()
    assert missing.reason == (
        "several jobs are of this test: `first_dgx_h100 / gpt / a`, `second_dgx_h100 / gpt / a`"
    )


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(
            [f"results/iteration=0/restart=0/{BASIC}/{GOLDEN}", "jet_workload.log"],
            f"results/iteration=0/restart=0/{BASIC}/{GOLDEN}",
            id="one restart",
        ),
        pytest.param(
            [f"results/iteration=0/restart={n}/{BASIC}/{GOLDEN}" for n in (10, 9, 1)],
            f"results/iteration=0/restart=10/{BASIC}/{GOLDEN}",
            id="the tenth restart is newer than the ninth",
        ),
        pytest.param(
            [
                f"results/iteration={i}/restart={r}/{BASIC}/{GOLDEN}"
                for i, r in [(0, 5), (10, 0), (2, 9), (10, 1)]
            ],
            f"results/iteration=10/restart=1/{BASIC}/{GOLDEN}",
            id="iterations go before restarts",
        ),
        pytest.param(
            [f"results/iteration=0/restart=0/assets/basic/gpt3-mcore-tp1/{GOLDEN}"],
            f"results/iteration=0/restart=0/assets/basic/gpt3-mcore-tp1/{GOLDEN}",
            id="a workload that is named by the test alone",
        ),
        pytest.param(
            [
                f"results/iteration=0/restart=0/assets/basic/gpt3-mcore-tp1/{GOLDEN}",
                f"results/iteration=0/restart=0/{BASIC}/{GOLDEN}",
            ],
            f"results/iteration=0/restart=0/{BASIC}/{GOLDEN}",
            id="the place that stands first in the recipe goes first",
        ),
        pytest.param(
            [f"results/iteration=0/restart=0/{BASIC}/{GOLDEN}", "results/iteration=0/restart=1.txt"],
            f"results/iteration=0/restart=0/{BASIC}/{GOLDEN}",
            id="what only looks like a restart",
        ),
        pytest.param(
            [
                f"results/iteration=0/restart=0/{BASIC}/{GOLDEN}",
                f"results/iteration=0/restart={'9' * 5000}/{BASIC}/{GOLDEN}",
            ],
            f"results/iteration=0/restart=0/{BASIC}/{GOLDEN}",
            id="a number that is none",
        ),
    ],
)
def test_the_golden_is_that_of_the_last_restart(names, expected):
    assert golden_entry(source(), names, RESULTS) == expected
    assert may_hold_golden(source(), expected, RESULTS)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        pytest.param([], "the artifact of its job holds none where it is expected", id="empty"),
        pytest.param(
            [
                f"results/iteration=0/restart=0/{BASIC}/golden_values_dev_dgx_h100_2nd.json",
                f"results/iteration=0/restart=0/{BASIC}/golden_values_lts_dgx_h100.json",
                f"results/iteration=0/restart=0/{BASIC}/golden_values_dev_dgx_a100.json",
                f"results/iteration=0/restart=0/assets/basic/other-dev-dgx-h100/{GOLDEN}",
                f"x/results/iteration=0/restart=0/{BASIC}/{GOLDEN}",
                f"results/iteration=0/restart=0/{BASIC}/{GOLDEN}/x",
                f"results/iteration=../restart=0/{BASIC}/{GOLDEN}",
                GOLDEN,
            ],
            "the artifact of its job holds none where it is expected",
            id="other files",
        ),
        pytest.param(
            [
                f"results/iteration=0/restart=0/{BASIC}/{GOLDEN}",
                f"results/iteration=0/restart=1/{BASIC}/logs/0/stderr.log",
            ],
            "the last restart of its job left none",
            id="the last restart died early",
        ),
    ],
)
def test_where_the_last_restart_left_none_there_is_none(names, reason):
    assert golden_entry(source(), names, RESULTS) == FileReason(source().file, reason)


def test_a_place_without_numbers_holds_one_golden():
    results = RESULTS.model_copy(update={"golden": ("out/{file}",)})

    assert golden_entry(source(), ["a", f"out/{GOLDEN}"], results) == f"out/{GOLDEN}"
    assert isinstance(golden_entry(source(), ["a"], results), FileReason)


@given(st.lists(st.text(max_size=80), max_size=20), st.integers(0, 20))
def test_names_of_another_form_neither_hide_nor_replace_the_golden(names, restart):
    golden = f"results/iteration=3/restart={restart}/{BASIC}/{GOLDEN}"

    assert golden_entry(source(), [*names, golden, *names], RESULTS) == golden
