"""Commands without a clone: they work on the bot's open pull request, one pass of the loop each."""

import pytest

from bot.lab.megatron import megatron_files
from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_tests import Outcome
from tests.cli.hub import BUMP, GOLDEN, REPOSITORY, TEST, github, hub

__all__ = ["github", "hub"]

OLD = megatron_files()
FAR = scaled(OLD[GOLDEN], {"lm loss": 1.2})
NEAR = scaled(OLD[GOLDEN], {"lm loss": 1.000_01})
ON_H100 = f"{TEST}@dgx_h100"
NAME = TEST.rpartition("/")[2]
TAKE_OUT = ("quarantine", TEST, "--class", "oom", "--file-issue", "-m", "no memory left")
OUT = "chore: Take failing tests out of the gate for 26.06-py3, round 1"
BACK = "chore: Put tests back into the gate for 26.06-py3, round {}"


@pytest.fixture
def ended(hub, github):
    """A pull request whose first run has ended, with a test that ran out of memory."""
    github.goes(ON_H100, Outcome("oom"))
    hub(*BUMP)
    github.finish()
    return hub


def recipes(files):
    return {path: text for path, text in files.items() if path.startswith("tests/test_utils/recipes/")}


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(TAKE_OUT, id="quarantine"),
        pytest.param(("unquarantine", TEST), id="unquarantine"),
        pytest.param(("retry",), id="retry"),
        pytest.param(("goldens", "refresh", "--run-id", "1", "--all"), id="goldens refresh"),
    ],
)
def test_without_a_pull_request_there_is_nothing_to_work_on(hub, github, words):
    outcome = hub(*words)

    assert outcome.status == 3
    assert outcome.document["error"]["message"] == "no pull request of the bot's is open onto `main`"
    assert "--checkout DIR" in outcome.document["error"]["hint"]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(TAKE_OUT, id="quarantine"),
        pytest.param(("retry",), id="retry"),
        pytest.param(("goldens", "refresh", "--run-id", "1", "--all"), id="goldens refresh"),
    ],
)
def test_while_ci_runs_a_command_says_when_to_come_again(hub, github, words):
    hub(*BUMP)
    hub(*BUMP)
    before = github.writes

    outcome = hub(*words)

    assert outcome.status == 3
    assert "CI is in progress" in outcome.document["error"]["message"]
    assert "run it again then" in outcome.document["error"]["hint"]
    assert github.writes == before
    assert github.issues == []


def test_a_test_leaves_the_gate_by_a_commit_on_the_pull_request_under_its_issue(ended, github):
    outcome = ended(*TAKE_OUT)

    [issue] = github.issues
    assert (outcome.status, outcome.document["issue"], github.subjects) == (0, issue.number, [OUT])
    assert outcome.document["test"] == TEST
    assert all(word.endswith("-broken") for word in outcome.document["after"])
    assert "no memory left" in outcome.document["diff"]
    [changed] = outcome.document["changed"]
    assert f"issues/{issue.number}".encode() in github.files[changed["path"]]
    assert outcome.document["pull_request"]["state"] == "waiting"


def test_the_same_word_again_changes_nothing_even_while_ci_runs(ended, github):
    ended(*TAKE_OUT)

    again = ended(*TAKE_OUT)

    assert (again.status, again.document["changed"], len(github.issues)) == (0, [], 1)
    assert github.subjects == [OUT]
    assert "nothing to do" in again.people


def test_a_dry_run_shows_the_issue_and_the_commit_and_writes_neither(ended, github):
    before = github.writes

    outcome = ended(*TAKE_OUT, "--dry-run")

    made = [f"{it['method']} {it['path']}" for it in outcome.document["calls"]]
    assert github.writes == before
    assert f"POST /repos/{REPOSITORY}/issues" in made
    assert f"PATCH /repos/{REPOSITORY}/git/refs/heads/bot/base-image/main/dev-26.06-py3" in made
    assert "-broken" in outcome.document["diff"]


def test_a_named_issue_is_only_named(ended, github):
    outcome = ended("quarantine", TEST, "--class", "oom", "--issue", "7")

    assert (outcome.document["issue"], github.issues) == (7, [])
    assert b"issues/7" in b"".join(recipes(github.files).values())


def test_fewer_repeats_go_the_same_way(ended, github):
    outcome = ended("quarantine", TEST, "--as", "n-repeat=2")

    assert (outcome.status, outcome.document["after"]) == (0, ["N_REPEAT=2"])
    assert (outcome.document["issue"], github.issues) == (None, [])
    assert github.subjects == [OUT]


def test_a_unit_test_is_marked(hub, github):
    path, text = "tests/unit_tests/test_x.py", b"import pytest\n\n\ndef test_y():\n    pass\n"
    github.world.push(REPOSITORY, "main", {path: text}, "bump-bot")
    hub(*BUMP)
    github.finish()

    outcome = hub("quarantine", f"{path}::test_y", "--class", "crash", "--issue", "7")

    assert outcome.status == 0
    assert [it["path"] for it in outcome.document["changed"]] == [path]
    assert b"issues/7" in github.files[path]
    github.finish()
    assert hub("unquarantine", f"{path}::test_y").status == 0
    assert github.files[path] == text


