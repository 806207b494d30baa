"""GitHub Actions over the API: runs that pushes begin, their jobs and artifacts, attempts, cancellation."""

from collections.abc import Sequence
from datetime import datetime

import httpx
import pytest

from bot.lab import actions
from bot.lab.runs import ArtifactPlan, JobPlan, StepPlan, Trigger, WorkflowRun
from bot.lab.server import GitHubLab
from tests.lab.client import Api, app_client, send_wrong
from tests.lab.conftest import REPOSITORY

RUNS = f"/repos/{REPOSITORY}/actions/runs"
MIRROR = "pull-request/1"


class Story:
    """A workflow whose jobs a test sets, and what its script was told."""

    def __init__(self) -> None:
        self.plans: Sequence[JobPlan] = (
            JobPlan("configure", early=True, log=lambda at: [f"{at:%FT%TZ} scope=L1\n".encode()]),
            JobPlan("test", conclusion="failure", seconds=90, steps=(StepPlan("Run", "failure"),)),
        )
        self.told: list[Trigger] = []

    def __call__(self, trigger: Trigger) -> Sequence[JobPlan]:
        self.told.append(trigger)
        return self.plans


@pytest.fixture
def story(megatron: GitHubLab) -> Story:
    made = Story()
    megatron.world.on_push(
        REPOSITORY, "pull-request/*", made, path=".github/workflows/cicd-main.yml", name="CICD"
    )
    return made


@pytest.fixture
def head(megatron: GitHubLab, story: Story) -> str:
    """The head of pull request 1 of ann, mirrored."""
    world = megatron.world
    start = world.repository(REPOSITORY).branch("main") or ""
    world.create_branch(REPOSITORY, "bot/x", start, author="ann")
    sha = world.push(REPOSITORY, "bot/x", {"docker/pin": "26.06\n"}, author="ann")
    world.open_pull_request(REPOSITORY, "bot/x", "main", author="ann")
    world.label(REPOSITORY, 1, "Run functional tests")
    world.push(REPOSITORY, "main", {"README.md": "two\n"}, author="max")
    world.create_branch(REPOSITORY, MIRROR, sha, author="max")
    return sha


@pytest.fixture
def run(megatron: GitHubLab, head: str) -> WorkflowRun:
    (found,) = megatron.world.workflow_runs(REPOSITORY)
    return found


def push_again(lab: GitHubLab) -> None:
    lab.world.push(REPOSITORY, MIRROR, {"a": "1"}, author="max")


def test_a_push_begins_a_run(ann: Api, run: WorkflowRun, head: str):
    found = ann.get(f"{RUNS}/{run.id}").json()

    assert (found["head_branch"], found["head_sha"], found["event"]) == (MIRROR, head, "push")
    assert (found["path"], found["name"]) == (".github/workflows/cicd-main.yml", "CICD")
    assert (found["status"], found["conclusion"], found["run_attempt"]) == ("in_progress", None, 1)
    assert found["repository"]["full_name"] == REPOSITORY


def test_other_branches_begin_none(megatron: GitHubLab, ann: Api, story: Story):
    megatron.world.push(REPOSITORY, "main", {"a": "1"}, author="ann")

    assert ann.get(RUNS).json() == {"total_count": 0, "workflow_runs": []}


def test_a_deleted_branch_begins_none(megatron: GitHubLab, ann: Api, run: WorkflowRun):
    megatron.world.delete_branch(REPOSITORY, MIRROR, author="max")

    assert ann.get(RUNS).json()["total_count"] == 1


def test_a_script_is_told_of_the_merge_with_the_base(run: WorkflowRun, story: Story, head: str):
    (told,) = story.told

    assert (told.run, told.attempt, told.sha, told.branch) == (run.id, 1, head, MIRROR)
    assert (told.labels, told.author, told.base) == (("Run functional tests",), "ann", "main")
    assert told.merged() == {
        "README.md": b"two\n",
        "docker/pin": b"26.06\n",
        "data/blob.bin": b"\x00\x01\xff",
    }


