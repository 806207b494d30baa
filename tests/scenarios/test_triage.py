"""`bot triage` on the CI of the lab, over HTTP: each outcome of a story is found again."""

import json

import pytest

from bot.cli.main import main
from bot.lab import actions
from bot.lab.megatron import REPOSITORY, megatron_files
from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_tests import Outcome
from bot.lab.runs import Push

FUNCTIONAL = "Run functional tests"
RESUME = "gpt/gpt_small_tp1_pp4_resume"
BOTH = "moe/moe_small_ep4_both"
GOLDEN = f"tests/functional_tests/test_cases/{RESUME}/golden_values_dev_dgx_h100.json"
NEW = scaled(megatron_files()[GOLDEN], {"lm loss": 1.000_01})
FAR = scaled(megatron_files()[GOLDEN], {"lm loss": 1.2})


class Ci:
    """A pull request on the lab whose tests go as the story says."""

    def __init__(self, lab) -> None:
        self.world, self.script = lab.world, MegatronCi()
        self.world.add_repository(REPOSITORY, megatron_files())
        self.world.on_push(REPOSITORY, "pull-request/*", self.script, path=WORKFLOW, name=NAME)
        self.world.set_role(REPOSITORY, self.world.user("bump-bot").login, "write")
        start = self.world.repository(REPOSITORY).branch("main") or ""
        self.world.create_branch(REPOSITORY, "bot/x", start, author="ann")
        pin = {"docker/.ngc_version.dev": "nvcr.io/nvidia/pytorch:26.06-py3\n"}
        self.world.push(REPOSITORY, "bot/x", pin, author="ann")
        self.world.open_pull_request(REPOSITORY, "bot/x", "main", author="ann")
        self.world.label(REPOSITORY, 1, FUNCTIONAL)

    def begin(self):
        """Mirror the head of the pull request, and return the run that begins."""
        head = self.world.repository(REPOSITORY).branch("bot/x")
        self.world.create_branch(REPOSITORY, "pull-request/1", head, author="max")
        return self.world.workflow_runs(REPOSITORY)[-1]

    def run(self):
        made = self.begin()
        self.world.finish(made)
        return made


@pytest.fixture
def triage(lab, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("GITHUB_API_URL", lab.url)
    monkeypatch.setenv("GITHUB_TOKEN", lab.user_token("bump-bot"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def run(number):
        words = ("triage", "--run-id", str(number), "--recipe", "megatron-lm", "--repo", REPOSITORY, "--json")
        status = main(words)
        printed = capsys.readouterr()
        assert status == 0, printed
        return json.loads(printed.out), printed.err

    return run


def verdicts(document):
    return {
        (f"{it['model']}/{it['test']}", it["platform"]): (it["verdict"], it["remedy"])
        for it in document["verdicts"]
    }


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome("drift", NEW), ("drift", "refresh")),
        (Outcome("large-drift", FAR), ("large-drift", "person")),
        (Outcome("resume-mismatch"), ("resume-mismatch", "person")),
        (Outcome("hang"), ("hang", "quarantine")),
        (Outcome("over-budget"), ("over-budget", "n-repeat")),
        (Outcome("oom"), ("oom", "person")),
        (Outcome("nccl"), ("nccl", "re-run")),
        (Outcome("infra"), ("infra", "re-run")),
    ],
)
def test_each_outcome_is_found_again(lab, triage, outcome, expected):
    ci = Ci(lab)
    ci.script.outcomes[f"{RESUME}@dgx_h100"] = outcome

    document, _ = triage(ci.run().id)
    assert verdicts(document) == {(RESUME, "dgx_h100"): expected}
    assert document["verdicts"][0]["evidence"]


def test_a_test_of_two_platforms_has_a_verdict_for_the_one_that_fails(lab, triage):
    ci = Ci(lab)
    ci.script.outcomes[f"{BOTH}@dgx_gb200"] = Outcome("drift", NEW)

    document, _ = triage(ci.run().id)
    assert verdicts(document) == {(BOTH, "dgx_gb200"): ("drift", "refresh")}


def test_failing_unit_tests_are_said_first(lab, triage):
    ci = Ci(lab)
    test = "tests/unit_tests/models/test_gpt.py::TestGpt::test_forward"
    ci.script.unit_failures["tests/unit_tests/models/**/*.py"] = [test]

    document, _ = triage(ci.run().id)
    assert document["headline"][0] == "no functional test ran, because unit tests failed"
    assert test in document["headline"][1]


def test_a_container_that_is_not_built_is_said(lab, triage):
    ci = Ci(lab)
    ci.script.build_fails = True

    document, _ = triage(ci.run().id)
    builds = {it["why"] for it in document["verdicts"] if it["role"] == "build"}
    assert builds == {"the container was not built"}


def test_what_the_merge_queue_of_the_base_shows_as_well_is_only_listed(lab, triage):
    ci = Ci(lab)
    ci.script.outcomes[f"{RESUME}@dgx_h100"] = Outcome("oom", on_base=True)
    queue = ci.world.on_push(REPOSITORY, "gh-readonly-queue/*", ci.script, path=WORKFLOW, name=NAME)
    repository = ci.world.repository(REPOSITORY)
    main = repository.branch("main") or ""
    push = Push(repository, "gh-readonly-queue/main/pr-9-abc", main, ci.world.user("ann"))
    ci.world.finish(actions.begin(ci.world, queue, push, "merge_group"))

    document, _ = triage(ci.run().id)
    assert verdicts(document) == {(RESUME, "dgx_h100"): ("broken-on-base", "none")}


def test_a_run_that_goes_on_has_no_verdict_yet(lab, triage):
    ci = Ci(lab)
    ci.script.outcomes[f"{RESUME}@dgx_h100"] = Outcome("oom")
    number = ci.begin().id

    document, people = triage(number)
    assert document["verdicts"] == []
    assert "the run is not over" in people
