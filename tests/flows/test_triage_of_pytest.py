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


def comparing(metrics):
    return f"import common\n\n\ndef test_pipeline():\n    common.pipeline({metrics})\n"


MODULES = {
    "test_exact": comparing({"lm loss": "exact", "num-zeros": "exact"}),
    "test_one": comparing({"lm loss": "exact", "num-zeros": "fine"}),
    "test_both": comparing({"lm loss": "exact", "num-zeros": "both"}),
    "test_none": comparing({}),
    "test_fine": comparing({"lm loss": "fine"}),
    "test_resume_checkpoint_pipeline": comparing({"lm loss": "exact"}),
    "test_import": "import nowhere\n",
    "test_inference": """
def test_inference_pipeline():
    assert [1] == [2], f"Token mismatch:\\nGround truth: {[1]}\\nCurrent: {[2]}"
""",
    "test_parameters": """
import pytest


@pytest.mark.parametrize("x", ["a b", "c-d"])
class TestSome:
    def test_y(self, x):
        assert x == "c-d", "a - dash"
""",
}
OPTIONS = ["-s", "-o", "log_cli=true", "--log-cli-level=info", "-p", "no:cacheprovider"]
DRIVER = """
import pytest, sys
for name in sys.argv[1:]:
    print("MODULE", name, flush=True)
    pytest.main([*OPTIONS, name + ".py"])
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Return what pytest prints of each module, called as the harness calls it but in one process."""
    folder = tmp_path_factory.mktemp("harness")
    (folder / "common.py").write_text(COMMON)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_text(text)
    environment = {**os.environ, "FORCE_COLOR": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-c", DRIVER.replace("OPTIONS", repr(OPTIONS)), *MODULES]
    text = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, check=True
    ).stdout.decode()
    parts = [part.partition("\n") for part in text.split("MODULE ")[1:]]
    return {name: lines.splitlines() for name, _, lines in parts}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("test_exact", "drift"),
        ("test_one", "drift"),
        ("test_both", "large-drift"),
        ("test_none", "missing-golden"),
        ("test_inference", "inference-drift"),
    ],
)
def test_a_comparison_that_failed(printed, name, kind):
    log = started()
    for _ in range(3):
        log.train(3).check().task(*printed[name]).restart()

    assert verdict(log.result()).kind == kind


def test_a_second_run_that_differs(printed):
    log = started().check().task(*printed["test_fine"])
    log.check("Running pytest 1st vs 2nd run comparison").task(*printed["test_resume_checkpoint_pipeline"])

    assert verdict(log.result()).kind == "resume-mismatch"


def test_repeats_that_pass(printed):
    log = started()
    for _ in range(3):
        log.train(3).check().task(*printed["test_fine"])

    assert [it.check for it in facts(log).of(Kind.CHECK_PASSED)] == [1, 2, 3]


def test_unit_tests_are_named_with_their_parameters(printed):
    log = started().task(*printed["test_parameters"], *printed["test_import"]).result()

    assert [it.subject for it in facts(log).of(Kind.NODE_FAILED)] == [
        "test_parameters.py::TestSome::test_y[a b]",
        "test_import.py",
    ]