def test_a_run_ends_as_its_script_has_it(megatron: GitHubLab, ann: Api, run: WorkflowRun):
    megatron.world.finish(run)

    found = ann.get(f"{RUNS}/{run.id}").json()
    assert (found["status"], found["conclusion"]) == ("completed", "failure")
    configure, test = ann.get(f"{RUNS}/{run.id}/jobs").json()["jobs"]
    assert (configure["name"], configure["conclusion"]) == ("configure", "success")
    assert (test["name"], test["conclusion"], test["run_attempt"]) == ("test", "failure", 1)
    assert [(step["name"], step["conclusion"]) for step in test["steps"]] == [("Run", "failure")]
    assert _seconds(test) == 90


def _seconds(job: dict) -> float:
    ends = (datetime.fromisoformat(job[key]) for key in ("completed_at", "started_at"))
    return (next(ends) - next(ends)).total_seconds()


@pytest.mark.parametrize(
    ("conclusions", "expected"),
    [
        pytest.param(["success", "skipped"], "success", id="all well"),
        pytest.param(["success", "failure", "cancelled"], "failure", id="a failure outweighs"),
        pytest.param(["success", "cancelled"], "cancelled", id="one cancelled"),
        pytest.param([], "success", id="no jobs"),
    ],
)
def test_a_run_concludes_from_its_jobs(
    megatron: GitHubLab, story: Story, head: str, conclusions: list, expected: str
):
    story.plans = [JobPlan(f"job {n}", conclusion=it) for n, it in enumerate(conclusions)]
    push_again(megatron)
    run = megatron.world.workflow_runs(REPOSITORY)[-1]

    megatron.world.finish(run)

    assert run.conclusion == expected


def test_a_newer_push_cancels_what_runs(megatron: GitHubLab, ann: Api, run: WorkflowRun):
    push_again(megatron)

    newer, older = ann.get(f"{RUNS}?branch={MIRROR}").json()["workflow_runs"]
    assert (older["id"], older["status"], older["conclusion"]) == (run.id, "completed", "cancelled")
    assert (newer["status"], newer["run_number"]) == ("in_progress", 2)
    jobs = ann.get(f"{RUNS}/{run.id}/jobs").json()["jobs"]
    assert [(job["name"], job["conclusion"]) for job in jobs] == [
        ("configure", "success"),
        ("test", "cancelled"),
    ]


def test_a_newer_push_leaves_what_has_ended(megatron: GitHubLab, ann: Api, run: WorkflowRun):
    megatron.world.finish(run)

    push_again(megatron)

    assert ann.get(f"{RUNS}/{run.id}").json()["conclusion"] == "failure"


def test_a_run_is_cancelled_by_hand_while_it_runs(ann: Api, megatron: GitHubLab, run: WorkflowRun):
    assert ann.post(f"{RUNS}/{run.id}/cancel").status_code == 202
    assert ann.get(f"{RUNS}/{run.id}").json()["conclusion"] == "cancelled"
    assert ann.post(f"{RUNS}/{run.id}/cancel").status_code == 409


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", 3, id="all"),
        pytest.param(f"?branch={MIRROR}", 2, id="a branch"),
        pytest.param("?branch=pull-request/2", 1, id="another branch"),
        pytest.param("?branch=pull-request", 0, id="a part of a name"),
        pytest.param("?event=push", 3, id="an event"),
        pytest.param("?event=merge_group", 0, id="another event"),
        pytest.param("?status=cancelled", 1, id="a conclusion"),
        pytest.param("?status=in_progress", 2, id="a status"),
        pytest.param("?head_sha={head}", 2, id="a commit"),
    ],
)
def test_runs_are_filtered(megatron: GitHubLab, ann: Api, run: WorkflowRun, query: str, expected: int):
    push_again(megatron)
    megatron.world.create_branch(REPOSITORY, "pull-request/2", run.sha, author="max")

    found = ann.get(RUNS + query.format(head=run.sha)).json()

    assert (found["total_count"], len(found["workflow_runs"])) == (expected, expected)


def test_lists_are_paged(ann: Api, megatron: GitHubLab, run: WorkflowRun, story: Story):
    story.plans = [JobPlan(f"job {n}") for n in range(7)]
    push_again(megatron)
    newest = megatron.world.workflow_runs(REPOSITORY)[-1]

    answer = ann.get(f"{RUNS}/{newest.id}/jobs?per_page=3&page=3")

    assert (answer.json()["total_count"], [job["name"] for job in answer.json()["jobs"]]) == (7, ["job 6"])
    assert 'rel="prev"' in answer.headers["Link"]


