"""The simulated GitLab, asked by plain requests and by python-gitlab, which knows the real one."""

from datetime import timedelta
from urllib.parse import quote

import gitlab
import pytest
import requests
from gitlab.exceptions import GitlabAuthenticationError, GitlabCreateError, GitlabGetError

from bot.gitlab.branch_files import GitLabBranch
from bot.lab.gitlab.api import too_many_requests
from bot.lab.gitlab.model import Pipeline
from bot.lab.gitlab.server import GitLabLab
from tests.adapters.gitlab import description
from tests.lab.gitlab_fixtures import gitlab_lab, gitlab_stages

__all__ = ["gitlab_lab", "gitlab_stages"]

PATH = "group/sub/name"


@pytest.fixture
def lab(gitlab_lab: GitLabLab) -> GitLabLab:
    gitlab_lab.world.add_project(PATH, {"docker/pin": b"26.04-py3\n"})
    return gitlab_lab


@pytest.fixture
def pipeline(lab) -> Pipeline:
    """One that failed: a job that passed, one that failed with artifacts, one that waits, a child."""
    world = lab.world
    made = world.add_pipeline(world.projects[PATH], source="schedule", variables={"SCOPE": "nightly"})
    world.finish(world.add_job(made, "build", "image", log=b"built\n"))
    failed = world.add_job(made, "test", "unit", tags=("gpu", "env/prod"))
    world.finish(failed, "failed")
    world.leave(failed, bytes(range(256)))
    child = world.add_bridge(made, "functional:run")
    world.finish(world.add_job(child, "gpt", "case"))
    return made


def read(lab, path, *, token=None, **headers) -> requests.Response:
    token = lab.world.token(PATH) if token is None else token
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    address = f"{lab.url}/api/v4/projects/{quote(PATH, safe='')}{path}"
    return requests.get(
        address, headers={"PRIVATE-TOKEN": token, **headers}, timeout=5, allow_redirects=False
    )


@pytest.fixture
def project(lab):
    with gitlab.Gitlab(lab.url, private_token=lab.world.token(PATH)) as server:
        yield server.projects.get(PATH)


def test_a_project_is_found_by_its_path_and_by_its_number(lab, project):
    assert project.path_with_namespace == PATH
    assert project.manager.gitlab.projects.get(project.id).id == project.id


def test_files_are_read_from_it_as_from_gitlab(lab):
    source = GitLabBranch(lab.url, lab.world.token(PATH, scopes=("read_repository",)), PATH, "main")

    assert source.read(["docker/pin", "none"]) == {"docker/pin": b"26.04-py3\n", "none": None}


def test_branches_have_their_heads(lab, project):
    sha = lab.world.push(lab.world.projects[PATH], "core_r0.17/x", {"docker/pin": b"25.11-py3\n"})

    assert project.branches.get("core_r0.17/x").commit["id"] == sha
    assert [branch.name for branch in project.branches.list(get_all=True)] == ["core_r0.17/x", "main"]
    with pytest.raises(GitlabGetError, match="404 Branch Not Found"):
        project.branches.get("gone")


def test_a_pipeline_has_jobs_and_trigger_jobs(project, pipeline):
    found = project.pipelines.get(pipeline.id)

    assert (found.status, found.source, found.sha) == ("failed", "schedule", pipeline.sha)
    assert [job.name for job in found.jobs.list(get_all=True)] == ["unit", "image"]
    (bridge,) = found.bridges.list(get_all=True)
    child = project.pipelines.get(bridge.downstream_pipeline["id"])
    assert (bridge.status, child.source) == ("success", "parent_pipeline")


def test_child_pipelines_are_listed_only_on_demand(project, pipeline):
    assert [it.id for it in project.pipelines.list(get_all=True)] == [pipeline.id]
    assert len(project.pipelines.list(source="parent_pipeline", get_all=True)) == 1


def test_a_pipeline_is_begun_with_variables(lab, project):
    lab.world.on_pipeline = lambda made: lab.world.add_job(made, "test", made.variables["CASES"])

    made = project.pipelines.create({"ref": "main", "variables": [{"key": "CASES", "value": "all"}]})

    assert (made.source, made.status) == ("api", "created")
    assert [job.name for job in made.jobs.list(get_all=True)] == ["all"]
    with pytest.raises(GitlabCreateError, match="Reference not found"):
        project.pipelines.create({"ref": "gone"})


