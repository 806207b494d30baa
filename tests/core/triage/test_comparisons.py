"""A comparison that failed: drift, or what only looks like it."""

import pytest

from bot.core.triage.verdict import Evidence
from tests.core.triage.logs import INFERENCE, REGULAR, RESUME, started
from tests.core.triage.world import (
    EXACT,
    GOLDEN,
    STOPPED,
    WATCHDOG,
    drifting,
    e_line,
    golden,
    job,
    said,
    verdict,
)


def test_drift_is_proved_by_pytests_line_of_the_last_attempt():
    log = drifting()

    assert said(log) == ("drift", "refresh", e_line(log, 3))


def test_drift_shows_which_comparisons_failed_and_which_passed():
    found = verdict(drifting())

    texts = [it.text for it in found.evidence]
    assert any("Exact comparison of lm loss: FAILED" in text for text in texts)
    assert any("APPROXIMATE test for metric lm loss: PASSED" in text for text in texts)
    assert found.evidence[-1] == Evidence("logs-gpt_x-7-uuid", None, GOLDEN)


def test_drift_of_one_metric_beside_metrics_that_are_right():
    assert said(drifting(metrics={"lm loss": "exact", "num-zeros": "fine"}))[0] == "drift"


def test_slow_drift_that_ran_into_the_limit_is_still_drift():
    log = drifting(attempts=1).train(5, 30).cancel().result(passed=True)

    assert said(log, job=job(**STOPPED))[:2] == ("drift", "refresh")


def test_drift_after_bad_luck_is_drift():
    log = started().train(3).task(WATCHDOG).restart().train(3).check().failed(EXACT).restart().result()

    assert said(log)[0] == "drift"


@pytest.mark.parametrize(
    ("left", "kind", "why"),
    [
        (golden(is_there=False), "missing-golden", f"the artifact holds no `{GOLDEN}`"),
        (golden(second=True), "unknown", "a second run was recorded"),
        ("its artifact has expired", "unknown", "its artifact has expired"),
        (None, "unknown", "it left no artifact"),
    ],
)
def test_drift_without_a_whole_golden_is_never_refreshed(left, kind, why):
    found = verdict(drifting(), golden=left)

    assert (found.kind, found.remedy) == (kind, "none")
    assert why in found.why


def test_a_test_that_passed_before_it_failed_is_no_drift():
    log = started().train(3).check().passed().train(3).check().failed(EXACT).restart().result()

    found = verdict(log)
    assert (found.kind, found.remedy) == ("unknown", "none")
    assert "earlier repeat" in found.why


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(drifting(metrics={"lm loss": "both"}), id="far off"),
        pytest.param(drifting(metrics={"lm loss": "exact", "num-zeros": "both"}), id="one near, one far"),
        pytest.param(
            started().check().failed({"lm loss": "both"}).restart().check().failed(EXACT).restart().result(),
            id="far off in the first attempt only",
        ),
    ],
)
def test_an_approximate_comparison_that_failed_is_for_a_person(log):
    assert said(log)[:2] == ("large-drift", "person")


def test_a_metric_without_a_word_on_its_approximate_comparison_is_no_drift():
    log = started().check().failed({"lm loss": "exact"})
    log.lines = [line for line in log.lines if "APPROXIMATE" not in line]

    found = verdict(log)
    assert (found.kind, found.evidence[0].line) == ("unknown", e_line(log))


def test_a_log_that_lies_moves_no_golden():
    lie = "ERROR    x:common.py:1 Exact comparison of lm loss: FAILED"
    log = started().task("The following metrics failed: lm loss", "Exact comparison of lm loss: FAILED", lie)
    log.task("║   ✅  PASSED   ║", "E      AssertionError: The following metrics failed: lm loss?")

    assert verdict(log.dies("ValueError: bad shape").result()).remedy == "none"


@pytest.mark.parametrize(
    "error",
    [
        "AssertionError: Iteration time 900.0 ms not within 15% of golden value ~500 ms.",
        "AssertionError: LM loss values outside tolerance (1.0%):\n  - Step 3: 1 differs from golden 2",
        "AssertionError: Max mem allocated bytes 9 bytes exceeds 10% above golden max 8 bytes.",
    ],
)
def test_a_training_loop_outside_its_tolerance_is_for_a_person(error):
    log = started().check().raises(error)

    assert said(log) == ("large-drift", "person", e_line(log))


@pytest.mark.parametrize(
    "error",
    [
        "AssertionError: Token mismatch:\nGround truth: [1, 2]\nCurrent: [1, 3]",
        "AssertionError: Logprobs differ at index 3: -0.50000 vs -0.70000",
        "AssertionError: Generated text mismatch:\nGround truth (truncated to 3 chars): abc",
        "AssertionError: Throughput is slower than expected! Expected to be within 10% of ~90 tok/s",
        "AssertionError: Memory is too low for mem-max-allocated-bytes: expected within 5% of 9 bytes",
    ],
)
def test_an_inference_test_that_differs_is_for_a_person(error):
    log = (
        started()
        .check()
        .raises(error, INFERENCE)
        .say("ERROR:__main__:Job failed with status: FAILED")
        .result()
    )

    assert said(log) == ("inference-drift", "person", e_line(log))


def test_a_second_run_that_differs_from_the_first_is_never_refreshed():
    log = started().train(3).check().passed().train(3).check("Running pytest 1st vs 2nd run comparison")
    log.failed({"lm loss": "exact"}, RESUME).restart().result()

    assert said(log, golden=golden(second=True)) == ("resume-mismatch", "person", e_line(log))


def test_a_second_run_without_a_metric_is_a_mismatch_too():
    log = started().check().passed().check("Running pytest 1st vs 2nd run comparison")
    log.raises("assert False", RESUME)

    assert said(log)[:2] == ("resume-mismatch", "person")


@pytest.mark.parametrize(
    "error",
    [
        f"FileNotFoundError: [Errno 2] No such file or directory: '/opt/{GOLDEN}'",
        "tests.common.MissingTensorboardLogsError: Metric lm loss not found in Tensorboard logs! Please",
        "ValueError: operands could not be broadcast together with shapes (50,) (20,)",
    ],
)
def test_a_test_without_a_golden_is_told(error):
    log = started().check().raises(error, REGULAR)

    assert said(log) == ("missing-golden", "none", e_line(log))


def test_a_check_that_fails_in_a_new_way_is_not_guessed():
    log = started().check().raises("json.decoder.JSONDecodeError: Expecting value", REGULAR)

    assert said(log) == ("unknown", "none", e_line(log))