def test_a_test_comes_back_with_the_text_that_it_had(ended, github):
    ended(*TAKE_OUT)
    github.finish()

    outcome = ended("unquarantine", TEST)

    assert (outcome.status, github.subjects) == (0, [OUT, BACK.format(2)])
    assert recipes(github.files) == recipes(OLD)
    assert ended("unquarantine", TEST).document["changed"] == []


def test_a_test_that_was_out_before_the_pull_request_needs_one_of_its_own(hub, github):
    hub(*BUMP)
    github.finish()
    path, row = next((path, row) for path, row in recipes(OLD).items() if b"-broken]" in row)
    name = next(it for it in row.decode().split("test_case: [") if "-broken]" in it).split("]")[0]

    outcome = hub("unquarantine", name.strip())

    assert (path, outcome.status) == (path, 3)
    assert "out of the gate before this pull request" in outcome.document["error"]["message"]
    assert "--checkout DIR" in outcome.document["error"]["hint"]
    assert github.subjects == []


def test_what_cannot_be_planned_is_refused_before_anything_is_written(ended, github):
    before = github.writes

    outcome = ended("quarantine", "gpt/no_such_test", "--class", "oom", "--file-issue")

    assert outcome.status == 3
    assert "no_such_test" in outcome.document["error"]["message"]
    assert (github.writes, github.issues) == (before, [])


def test_failed_jobs_run_again_whatever_the_verdict(ended, github):
    outcome = ended("retry")

    [run] = github.world.workflow_runs(REPOSITORY)
    assert (outcome.status, outcome.document["run"], run.attempt) == (0, run.id, 2)
    assert "failed jobs run again" in outcome.people


def test_one_job_runs_again_by_its_test_or_its_number(ended, github):
    [run] = github.world.workflow_runs(REPOSITORY)
    failed = next(job for job in run.jobs if job.conclusion == "failure" and NAME in job.plan.name)

    first = ended("retry", TEST)
    github.finish()
    second = ended("retry", "12345")

    assert (first.document["job"], run.attempt) == (failed.id, 2)
    assert second.status == 2
    assert "no failed job `12345`" in second.document["error"]["message"]


def test_where_nothing_failed_nothing_runs_again(hub, github):
    hub(*BUMP)
    github.finish()

    outcome = hub("retry")

    assert (outcome.status, outcome.document["run"]) == (0, None)
    assert "nothing failed" in outcome.people


def test_the_goldens_of_a_run_are_committed_and_those_that_moved_far_on_a_persons_word(hub, github):
    github.goes(ON_H100, Outcome("large-drift", FAR))
    hub(*BUMP)
    run = github.finish()
    refresh = ("goldens", "refresh", "--run-id", str(run.id), "--only-failing")

    asked = hub(*refresh)
    assert (asked.status, asked.document["written"]) == (0, [])
    assert [it["file"] for it in asked.document["refused"] if it["person_may_accept"]] == [GOLDEN]

    accepted = hub(*refresh, "--accept", TEST)
    assert (accepted.document["written"], accepted.document["sha"]) == ([GOLDEN], run.sha)
    assert github.files[GOLDEN] == FAR


def test_a_run_of_another_branch_is_not_believed(ended, github):
    head = github.world.repository(REPOSITORY).branch("main")
    other = github.world.run_workflow(
        REPOSITORY, ".github/workflows/cicd-main.yml", "main", head, event="push"
    )
    github.world.finish(other)

    outcome = ended("goldens", "refresh", "--run-id", str(other.id), "--all")

    assert outcome.status == 3
    assert "none of this pull request's" in outcome.document["error"]["message"]


def test_the_goldens_of_a_pipeline_need_a_clone(hub):
    outcome = hub("goldens", "refresh", "--pipeline-id", "3", "--all")

    assert (outcome.status, outcome.document["error"]["hint"]) == (2, "`--checkout DIR`")


def test_where_two_tracks_move_the_pull_request_has_to_be_named(ended, github):
    ended("bump", "26.05-py3", "--track", "lts", "--no-verify")

    outcome = ended("retry")
    named = ended("retry", "--pr", "1")
    none = ended("retry", "--pr", "77")

    assert outcome.status == 2
    assert "#1 (dev to 26.06-py3)" in outcome.document["error"]["message"]
    assert (named.status, named.document["pull_request"]["number"]) == (0, 1)
    assert (none.status, none.document["error"]["message"]) == (
        3,
        "#77 is none of the bot's that is open onto `main`",
    )


def test_a_clone_and_a_pull_request_are_two_places(hub, clone):
    outcome = hub("unquarantine", TEST, "--checkout", str(clone), "--pr", "1")

    assert (outcome.status, outcome.document["error"]["hint"]) == (2, "choose one of them")