def test_failed_jobs_are_begun_anew_beside_the_old_ones(lab, project, pipeline):
    heard = []
    lab.world.on_retry = lambda new, old: heard.append((new.name, old.status))
    found = project.pipelines.get(pipeline.id)

    found.retry()

    assert [(job.name, job.status) for job in found.jobs.list(get_all=True)] == [
        ("unit", "pending"),
        ("image", "success"),
    ]
    everything = found.jobs.list(include_retried=True, get_all=True)
    assert [(job.name, job.status) for job in everything] == [
        ("unit", "pending"),
        ("unit", "failed"),
        ("image", "success"),
    ]
    assert heard == [("unit", "failed")]


def test_a_cancelled_pipeline_stops_with_its_children(lab, project):
    world = lab.world
    made = world.add_pipeline(world.projects[PATH])
    child = world.add_bridge(made, "functional:run")
    world.start(world.add_job(child, "gpt", "case"))
    world.add_job(made, "test", "unit")
    assert made.status == "running"

    project.pipelines.get(made.id).cancel()

    assert (made.status, child.status, child.jobs[0].status) == ("canceled", "canceled", "canceled")


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([], "success"),
        (["success", "success"], "success"),
        (["success", "failed", "running"], "running"),
        (["created", "pending"], "pending"),
        (["created", "created"], "created"),
        (["success", "pending"], "running"),
        (["success", "failed", "canceled"], "failed"),
        (["success", "canceled"], "canceled"),
        (["success", "manual"], "manual"),
        (["skipped", "skipped"], "skipped"),
        (["skipped", "success"], "success"),
    ],
)
def test_a_pipeline_is_as_its_jobs_are(lab, states, expected):
    made = lab.world.add_pipeline(lab.world.projects[PATH])
    for state in states:
        lab.world.add_job(made, "test", state).status = state

    assert made.status == expected


def test_a_job_that_may_fail_fails_no_pipeline(lab):
    made = lab.world.add_pipeline(lab.world.projects[PATH])
    lab.world.finish(lab.world.add_job(made, "test", "flaky", allow_failure=True), "failed")

    assert made.status == "success"


def test_a_log_is_plain_text(lab, project, pipeline):
    job = project.jobs.get(pipeline.jobs[0].id)

    assert job.trace() == b"built\n"
    assert read(lab, f"/jobs/{job.id}/trace").headers["Content-Type"].startswith("text/plain")


def test_artifacts_are_in_the_object_storage(lab, project, pipeline):
    address = f"/jobs/{pipeline.jobs[1].id}/artifacts"

    redirect = read(lab, address)
    target = redirect.headers["Location"]

    assert redirect.status_code == 302
    assert target.startswith(f"{lab.storage_url}/artifacts/artifacts.zip?")
    assert requests.get(target, timeout=5).content == bytes(range(256))
    lab.storage.expire()
    assert requests.get(target, timeout=5).status_code == 403


def test_the_storage_notices_credentials_that_are_not_for_it(lab, pipeline):
    target = read(lab, f"/jobs/{pipeline.jobs[1].id}/artifacts").headers["Location"]

    requests.get(target, headers={"PRIVATE-TOKEN": "x", "Authorization": "Bearer x"}, timeout=5)

    assert lab.storage.told_secrets == ["private-token", "authorization"]
    lab.storage.told_secrets.clear()


@pytest.mark.parametrize(
    ("asked", "status", "first", "length"),
    [
        ("bytes=0-9", 206, 0, 10),
        ("bytes=250-", 206, 250, 6),
        ("bytes=-4", 206, 252, 4),
        ("bytes=-999", 206, 0, 256),
        ("bytes=200-999", 206, 200, 56),
        ("bytes=256-", 416, 0, 0),
        ("bytes=9-3", 416, 0, 0),
        ("bytes=-", 200, 0, 256),
        ("lines=1-2", 200, 0, 256),
    ],
)
@pytest.mark.parametrize("direct", [True, False], ids=["storage", "GitLab"])
def test_parts_are_given_where_ranges_are_on(lab, pipeline, direct, asked, status, first, length):  # noqa: PLR0917 - a table
    lab.api.direct_download = direct
    address = f"/jobs/{pipeline.jobs[1].id}/artifacts"

    answer = read(lab, address, Range=asked)
    if direct:
        answer = requests.get(answer.headers["Location"], headers={"Range": asked}, timeout=5)

    assert (answer.status_code, answer.content) == (status, bytes(range(256))[first : first + length])
    if status == 206:
        assert answer.headers["Content-Range"] == f"bytes {first}-{first + length - 1}/256"


