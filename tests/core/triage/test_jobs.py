"""Jobs and artifacts: what a job is about, which attempt counts, which artifact is its own."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.triage.jobs import Subject, candidates, current, golden_name, subject
from tests.core.triage.logs import BEGIN
from tests.core.triage.world import GB200, GOLDENS, H100, RESULTS, SUBJECT, artifact, job


@pytest.mark.parametrize(
    ("name", "labels", "expected"),
    [
        ("gpt/gpt_x - latest", (H100,), Subject("functional", "gpt", "gpt_x", "dgx_h100")),
        ("gpt/gpt_x - latest", ("self-hosted", GB200), Subject("functional", "gpt", "gpt_x", "dgx_gb200")),
        ("gpt/gpt_x - latest", ("my-laptop",), Subject("functional", "gpt", "gpt_x", "")),
        ("gpt/gpt_x - latest", (), Subject("functional", "gpt", "gpt_x", "")),
        ("moe/a/b - latest", (H100,), Subject("functional", "moe", "a/b", "dgx_h100")),
        ("gpt/größe_π - latest", (H100,), Subject("functional", "gpt", "größe_π", "dgx_h100")),
        ("tests/unit_tests/data/** - latest", (H100,), Subject("unit", "", "data/**", "dgx_h100")),
        ("tests/unit_tests/**/*.py - gb200 latest", (GB200,), Subject("unit", "", "**/*.py", "dgx_gb200")),
        (
            "cicd-container-build / Build CI container (gb-gpu)",
            (),
            Subject("build", "", "cicd-container-build / Build CI container (gb-gpu)", ""),
        ),
        ("linting", (), Subject("other", "", "linting", "")),
        ("", (), Subject("other", "", "", "")),
        ("gpt/gpt_x - latest, or not", (), Subject("other", "", "gpt/gpt_x - latest, or not", "")),
        ("gpt/ - latest", (), Subject("other", "", "gpt/ - latest", "")),
    ],
)
def test_the_name_says_what_a_job_is_about_and_the_runner_on_which_platform(name, labels, expected):
    assert subject(job(name, labels=labels), RESULTS) == expected


def test_a_person_calls_a_test_by_its_model_and_a_bucket_by_its_path():
    assert SUBJECT.name == "gpt/gpt_x"
    assert Subject("unit", "", "data/**", "dgx_h100").name == "data/**"


def names(jobs):
    return [(about.test, it.id) for about, it in current(jobs, RESULTS)]


def test_each_test_counts_in_the_attempt_in_which_it_last_ran():
    first = job("gpt/one - latest", id=1, conclusion="success")
    failed = job("gpt/two - latest", id=2)
    again = job("gpt/two - latest", id=3, attempt=2, conclusion="success")

    assert names([again, first, failed]) == [("two", 3), ("one", 1)]


@pytest.mark.parametrize(
    "later",
    [
        pytest.param({"conclusion": "skipped"}, id="skipped"),
        pytest.param({"conclusion": "cancelled", "started_at": None}, id="cancelled in the queue"),
    ],
)
def test_an_attempt_in_which_a_job_did_not_run_does_not_count(later):
    assert names([job(id=1), job(id=2, attempt=2, **later)]) == [("gpt_x", 1)]


def test_a_job_that_runs_again_has_no_verdict_yet():
    assert names([job(id=1), job(id=2, attempt=2, status="in_progress")]) == [("gpt_x", 2)]


def test_a_test_of_two_platforms_is_two_tests_although_both_jobs_have_one_name():
    both = current([job(id=1), job(id=2, labels=(GB200,))], RESULTS)

    assert [(about.platform, it.id) for about, it in both] == [("dgx_h100", 1), ("dgx_gb200", 2)]


def test_two_jobs_on_unknown_runners_do_not_hide_each_other():
    assert names([job(id=1, labels=()), job(id=2, labels=("x",))]) == [("gpt_x", 1), ("gpt_x", 2)]


def found(*artifacts, test="gpt_x", **more):
    result = candidates(artifacts, job(**more), test, GOLDENS)
    return [it.id for it in result.artifacts], [it.id for it in result.expired]


@pytest.mark.parametrize(
    ("name", "test", "fits"),
    [
        ("logs-gpt_x-7-0f3a", "gpt_x", True),
        ("logs-gpt_x-8-0f3a", "gpt_x", False),
        ("logs-gpt_x_long-7-0f3a", "gpt_x", False),
        ("coverage-gpt_x-7-0f3a", "gpt_x", False),
        ("logs-a-b-c-7-0f3a", "a/b*c", True),
        ("logs-a.c-7-0f3a", "a.c", True),
        ("logs-abc-7-0f3a", "a.c", False),
    ],
)
def test_an_artifact_belongs_to_a_test_by_its_name(name, test, fits):
    assert found(artifact(name), test=test) == ([70] if fits else [], [])


def test_an_artifact_of_another_attempt_or_run_is_not_taken():
    mine = artifact("logs-gpt_x-7-a", id=1)
    earlier = artifact("logs-gpt_x-7-b", minutes=-30, id=2)
    later = artifact("logs-gpt_x-7-c", minutes=90, id=3)
    other_run = artifact("logs-gpt_x-7-d", id=4, run=8)

    assert found(mine, earlier, later, other_run) == ([1], [])


def test_a_job_without_times_takes_every_artifact_of_its_name_the_newest_first():
    old, new = artifact("logs-gpt_x-7-a", minutes=1, id=1), artifact("logs-gpt_x-7-b", minutes=900, id=2)

    assert found(old, new, started_at=None) == ([2, 1], [])


def test_the_second_try_to_upload_replaces_the_first():
    first, second = artifact("logs-gpt_x-7-a", id=1), artifact("logs-gpt_x-7-a-retry", id=2)

    assert found(first, second) == ([2], [])


def test_an_expired_artifact_is_not_read_but_told():
    assert found(artifact("logs-gpt_x-7-a", expired=True)) == ([], [70])


def test_where_the_host_says_which_job_left_an_artifact_the_name_does_not_matter():
    mine, other = artifact("artifacts.zip", id=1, job=1), artifact("logs-gpt_x-7-a", id=2, job=5)

    assert found(mine, other) == ([1], [])


def test_clocks_may_differ_by_a_moment():
    late = replace(artifact("logs-gpt_x-7-a"), created_at=BEGIN + timedelta(minutes=12, seconds=30))

    assert found(late) == ([70], [])


def test_the_golden_of_a_test_is_known_by_its_file_name():
    assert golden_name(SUBJECT, GOLDENS) == "golden_values_dev_dgx_h100.json"