def test_a_run_waits_for_approval(megatron: GitHubLab, ann: Api, head: str):
    world, told = megatron.world, Story()
    world.on_push(REPOSITORY, "queue/*", told, needs_approval=True)
    world.create_branch(REPOSITORY, "queue/1", head, author="max")
    run = world.workflow_runs(REPOSITORY, "queue/1")[0]

    assert ann.get(f"{RUNS}/{run.id}").json()["status"] == "waiting"
    assert [job["status"] for job in ann.get(f"{RUNS}/{run.id}/jobs").json()["jobs"]] == [
        "completed",
        "queued",
    ]
    world.approve(run)
    assert ann.get(f"{RUNS}/{run.id}").json()["status"] == "in_progress"


def test_jobs_end_one_by_one(megatron: GitHubLab, ann: Api, run: WorkflowRun):
    actions.finish_job(megatron.world, run, "test")

    assert ann.get(f"{RUNS}/{run.id}").json()["status"] == "in_progress"
    assert [job["status"] for job in ann.get(f"{RUNS}/{run.id}/jobs").json()["jobs"]] == ["completed"] * 2


def test_only_what_failed_runs_again(megatron: GitHubLab, ann: Api, run: WorkflowRun, story: Story):
    megatron.world.finish(run)
    before = ann.get(f"{RUNS}/{run.id}/jobs").json()["jobs"]
    story.plans = [*story.plans[:1], JobPlan("test")]

    assert ann.post(f"{RUNS}/{run.id}/rerun-failed-jobs").status_code == 201

    again = ann.get(f"{RUNS}/{run.id}").json()
    assert (again["run_attempt"], again["status"], again["conclusion"]) == (2, "in_progress", None)
    assert again["run_started_at"] >= before[1]["completed_at"]
    megatron.world.finish(run)
    assert ann.get(f"{RUNS}/{run.id}").json()["conclusion"] == "success"
    latest = ann.get(f"{RUNS}/{run.id}/jobs").json()["jobs"]
    assert [(job["name"], job["run_attempt"], job["conclusion"]) for job in latest] == [
        ("configure", 1, "success"),
        ("test", 2, "success"),
    ]
    assert ann.get(f"{RUNS}/{run.id}/attempts/1/jobs").json()["jobs"] == before
    assert ann.get(f"{RUNS}/{run.id}/attempts/2/jobs").json()["jobs"] == latest
    assert ann.get(f"{RUNS}/{run.id}/attempts/3/jobs").status_code == 404
    everything = ann.get(f"{RUNS}/{run.id}/jobs?filter=all").json()
    assert [(job["name"], job["run_attempt"]) for job in everything["jobs"]] == [
        ("configure", 1),
        ("test", 1),
        ("test", 2),
    ]


def test_a_name_on_two_runners_is_two_jobs(megatron: GitHubLab, ann: Api, head: str, story: Story):
    story.plans = [
        JobPlan("moe/a - latest", labels=("h100",), conclusion="failure"),
        JobPlan("moe/a - latest", labels=("gb200",)),
    ]
    push_again(megatron)
    run = megatron.world.workflow_runs(REPOSITORY)[-1]
    megatron.world.finish(run)

    ann.post(f"{RUNS}/{run.id}/rerun-failed-jobs")

    found = ann.get(f"{RUNS}/{run.id}/jobs?filter=all").json()["jobs"]
    assert [(job["labels"], job["run_attempt"]) for job in found] == [
        (["h100"], 1),
        (["gb200"], 1),
        (["h100"], 2),
    ]


def test_what_runs_or_has_passed_is_not_run_again(
    megatron: GitHubLab, ann: Api, run: WorkflowRun, story: Story
):
    assert ann.post(f"{RUNS}/{run.id}/rerun-failed-jobs").status_code == 403
    story.plans = [JobPlan("test")]
    push_again(megatron)
    newest = megatron.world.workflow_runs(REPOSITORY)[-1]
    megatron.world.finish(newest)
    assert ann.post(f"{RUNS}/{newest.id}/rerun-failed-jobs").status_code == 403


def test_a_log_is_elsewhere(megatron: GitHubLab, ann: Api, run: WorkflowRun):
    configure, test = run.jobs

    answer = megatron_get(megatron, f"/repos/{REPOSITORY}/actions/jobs/{configure.id}/logs")

    assert answer.status_code == 302
    assert httpx.get(answer.headers["Location"]).text == f"{configure.started_at:%FT%TZ} scope=L1\n"
    unfinished = ann.get(f"/repos/{REPOSITORY}/actions/jobs/{test.id}/logs")
    assert unfinished.status_code == 404