def test_the_whole_is_given_where_ranges_are_off(lab, pipeline):
    address = f"/jobs/{pipeline.jobs[1].id}/artifacts"
    lab.storage.ranges = lab.api.ranges = False
    target = read(lab, address).headers["Location"]
    lab.api.direct_download = False

    for answer in (
        requests.get(target, headers={"Range": "bytes=0-9"}, timeout=5),
        read(lab, address, Range="bytes=0-9"),
    ):
        assert (answer.status_code, len(answer.content)) == (200, 256)


def test_artifacts_that_expired_or_were_erased_are_not_there(lab, pipeline):
    job = pipeline.jobs[1]
    job.archive.expire_at = lab.world.now() - timedelta(days=1)
    assert read(lab, f"/jobs/{job.id}/artifacts").status_code == 404

    job.archive.locked = True
    assert read(lab, f"/jobs/{job.id}/artifacts").status_code == 302

    job.erased = True
    assert read(lab, f"/jobs/{job.id}/artifacts").status_code == 404
    assert read(lab, f"/jobs/{pipeline.jobs[0].id}/artifacts").status_code == 404


def test_lists_come_in_pages_with_headers_that_lead_on(lab, pipeline):
    for number in range(43):
        lab.world.add_job(pipeline, "more", f"job {number}")
    pages = [read(lab, f"/pipelines/{pipeline.id}/jobs?per_page=20&page={page}") for page in (1, 2, 3, 4)]

    assert [len(page.json()) for page in pages] == [20, 20, 5, 0]
    assert [page.headers["X-Next-Page"] for page in pages] == ["2", "3", "", ""]
    assert [page.headers["X-Prev-Page"] for page in pages] == ["", "1", "2", "3"]
    assert (pages[0].headers["X-Total"], pages[0].headers["X-Total-Pages"]) == ("45", "3")
    assert pages[0].links["next"]["url"] == f"{pages[0].url[: pages[0].url.index('?')]}?per_page=20&page=2"
    assert len(read(lab, f"/pipelines/{pipeline.id}/jobs").json()) == 20
    assert len(read(lab, f"/pipelines/{pipeline.id}/jobs?per_page=500").json()) == 45


def test_nobody_is_let_in_with_a_wrong_token(lab, pipeline):
    with pytest.raises(GitlabAuthenticationError), gitlab.Gitlab(lab.url, private_token="wrong") as server:
        server.projects.get(PATH)


@pytest.mark.parametrize(
    ("scope", "project", "status", "body"),
    [
        ("read_repository", PATH, 403, {"error": "insufficient_scope"}),
        ("api", "group/other", 404, {"message": "404 Project Not Found"}),
    ],
)
def test_a_token_shows_what_it_is_for(lab, scope, project, status, body):
    answer = read(lab, "/pipelines/5", token=lab.world.token(project, scopes=(scope,)))

    assert answer.status_code == status
    assert answer.json().items() >= body.items()


def test_without_a_token_a_project_is_not_there(lab):
    assert read(lab, "", token="").json() == {"message": "404 Project Not Found"}


def test_what_is_not_there_is_told_in_gitlabs_words(lab, pipeline):
    assert read(lab, "/pipelines/5").json() == read(lab, "/jobs/5").json() == {"message": "404 Not found"}
    answer = read(lab, "/repository/files/docker%2Fpin?ref=gone")
    assert answer.json() == {"message": "404 Commit Not Found"}


def test_too_many_requests_are_refused_with_the_time_to_wait(lab, pipeline):
    lab.faults.append(too_many_requests(".*/jobs", 30))

    answers = [read(lab, f"/pipelines/{pipeline.id}/jobs") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [429, 200]
    assert answers[0].headers["Retry-After"] == "30"


def test_answers_have_no_key_that_gitlab_does_not_describe(lab, pipeline):
    file = description.description_file()
    if file is None:
        pytest.skip("GITLAB_API_DESCRIPTION names no description of GitLab's API")
    api = description.load(file)
    at = f"/pipelines/{pipeline.id}"
    answers = [
        ("ProjectWithAccess", read(lab, "").json()),
        ("Branch", read(lab, "/repository/branches/main").json()),
        ("Ci_PipelineBasic", read(lab, "/pipelines").json()[0]),
        ("Ci_PipelineWithMetadata", read(lab, at).json()),
        ("Ci_Bridge", read(lab, f"{at}/bridges").json()[0]),
        *(("Ci_Job", job) for job in read(lab, f"{at}/jobs").json()),
    ]

    assert [description.unknown_keys(api, entity, document) for entity, document in answers] == [[]] * 7


def test_it_runs_by_itself():
    with GitLabLab.start() as lab:
        lab.world.add_project(PATH, {"docker/pin": b"26.06-py3\n"})
        assert read(lab, "/repository/branches").json()[0]["name"] == "main"
