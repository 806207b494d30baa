"""`bot bump` again and again on the simulated GitHub, until the pull request is ready for review."""

import json

import pytest

from bot.lab.megatron import megatron_files
from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_tests import Outcome

REPOSITORY = "NVIDIA/Megatron-LM"
TEST = "gpt/gpt_small_tp1_pp4_resume"
GOLDEN = f"tests/functional_tests/test_cases/{TEST}/golden_values_dev_dgx_h100.json"
BUMP = ("bump", "26.06-py3", "--no-verify")


class GitHub:
    """The simulated GitHub with the repository's CI: every test passes unless `goes` says otherwise."""

    def __init__(self, lab) -> None:
        self.lab, self.world, self.script = lab, lab.world, MegatronCi()
        self.world.add_repository(REPOSITORY, megatron_files())
        for label in ("Run functional tests", "Run tests", "container::lts"):
            self.world.add_label(REPOSITORY, label, "read by CI")
        self.world.set_role(REPOSITORY, self.world.user("bump-bot").login, "write")
        lab.copy_pr_bot(REPOSITORY)
        self.world.on_push(REPOSITORY, "pull-request/*", self.script, path=WORKFLOW, name=NAME)

    def goes(self, test: str, *outcomes: Outcome) -> None:
        self.script.outcomes[test] = outcomes[0] if len(outcomes) == 1 else outcomes

    def finish(self):
        run = self.world.workflow_runs(REPOSITORY)[-1]
        self.world.finish(run)
        return run

    @property
    def writes(self) -> list[str]:
        return [f"{it.method} {it.path}" for it in self.lab.requests if it.method in {"POST", "PATCH"}]

    def comments(self) -> list[str]:
        return [it.body for it in self.world.pull_requests(REPOSITORY)[0].comments]


@pytest.fixture
def github(lab):
    return GitHub(lab)


@pytest.fixture
def hub(bot, monkeypatch, github):
    """The command line with the simulated GitHub."""
    monkeypatch.setenv("GITHUB_API_URL", github.lab.url)
    monkeypatch.setenv("GITHUB_TOKEN", github.lab.user_token("bump-bot"))
    monkeypatch.setenv("BOT_WRITE_SPACING", "0")
    monkeypatch.setenv("BOT_RECIPE", "megatron-lm")
    return bot


def mutations(github) -> list[str]:
    return [it for it in github.writes if it != "POST /graphql"]


def test_the_document_says_where_the_pull_request_stands(hub, github):
    github.goes(f"{TEST}@dgx_h100", Outcome("oom"))
    waiting = hub(*BUMP).document["pull_request"]
    run = github.finish()

    asking = hub(*BUMP)

    assert (waiting["state"], waiting["questions"], waiting["run"]) == ("waiting", [], None)
    pull = asking.document["pull_request"]
    assert (asking.status, pull["state"], pull["counts"]) == (0, "asking", {"oom": 1})
    assert pull["run"].endswith(f"/actions/runs/{run.id}")
    assert [it for it in pull["questions"] if TEST in it]
    assert "a person has to decide" in asking.people
    assert TEST in asking.people


def test_a_pull_request_that_is_ready_says_so(hub, github):
    hub(*BUMP)
    github.finish()

    pull = hub(*BUMP).document["pull_request"]

    assert (pull["state"], pull["draft"], pull["counts"]) == ("ready", False, {})
    assert pull["passed"] > 0


def calls(outcome) -> list[str]:
    return [f"{it['method']} {it['path']}" for it in outcome.document["calls"]]


def without_shas(lines):
    return [line.split("/statuses/")[0] for line in lines]


def test_a_dry_run_of_a_round_shows_what_the_round_then_writes(hub, github):
    old = megatron_files()[GOLDEN]
    github.goes(f"{TEST}@dgx_h100", Outcome("drift", scaled(old, {"lm loss": 1.000_01})))
    hub(*BUMP)
    github.finish()
    before = mutations(github)

    dry = hub(*BUMP, "--dry-run")
    assert mutations(github) == before
    hub(*BUMP)

    shown = without_shas(calls(dry))
    assert f"PATCH /repos/{REPOSITORY}/git/refs/heads/bot/base-image/main/dev-26.06-py3" in shown
    assert shown == without_shas(mutations(github)[len(before) :])


def test_a_dry_run_shows_the_failed_jobs_that_would_run_again(hub, github):
    github.goes(f"{TEST}@dgx_h100", Outcome("infra"))
    hub(*BUMP)
    run = github.finish()
    before = mutations(github)

    dry = hub(*BUMP, "--dry-run")

    assert f"POST /repos/{REPOSITORY}/actions/runs/{run.id}/rerun-failed-jobs" in calls(dry)
    assert (mutations(github), run.attempt) == (before, 1)


def test_a_dry_run_shows_that_it_would_be_ready_for_review(hub, github):
    hub(*BUMP)
    github.finish()

    dry = hub(*BUMP, "--dry-run")

    assert "markPullRequestReadyForReview" in json.dumps(dry.document["calls"])
    assert "ready for review" in dry.people
    assert github.world.pull_requests(REPOSITORY)[0].pull.draft
