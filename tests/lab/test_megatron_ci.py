"""The CI of the small Megatron-LM: which jobs there are, and what each outcome leaves behind."""

import io
import json
import re
import zipfile
from collections.abc import Sequence

import pytest

from bot.lab.megatron import REPOSITORY, megatron_files
from bot.lab.megatron_artifacts import scaled, truncated
from bot.lab.megatron_ci import GATE, NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_tests import Outcome
from bot.lab.runs import WorkflowJob, WorkflowRun
from bot.lab.server import GitHubLab

FUNCTIONAL = "Run functional tests"
RESUME = "gpt/gpt_small_tp1_pp4_resume@dgx_h100"
BOTH = "moe/moe_small_ep4_both"
FOLDER = "tests/functional_tests/test_cases"
OLD = megatron_files()[f"{FOLDER}/gpt/gpt_small_tp1_pp4_resume/golden_values_dev_dgx_h100.json"]
NEW = scaled(OLD, {"lm loss": 1.000_01, "num-zeros": 1.01})
FAR = scaled(OLD, {"lm loss": 1.2})

H100 = (
    "gpt/gpt_small_dp8_fsdp - latest",
    "gpt/gpt_small_tp1_pp4_resume - latest",
    "gpt/gpt_small_tp2_pp2 - latest",
    "moe/moe_small_ep2_alltoall - latest",
    "moe/moe_small_ep4_both - latest",
)
GB200 = ("gpt/gpt_small_tp2_pp2_1node - latest", "moe/moe_small_ep4_both - latest")


class Ci:
    """The small repository with its CI, and a pull request whose mirror is pushed as often as wanted."""

    def __init__(self, lab: GitHubLab, author: str = "ann") -> None:
        self.world = lab.world
        self.script = MegatronCi()
        self.world.add_repository(REPOSITORY, megatron_files())
        self.world.on_push(REPOSITORY, "pull-request/*", self.script, path=WORKFLOW, name=NAME)
        start = self.world.repository(REPOSITORY).branch("main") or ""
        self.world.create_branch(REPOSITORY, "bot/x", start, author=author)
        self.head = self.push({"docker/.ngc_version.dev": "nvcr.io/nvidia/pytorch:26.06-py3\n"})
        self.world.open_pull_request(REPOSITORY, "bot/x", "main", author=author)

    def push(self, files: dict[str, str | bytes]) -> str:
        self.head = self.world.push(REPOSITORY, "bot/x", files, author="ann")
        return self.head

    def run(self, *labels: str) -> WorkflowRun:
        """Mirror the head, and let its run end."""
        self.world.label(REPOSITORY, 1, *filter(None, labels))
        if self.world.repository(REPOSITORY).branch("pull-request/1"):
            self.world.delete_branch(REPOSITORY, "pull-request/1", author="max")
        self.world.create_branch(REPOSITORY, "pull-request/1", self.head, author="max")
        made = self.world.workflow_runs(REPOSITORY)[-1]
        self.world.finish(made)
        return made


@pytest.fixture
def ci(lab: GitHubLab) -> Ci:
    return Ci(lab)


def names(run: WorkflowRun, end: str = " - latest") -> list[str]:
    return [job.plan.name for job in run.jobs if job.plan.name.endswith(end) and "unit" not in job.plan.name]


def job(run: WorkflowRun, key: str) -> WorkflowJob:
    """Return the newest job of a name, without ` - latest`, or of `name@platform`."""
    name, _, platform = key.partition("@")
    label = {"": "", "dgx_h100": "x8", "dgx_gb200": "x4"}[platform]
    found = [
        it
        for it in run.jobs
        if it.plan.name.removesuffix(" - latest") == name and it.plan.labels[0].endswith(label)
    ]
    return found[-1]


def log(found: WorkflowJob) -> str:
    assert found.started_at
    return b"".join(found.plan.log(found.started_at)).decode("utf-8-sig")


def plain(found: WorkflowJob) -> list[str]:
    """Return the lines of a log without times and colours."""
    return [re.sub(r"\x1b\[[0-9;]*m", "", line[29:]) for line in log(found).splitlines()]


