"""The harness of the real repository says what triage listens for."""

import re

import pytest

from bot import wiring
from bot.core.ci import Job
from bot.core.triage.harness import TELLTALE, Kind, stated
from bot.core.triage.jobs import subject
from bot.core.triage.label_proof import label_seen

LAUNCHER = "tests/test_utils/python_scripts/launch_nemo_run_workload.py"
COMMON = "tests/functional_tests/python_test_utils/common.py"
INFERENCE = "tests/functional_tests/python_test_utils/test_inference_regular_pipeline.py"
SCRIPT = "tests/functional_tests/shell_test_utils/run_ci_test.sh"
ACTION = ".github/actions/action.yml"
WORKFLOW = ".github/workflows/cicd-main.yml"
RECIPE = wiring.load_recipe("megatron-lm")


@pytest.fixture(scope="module")
def sources(megatron):
    paths = [LAUNCHER, COMMON, INFERENCE, SCRIPT, ACTION, WORKFLOW]
    found = megatron.files("HEAD", paths)
    return {path: (content or b"").decode() for path, content in found.items()}


def test_each_sign_of_bad_luck_is_known(sources):
    listed = re.findall(r'"([^"]+)"\s+in concat_allranks_logs', sources[LAUNCHER])
    known = {Kind.NCCL, Kind.INFRA, Kind.CRASH}
    # The first is pytest's line, which has a form of its own; the second only ends another message.
    others = {"The following metrics failed", "For debugging consider passing CUDA_LAUNCH_BLOCKING=1"}

    assert len(listed) >= 30
    for text in sorted(set(listed) - others):
        found = stated(f"program: {text}")
        assert found is not None, text
        assert found[0] in known, text
        assert TELLTALE.search(text.encode()), text


def test_the_launchers_own_words_are_known(sources):
    said = {
        "Detected flaky failure, attempt restart.": Kind.RESTART,
        "Job failed with status: ": Kind.JOB_FAILED,
    }
    for text, kind in said.items():
        assert text in sources[LAUNCHER]
        assert stated(f"ERROR:__main__:{text}{'FAILED' if text.endswith(' ') else ''}") == (kind, "")


def test_the_comparisons_words_are_known(sources):
    live = "ERROR    tests.common:common.py:360 "
    said = {
        "Exact comparison of {metric_name}: FAILED": Kind.EXACT_FAILED,
        "Approximate comparison of {metric_name}: FAILED": Kind.APPROXIMATE_FAILED,
        "{test.type_of_test_result.name} test for metric {metric_name}: PASSED": Kind.APPROXIMATE_PASSED,
        "Metric {metric_name} has no values in the golden file.": Kind.NO_GOLDEN,
    }
    for text, kind in said.items():
        assert text in sources[COMMON]
        printed = text.replace("{metric_name}", "lm loss")
        printed = printed.replace("{test.type_of_test_result.name}", "APPROXIMATE")
        assert stated(live + printed) == (kind, "lm loss")


def test_what_an_inference_test_says_is_known(sources):
    said = re.findall(
        r'f?"((?:Token|Logprobs|Generated|Throughput|Memory|Routing)[^"{\\]{8,})', sources[INFERENCE]
    )

    assert len(said) >= 8
    for text in said:
        found = stated(f"E       AssertionError: {text}")
        assert found is not None, text
        assert found[0] is Kind.OUTPUT_DIFFERS, text


def test_the_scripts_marks_are_known(sources):
    said = {
        "Running pytest checks against golden values": Kind.CHECK_BEGAN,
        "Running pytest 1st vs 2nd run comparison": Kind.RESUME_CHECK_BEGAN,
        "Training failed. Aborting.": Kind.TRAINING_FAILED,
    }
    for text, kind in said.items():
        assert f'echo "{text}"' in sources[SCRIPT]
        assert stated(text) == (kind, "")


def test_the_source_of_the_runners_steps_states_nothing_but_that_a_step_began(sources):
    step = {Kind.LAUNCHED, Kind.EXCERPT}
    facts = {stated(line.strip()) for line in sources[ACTION].splitlines()}

    assert {fact[0] for fact in facts if fact} == step


def test_the_label_is_proved_by_what_the_configure_job_prints(sources):
    proof = RECIPE.track("dev").label_proof
    printed = set(re.findall(r'echo "(\w+)=\$', sources[WORKFLOW]))

    assert set(proof.says) <= printed
    log = b"scope=L1\nn_repeat=5\nlightweight=false\n"
    assert label_seen(proof, [log]).state == "proved"
    assert label_seen(proof, [log.replace(b"5", b"1")]).state == "contradicted"


def test_names_and_runners_of_the_workflows_jobs_are_known(sources):
    names = re.findall(r'^    name: "?(.*latest)"?$', sources[WORKFLOW], re.MULTILINE)

    assert len(names) >= 4
    for name in names:
        shown = re.sub(r"\$\{\{[^}]*bucket[^}]*\}\}", "tests/unit_tests/data/**", name)
        shown = re.sub(r"\$\{\{[^}]*\}\}", "x", shown)
        job = Job(1, 1, shown, 1, "completed", "failure", (), None, None, "")
        assert subject(job, RECIPE.results).role in {"unit", "functional"}, name
