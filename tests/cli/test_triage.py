"""`bot triage`: the document, the table, the exit status."""

import pytest

from bot import wiring
from bot.cli.selection import Selection
from bot.cli.triage import report
from bot.flows.triage import Reading
from tests.core.triage.logs import started
from tests.core.triage.world import GOLDEN, artifact, job, run
from tests.fakes.artifact_reader import FakeArtifactReader
from tests.fakes.ci_runs import FakeCiRuns

RECIPE = wiring.load_recipe("megatron-lm")
DRIFT = started().train(3).check().failed({"lm loss": "exact"}).restart().result()
UNIT = started().raises("AssertionError: no", "tests/unit_tests/a/test_x.py::test_y").result()


def reported(*jobs, logs=None, **more):
    ci = FakeCiRuns()
    ci.add(run(**more), jobs, [artifact("logs-gpt_x-7-a")], logs)
    files = FakeArtifactReader({70: {GOLDEN: b"{}"}})
    reading = Reading(ci, files, RECIPE.results, RECIPE.goldens)
    return report(reading, Selection(RECIPE, "main"), 7)


def test_the_document_has_a_verdict_for_each_test_with_its_evidence():
    result = reported(job(id=1), job("gpt/ok - latest", id=2, conclusion="success"), logs={1: DRIFT.bytes()})

    assert result.exit_code == 0
    assert {key: result.document[key] for key in ("run_id", "sha", "passed", "counts", "headline")} == {
        "run_id": 7,
        "sha": "a" * 40,
        "passed": 1,
        "counts": {"drift": 1},
        "headline": [],
    }
    [verdict] = result.document["verdicts"]
    assert (verdict["model"], verdict["test"], verdict["platform"]) == ("gpt", "gpt_x", "dgx_h100")
    assert (verdict["verdict"], verdict["remedy"]) == ("drift", "refresh")
    assert verdict["evidence"][0] == {
        "source": "job log",
        "line": DRIFT.number("E       AssertionError"),
        "text": "E       AssertionError: The following metrics failed: lm loss",
    }
    assert verdict["job"] == {
        "id": 1,
        "attempt": 1,
        "conclusion": "failure",
        "seconds": 720.0,
        "url": "https://ci.example/1",
    }


def test_a_person_reads_counts_first_and_then_each_test_with_its_line():
    result = reported(job(id=1), logs={1: DRIFT.bytes()})

    at = DRIFT.number("E       AssertionError")
    proof = f"job log:{at}: E       AssertionError: The following metrics failed: lm loss"
    assert result.text.splitlines() == [
        "run 7 of NVIDIA/Megatron-LM, pull-request/12 at aaaaaaaaaa: failure",
        "1 drift, 0 passed",
        "",
        "drift           refresh    gpt/gpt_x  dgx_h100",
        "  only exact comparisons failed, all approximate ones passed, and the new golden is there",
        f"  {proof}  (https://ci.example/1)",
    ]


def test_failing_unit_tests_come_before_everything():
    bucket = job("tests/unit_tests/a/** - latest", id=1)
    result = reported(bucket, logs={1: UNIT.bytes()})

    said = "unit tests `a/**` on dgx_h100: tests/unit_tests/a/test_x.py::test_y"
    assert result.document["headline"] == ["no functional test ran, because unit tests failed", said]
    assert result.text.splitlines()[1] == "no functional test ran, because unit tests failed"
    [verdict] = result.document["verdicts"]
    assert (verdict["model"], verdict["failed_tests"]) == (None, ["tests/unit_tests/a/test_x.py::test_y"])


def test_a_run_that_goes_on_shows_the_verdicts_of_finished_jobs():
    jobs = (job(id=1), job("gpt/two - latest", id=2, status="in_progress"))
    result = reported(*jobs, logs={1: DRIFT.bytes()}, status="in_progress", conclusion=None)

    assert result.exit_code == 0
    assert result.document["unfinished"] == ["gpt/two"]
    assert "the run is not over (in progress); jobs without a verdict: 1" in result.text
    assert "1 drift, 0 passed, 1 unfinished" in result.text


def test_nothing_of_a_log_or_a_name_moves_the_cursor():
    log = started().dies("ValueError: \x1b[2J\x9b2J\x07 clear").result()
    result = reported(job("gpt/a\x1b[2Jb - latest", id=1, labels=("x",)), logs={1: log.bytes()})

    assert all(sign.isprintable() or sign == "\n" for sign in result.text)
    assert result.document["verdicts"][0]["platform"] is None


@pytest.mark.parametrize(
    "words",
    [
        pytest.param((), id="no run"),
        pytest.param(("--run-id", "0"), id="no such number"),
        pytest.param(("--run-id", "x"), id="not a number"),
        pytest.param(("--run-id", "7", "--recipe", "nowhere"), id="no such recipe"),
    ],
)
def test_a_mistake_of_the_person_is_exit_status_2(bot, words):
    assert bot("triage", *words).status == 2


def test_a_recipe_that_does_not_say_how_ci_is_read_is_told(bot, tmp_path):
    text = (wiring.recipe_folder() / "megatron-lm.yaml").read_text()
    recipe = tmp_path / "small.yaml"
    recipe.write_text(text[: text.index("\nresults:")] + "\n")
    outcome = bot("triage", "--run-id", "7", "--recipe", str(recipe))

    assert outcome.status == 2
    assert "does not say how CI is read" in outcome.document["error"]["message"]