def contents(found: WorkflowJob) -> dict[str, bytes]:
    (left,) = found.plan.artifacts
    with zipfile.ZipFile(io.BytesIO(left.content())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_label_decides_what_runs(ci: Ci):
    run = ci.run(FUNCTIONAL)

    assert names(run) == [*H100, *GB200]
    assert run.jobs[-1].plan.name == GATE
    assert (run.conclusion, run.jobs[-1].conclusion) == ("success", "success")
    said = plain(job(run, "configure"))
    assert {"scope=L1", "n_repeat=5", "lightweight=false", "lts=false"} <= set(said)


@pytest.mark.parametrize(
    ("labels", "said", "functional"),
    [
        pytest.param([], ["scope=L0", "n_repeat=5", "lightweight=false"], 3, id="no label"),
        pytest.param(["Run tests"], ["scope=L1", "n_repeat=1", "lightweight=true"], 7, id="run tests"),
        pytest.param([FUNCTIONAL, "Run tests"], ["scope=L1", "n_repeat=1", "lightweight=true"], 7, id="both"),
        pytest.param(["container::lts", "Run tests"], ["lightweight=true", "lts=true"], 7, id="lts"),
    ],
)
def test_other_labels_mean_other_scopes(ci: Ci, labels: Sequence[str], said: list[str], functional: int):
    run = ci.run(*labels)

    assert set(said) <= set(plain(job(run, "configure")))
    assert len(names(run)) == functional


def test_without_comparisons_nothing_is_left_to_take_over(ci: Ci):
    ci.script.outcomes[RESUME] = Outcome("drift", NEW)

    found = job(ci.run("Run tests"), RESUME)

    assert found.conclusion == "success"
    assert not [name for name in contents(found) if name.startswith("golden")]
    assert "Skipping Pytest checks." in plain(found)


def test_one_name_on_two_platforms_differs_by_its_runner(ci: Ci):
    run = ci.run(FUNCTIONAL)

    found = [it for it in run.jobs if it.plan.name == f"{BOTH} - latest"]
    assert [it.plan.labels for it in found] == [
        ("nvidia-ci-aws-gpu-x8",),
        ("nvidia-ci-aws-use2-gpu-x4",),
    ]
    assert [[name for name in contents(it) if name.startswith("golden")] for it in found] == [
        ["golden_values_dev_dgx_h100.json"],
        ["golden_values_dev_dgx_gb200.json"],
    ]


def test_a_bot_as_author_means_no_gb200_and_a_green_gate(lab: GitHubLab):
    run = Ci(lab, author="bump-bot[bot]").run(FUNCTIONAL)

    assert names(run) == [*H100]
    assert run.conclusion == "success"


def test_quarantined_rows_do_not_run(ci: Ci):
    recipe = "tests/test_utils/recipes/gb200/moe.yaml"
    text = megatron_files()[recipe].decode()
    ci.push({recipe: text.replace("[mr-github]", "[mr-github-broken]")})

    assert names(ci.run(FUNCTIONAL)) == [*H100, GB200[0]]


def test_a_failing_unit_test_keeps_the_functional_ones_from_running(ci: Ci):
    bucket = "tests/unit_tests/models/**/*.py"
    ci.script.unit_failures[bucket] = ["tests/unit_tests/models/test_gpt.py::TestGpt::test_forward"]

    run = ci.run(FUNCTIONAL)

    found = job(run, bucket)
    assert (found.conclusion, run.conclusion) == ("failure", "failure")
    assert (
        "FAILED tests/unit_tests/models/test_gpt.py::TestGpt::test_forward - AssertionError: differs"
        in plain(found)
    )
    assert names(run) == ["${{ matrix.model }}/${{ matrix.test_case }} - latest"]
    assert job(run, "${{ matrix.model }}/${{ matrix.test_case }}").conclusion == "skipped"


def test_a_build_that_fails_stops_everything(ci: Ci):
    ci.script.build_fails = True

    run = ci.run(FUNCTIONAL)

    assert names(run) == []
    assert job(run, "cicd-container-build / Build CI container (gb-gpu)").conclusion == "failure"
    assert run.conclusion == "failure"


def test_what_passes_leaves_the_golden_of_the_tree(ci: Ci):
    found = job(ci.run(FUNCTIONAL), RESUME)

    assert contents(found)["golden_values_dev_dgx_h100.json"] == OLD
    lines = plain(found)
    assert sum("APPROXIMATE test for metric lm loss: PASSED" in line for line in lines) == 5
    assert "Job succeeded with status: SUCCEEDED" in lines


def test_a_drift_fails_exactly_and_passes_approximately(ci: Ci):
    ci.script.outcomes[RESUME] = Outcome("drift", NEW, ("lm loss", "num-zeros"))

    found = job(ci.run(FUNCTIONAL), RESUME)

    lines = plain(found)
    assert found.conclusion == "failure"
    assert contents(found)["golden_values_dev_dgx_h100.json"] == NEW
    assert "E       AssertionError: The following metrics failed: lm loss, num-zeros" in lines
    assert any(line.endswith("Exact comparison of lm loss: FAILED") for line in lines)
    assert any(line.endswith("APPROXIMATE test for metric lm loss: PASSED") for line in lines)
    assert not any("Approximate comparison" in line for line in lines)
    assert lines.count("Detected flaky failure, attempt restart.") == 2


def test_a_drift_is_over_once_the_tree_has_the_new_golden(ci: Ci):
    ci.script.outcomes[RESUME] = Outcome("drift", NEW)
    ci.push({f"{FOLDER}/gpt/gpt_small_tp1_pp4_resume/golden_values_dev_dgx_h100.json": NEW})

    run = ci.run(FUNCTIONAL)

    assert (job(run, RESUME).conclusion, run.conclusion) == ("success", "success")
    assert contents(job(run, RESUME))["golden_values_dev_dgx_h100.json"] == NEW


def test_a_large_drift_fails_both_ways(ci: Ci):
    ci.script.outcomes[RESUME] = Outcome("large-drift", FAR)

    lines = plain(job(ci.run(FUNCTIONAL), RESUME))

    assert any(line.endswith("Approximate comparison of lm loss: FAILED") for line in lines)
    assert "E       AssertionError: The following metrics failed: lm loss, lm loss" in lines


def test_a_resume_that_differs_leaves_a_second_golden(ci: Ci):
    ci.script.outcomes[RESUME] = Outcome("resume-mismatch")

    found = job(ci.run(FUNCTIONAL), RESUME)

    assert {"golden_values_dev_dgx_h100.json", "golden_values_dev_dgx_h100_2nd.json"} <= set(contents(found))
    assert any("test_resume_checkpoint_pipeline - " in line for line in plain(found))


def test_a_hang_is_cancelled_after_an_hour_of_silence_under_a_box_that_says_passed(ci: Ci):
    ci.script.outcomes[RESUME] = Outcome("hang")

    run = ci.run(FUNCTIONAL)

    found = job(run, RESUME)
    times = [line[:29] for line in log(found).splitlines()]
    canceled = plain(found).index("##[error]The operation was canceled.")
    assert (found.conclusion, run.conclusion) == ("cancelled", "failure")
    assert _minutes(found) == 60
    assert _seconds_between(times[canceled - 1], times[canceled]) > 600
    assert any("PASSED" in line for line in plain(found)[canceled:])
    assert contents(found)["golden_values_dev_dgx_h100.json"] == OLD


def test_what_is_over_budget_talks_to_the_end(ci: Ci):
    ci.script.outcomes[RESUME] = Outcome("over-budget")

    found = job(ci.run(FUNCTIONAL), RESUME)

    times = [line[:29] for line in log(found).splitlines()]
    canceled = plain(found).index("##[error]The operation was canceled.")
    assert (found.conclusion, _minutes(found)) == ("cancelled", 60)
    assert _seconds_between(times[canceled - 1], times[canceled]) < 600
    assert sum("APPROXIMATE test for metric lm loss: PASSED" in line for line in plain(found)) == 3


def _minutes(found: WorkflowJob) -> int:
    assert found.started_at
    assert found.completed_at
    return int((found.completed_at - found.started_at).total_seconds() // 60)


def _seconds_between(one: str, other: str) -> float:
    hours, minutes, seconds = (float(b) - float(a) for a, b in zip(_clock(one), _clock(other), strict=True))
    return (hours % 24) * 3600 + minutes * 60 + seconds


def _clock(text: str) -> list[str]:
    return text[11:27].split(":")


def test_a_full_gpu_leaves_a_golden_that_is_cut_off(ci: Ci):
    ci.script.outcomes[RESUME] = Outcome("oom")

    found = job(ci.run(FUNCTIONAL), RESUME)

    left = contents(found)
    golden = json.loads(left["golden_values_dev_dgx_h100.json"])
    assert len(golden["lm loss"]["values"]) < len(json.loads(OLD)["lm loss"]["values"])
    assert b"torch.OutOfMemoryError" in left["logs/1/none_lab/attempt_0/1/stderr.log"]
    assert "Training failed. Aborting." in plain(found)
    assert left["golden_values_dev_dgx_h100.json"] == truncated(OLD, 3)


def test_a_collective_that_times_out_is_tried_three_times(ci: Ci):
    ci.script.outcomes[RESUME] = Outcome("nccl")

    found = job(ci.run(FUNCTIONAL), RESUME)

    lines = plain(found)
    assert sum("Watchdog caught collective operation timeout" in line for line in lines) == 3
    assert not [name for name in contents(found) if name.startswith("golden")]


def test_a_runner_that_gets_no_image_leaves_nothing(ci: Ci):
    ci.script.outcomes[RESUME] = Outcome("infra")

    found = job(ci.run(FUNCTIONAL), RESUME)

    assert (found.conclusion, found.plan.artifacts) == ("failure", ())
    assert [step.name for step in found.plan.steps if step.conclusion == "failure"] == ["Pull container"]


def test_each_attempt_has_its_outcome_and_passed_jobs_stay(ci: Ci):
    ci.script.outcomes[RESUME] = [Outcome("nccl"), Outcome()]
    run = ci.run(FUNCTIONAL)

    ci.world.rerun_failed(run)
    ci.world.finish(run)

    assert (run.conclusion, run.attempt) == ("success", 2)
    assert sorted({it.plan.name for it in run.jobs if it.attempt == 2}) == [
        GATE,
        "gpt/gpt_small_tp1_pp4_resume - latest",
    ]
    assert len({it.name for it in run.artifacts}) == len(run.artifacts)


@pytest.mark.parametrize(
    ("event", "on_base", "expected"),
    [
        pytest.param("merge_group", True, "failure", id="broken on the base"),
        pytest.param("merge_group", False, "success", id="only the new image breaks it"),
        pytest.param("workflow_dispatch", True, "failure", id="a nightly run"),
    ],
)
def test_the_base_has_runs_of_its_own(ci: Ci, event: str, on_base: bool, expected: str):
    ci.script.outcomes[RESUME] = Outcome("oom", on_base=on_base)
    branch = "gh-readonly-queue/main/pr-9-abc" if event == "merge_group" else "main"

    run = ci.world.run_workflow(REPOSITORY, WORKFLOW, branch, "main", event)
    ci.world.finish(run)

    assert (run.event, run.branch, run.conclusion) == (event, branch, expected)
    assert len(names(run)) == 7


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(),
        Outcome("drift", NEW),
        Outcome("large-drift", FAR),
        Outcome("resume-mismatch"),
        Outcome("hang"),
        Outcome("over-budget"),
        Outcome("oom"),
        Outcome("nccl"),
        Outcome("infra"),
    ],
    ids=lambda it: it.kind,
)
def test_logs_go_forward_in_time_and_end_with_their_job(ci: Ci, outcome: Outcome):
    ci.script.outcomes[RESUME] = outcome

    found = job(ci.run(FUNCTIONAL), RESUME)

    lines = log(found).splitlines()
    times = [line[:28] for line in lines]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z", line[:28]) for line in lines)
    assert times == sorted(times)
    assert found.completed_at
    assert times[-1] <= f"{found.completed_at:%Y-%m-%dT%H:%M:%S}.9"


def test_a_large_log_is_made_while_it_is_read(ci: Ci):
    ci.script.noise = 100_000

    found = job(ci.run(), "gpt/gpt_small_tp2_pp2")

    assert found.started_at
    pieces = iter(found.plan.log(found.started_at))
    assert len(next(pieces)) < 128 * 1024


def test_a_drift_without_golden_values_is_no_story():
    with pytest.raises(ValueError, match="needs the golden values"):
        Outcome("drift")
