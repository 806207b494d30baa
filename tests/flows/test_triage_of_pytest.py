"""What pytest itself prints is read aright: the forms are not ours."""

import os
import subprocess
import sys

import pytest

from bot.core.triage.harness import Kind
from tests.core.triage.logs import started
from tests.core.triage.world import facts, verdict

COMMON = '''
import logging

logger = logging.getLogger("tests.functional_tests.python_test_utils.common")


def pipeline(metrics):
    failed = []
    for name, how in metrics.items():
        if how != "fine":
            logger.error(f"Exact comparison of {name}: FAILED")
            failed.append(name)
        if how == "both":
            logger.error(f"Approximate comparison of {name}: FAILED")
            failed.append(name)
        else:
            logger.info(f"APPROXIMATE test for metric {name}: PASSED")
    if not metrics:
        raise MissingTensorboardLogsError(f"Metric lm loss not found in Tensorboard logs!")
    assert not failed, f"The following metrics failed: {', '.join(failed)}"


class MissingTensorboardLogsError(Exception):
    """Metric iteration-time has no finite values."""
'''


@pytest.fixture
def printed(tmp_path):
    """Return what pytest prints of a test module, as the harness calls it."""
    (tmp_path / "common.py").write_text(COMMON)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def run(name, body):
        (tmp_path / name).write_text(f"import pytest\nimport common\n\n\n{body}\n")
        command = [sys.executable, "-m", "pytest", "-s", "-o", "log_cli=true", "--log-cli-level=info", name]
        environment = {**os.environ, "FORCE_COLOR": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        environment.pop("NO_COLOR", None)
        found = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        return found.stdout.splitlines()

    return run


def regular(metrics):
    return f"def test_regular_pipeline():\n    common.pipeline({metrics})"


@pytest.mark.parametrize(
    ("metrics", "kind"),
    [
        ({"lm loss": "exact", "num-zeros": "exact"}, "drift"),
        ({"lm loss": "exact", "num-zeros": "fine"}, "drift"),
        ({"lm loss": "exact", "num-zeros": "both"}, "large-drift"),
        ({}, "missing-golden"),
    ],
)
def test_a_comparison_that_failed(printed, metrics, kind):
    log = started()
    for _ in range(3):
        log.train(3).check().task(*printed("test_regular_pipeline.py", regular(metrics))).restart()

    assert verdict(log.result()).kind == kind


def test_a_second_run_that_differs(printed):
    passing = printed("test_regular_pipeline.py", regular({"lm loss": "fine"}))
    body = regular({"lm loss": "exact"}).replace("test_regular", "test_resume_checkpoint")
    failing = printed("test_resume_checkpoint_pipeline.py", body)
    log = started().check().task(*passing).check("Running pytest 1st vs 2nd run comparison").task(*failing)

    assert verdict(log.result()).kind == "resume-mismatch"


def test_repeats_that_pass(printed):
    passing = printed("test_regular_pipeline.py", regular({"lm loss": "fine"}))
    log = started()
    for _ in range(3):
        log.train(3).check().task(*passing)

    assert [it.check for it in facts(log).of(Kind.CHECK_PASSED)] == [1, 2, 3]


def test_an_inference_test_with_an_answer_of_many_lines(printed):
    said = 'f"Token mismatch:\\nGround truth: {[1]}\\nCurrent: {[2]}"'
    lines = printed("test_inference.py", f"def test_inference_pipeline():\n    assert [1] == [2], {said}")

    assert verdict(started().check().task(*lines).result()).kind == "inference-drift"


def test_unit_tests_are_named_with_their_parameters(printed):
    body = (
        '@pytest.mark.parametrize("x", ["a b", "c-d"])\n'
        "class TestSome:\n"
        "    def test_y(self, x):\n"
        "        assert x == 'c-d', 'a - dash'\n"
    )
    log = started().task(*printed("test_x.py", body)).task(*printed("test_z.py", "import nowhere")).result()

    assert [it.subject for it in facts(log).of(Kind.NODE_FAILED)] == [
        "test_x.py::TestSome::test_y[a b]",
        "test_z.py",
    ]
