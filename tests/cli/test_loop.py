"""`bot bump` again and again on the simulated GitHub, until the pull request is ready for review."""

import json

from bot.lab.megatron import megatron_files
from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_tests import Outcome
from tests.cli.hub import BUMP, GOLDEN, REPOSITORY, TEST, github, hub

__all__ = ["github", "hub"]


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
    before = github.writes

    dry = hub(*BUMP, "--dry-run")
    assert github.writes == before
    hub(*BUMP)

    shown = without_shas(calls(dry))
    assert f"PATCH /repos/{REPOSITORY}/git/refs/heads/bot/base-image/main/dev-26.06-py3" in shown
    assert shown == without_shas(github.writes[len(before) :])


def test_a_dry_run_shows_the_failed_jobs_that_would_run_again(hub, github):
    github.goes(f"{TEST}@dgx_h100", Outcome("infra"))
    hub(*BUMP)
    run = github.finish()
    before = github.writes

    dry = hub(*BUMP, "--dry-run")

    assert f"POST /repos/{REPOSITORY}/actions/runs/{run.id}/rerun-failed-jobs" in calls(dry)
    assert (github.writes, run.attempt) == (before, 1)


def test_a_dry_run_shows_that_it_would_be_ready_for_review(hub, github):
    hub(*BUMP)
    github.finish()

    dry = hub(*BUMP, "--dry-run")

    assert "markPullRequestReadyForReview" in json.dumps(dry.document["calls"])
    assert "ready for review" in dry.people
    assert github.world.pull_requests(REPOSITORY)[0].pull.draft


def test_the_description_shows_what_the_goldens_moved_and_is_read_from_github_once_for_each_head(hub, github):
    old = megatron_files()[GOLDEN]
    github.goes(f"{TEST}@dgx_h100", Outcome("drift", scaled(old, {"lm loss": 1.000_01})))
    hub(*BUMP)
    github.finish()
    hub(*BUMP)
    pull = github.world.pull_requests(REPOSITORY)[0]
    body = pull.body
    hub(*BUMP)

    assert "### Golden values" in body
    assert "1 golden files" in body
    assert f"`{GOLDEN}`" in body
    assert body.index("### Golden values") < body.index("<!-- ngc-bump-bot:end -->")
    assert pull.body == body
    [run] = [it for it in github.world.workflow_runs(REPOSITORY) if it.status != "completed"]
    assert f"<!-- ngc-bump-bot:goldens {run.sha} -->" in body