def megatron_get(lab: GitHubLab, path: str) -> httpx.Response:
    """Ask without following a redirect."""
    return send_wrong(lab, lab.user_token("ann"), "GET", path, None)


def test_a_job_is_found_by_its_number(ann: Api, run: WorkflowRun):
    assert ann.get(f"/repos/{REPOSITORY}/actions/jobs/{run.jobs[0].id}").json()["name"] == "configure"


def test_artifacts_of_every_attempt_lie_side_by_side(megatron: GitHubLab, ann: Api, head: str, story: Story):
    left = (ArtifactPlan("logs", lambda: b"zip"), ArtifactPlan("coverage", lambda: b""))
    story.plans = [JobPlan("test", conclusion="failure", artifacts=left)]
    push_again(megatron)
    run = megatron.world.workflow_runs(REPOSITORY)[-1]
    for _ in range(2):
        megatron.world.finish(run)
        ann.post(f"{RUNS}/{run.id}/rerun-failed-jobs")

    found = ann.get(f"{RUNS}/{run.id}/artifacts").json()
    assert (found["total_count"], [it["name"] for it in found["artifacts"]]) == (
        4,
        ["coverage", "logs", "coverage", "logs"],
    )
    assert found["artifacts"][1]["created_at"] > found["artifacts"][3]["created_at"]
    named = ann.get(f"{RUNS}/{run.id}/artifacts?name=logs").json()["artifacts"]
    assert [(it["name"], it["size_in_bytes"], it["expired"]) for it in named] == [("logs", 3, False)] * 2
    one = ann.get(f"/repos/{REPOSITORY}/actions/artifacts/{named[0]['id']}").json()
    assert (one, one["workflow_run"]["head_sha"]) == (named[0], run.sha)


def test_an_artifact_is_elsewhere_until_it_expires(megatron: GitHubLab, ann: Api, head: str, story: Story):
    story.plans = [JobPlan("test", artifacts=(ArtifactPlan("logs", lambda: b"zip"),))]
    push_again(megatron)
    run = megatron.world.workflow_runs(REPOSITORY)[-1]
    megatron.world.finish(run)
    path = f"/repos/{REPOSITORY}/actions/artifacts/{run.artifacts[0].id}"

    answer = megatron_get(megatron, f"{path}/zip")
    assert (answer.status_code, httpx.get(answer.headers["Location"]).content) == (302, b"zip")
    assert send_wrong(megatron, megatron.user_token("ann"), "GET", f"{path}/tar", None).status_code == 404
    run.artifacts[0].expired = True
    assert ann.get(path).json()["expired"] is True
    assert ann.get(f"{path}/zip").status_code == 410


@pytest.mark.parametrize("path", ["runs/1", "jobs/1", "artifacts/1", "runs/1/jobs", "artifacts/1/zip"])
def test_what_is_not_there_is_not_found(ann: Api, run: WorkflowRun, path: str):
    assert ann.get(f"/repos/{REPOSITORY}/actions/{path}").status_code == 404


def test_runs_belong_to_their_repository(megatron: GitHubLab, ann: Api, run: WorkflowRun):
    megatron.world.add_repository("ann/other", {"a": "1"})

    for path in (f"runs/{run.id}", f"jobs/{run.jobs[0].id}"):
        assert ann.get(f"/repos/ann/other/actions/{path}").status_code == 404


@pytest.mark.parametrize("action", ["cancel", "rerun-failed-jobs"])
def test_readers_change_nothing(megatron: GitHubLab, run: WorkflowRun, action: str):
    token = megatron.user_token("bob")
    assert send_wrong(megatron, token, "POST", f"{RUNS}/{run.id}/{action}", None).status_code == 403


def test_an_app_needs_the_permission(megatron: GitHubLab, run: WorkflowRun):
    megatron.world.finish(run)
    for permissions, allowed in (({"actions": "read"}, False), ({"actions": "write"}, True)):
        keys = megatron.app(f"app-{allowed}".lower(), [REPOSITORY], permissions)
        with app_client(megatron, keys) as client:
            found = client.get_repo(REPOSITORY).get_workflow_run(run.id)
            assert found.rerun_failed_jobs() is allowed
