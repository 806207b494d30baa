"""What the bot reads of GitLab's jobs, how they run again, and what it says where GitLab refuses."""

import io
import zipfile
from datetime import timedelta

import pytest
import requests

from bot.core.ci import Artifact
from bot.gitlab.pipelines import GitLabPipelines
from bot.lab.github_api import Fault
from bot.lab.gitlab.api import too_many_requests
from tests.contracts.gitlab_client import (
    NOW,
    PATH,
    client,
    failure,
    gitlab_lab,
    gitlab_stages,
    project,
    world,
)

__all__ = ["gitlab_lab", "gitlab_stages", "project", "world"]

PIPELINES = "/api/v4/projects/ADLR%2Fmegatron-lm/pipelines/"


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, content in files.items():
            file.writestr(name, content)
    return made.getvalue()


def test_a_log_comes_in_pieces_and_is_never_held(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    line = b"2026-08-22T12:00:00Z \x1b[0;33mloss\xff\r\n" * 1024
    job = world.add_job(pipeline, "gpt", "long", log=lambda: (line for _ in range(64)))

    pieces = list(client(gitlab_lab).log(job.id))

    assert b"".join(pieces) == line * 64
    assert max(map(len, pieces)) <= 128 * 1024


def test_a_log_that_was_erased_or_never_was_is_empty(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    erased = world.add_job(pipeline, "gpt", "erased", log=b"secret", erased=True)
    silent = world.add_job(pipeline, "gpt", "silent")
    reader = client(gitlab_lab)

    assert [list(reader.log(number)) for number in (erased.id, silent.id, 7)] == [[], [], []]


def test_a_log_that_breaks_off_is_an_error(gitlab_lab, world, project):
    def broken():
        yield b"first\n" * 100_000
        raise ConnectionResetError

    job = world.add_job(world.add_pipeline(project), "gpt", "broken", log=broken)

    said = failure(list, client(gitlab_lab).log(job.id)).message

    assert said.startswith(f"GitLab at `{gitlab_lab.url}` broke off in the middle: ")


def test_each_job_with_artifacts_has_one(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    world.finish(world.add_job(pipeline, "build", "without"))
    child = world.add_bridge(pipeline, "functional:run_dev_dgx_h100")
    job = world.add_job(child, "gpt", "test")
    world.finish(job, "failed", after=30)
    world.leave(job, bytes(1234), filename="results.zip")

    assert client(gitlab_lab).artifacts(pipeline.id) == (
        Artifact(
            id=job.id,
            run=pipeline.id,
            name="results.zip",
            size=1234,
            expired=False,
            created_at=NOW + timedelta(seconds=30),
            job=job.id,
        ),
    )


def test_artifacts_are_expired_when_gitlab_gives_them_no_more(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    day = timedelta(days=1)
    for name, expire_at, locked in [
        ("for ever", None, False),
        ("not yet", NOW + day, False),
        ("over", NOW - day, False),
        ("over, but of the latest pipeline", NOW - day, True),
    ]:
        job = world.add_job(pipeline, "gpt", name)
        world.finish(job)
        world.leave(job, b"zip", expire_at=expire_at, locked=locked)

    artifacts = client(gitlab_lab).artifacts(pipeline.id)

    assert [(it.size, it.expired) for it in artifacts] == [(3, False), (3, False), (3, True), (3, False)]


@pytest.mark.parametrize("direct", [True, False], ids=["from object storage", "from GitLab"])
def test_an_artifact_is_had_where_it_is_located(gitlab_lab, world, project, direct):
    gitlab_lab.api.direct_download = direct
    content = zipped(a=b"1")
    job = world.add_job(world.add_pipeline(project), "gpt", "test")
    world.leave(job, content)

    place = client(gitlab_lab).location(job.id)
    answer = requests.get(
        place.url, headers=place.headers | {"Range": "bytes=-22"}, allow_redirects=False, timeout=5
    )
    if direct:
        assert answer.status_code == 302
        answer = requests.get(answer.headers["Location"], headers={"Range": "bytes=-22"}, timeout=5)

    assert place.url.startswith(f"{gitlab_lab.url}/api/v4/projects/ADLR%2Fmegatron-lm/jobs/{job.id}/")
    assert (answer.status_code, answer.content) == (206, content[-22:])


def test_without_a_token_there_is_no_header(gitlab_lab):
    assert GitLabPipelines(gitlab_lab.url, None, PATH).location(5).headers == {}


def test_failed_jobs_run_again_in_their_own_pipelines(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    world.finish(world.add_job(pipeline, "build", "good"))
    children = {name: world.add_bridge(pipeline, name) for name in ("failing", "passing", "healed")}
    world.finish(world.add_job(children["failing"], "gpt", "bad"), "failed")
    world.finish(world.add_job(children["failing"], "gpt", "stopped"), "canceled")
    world.finish(world.add_job(children["passing"], "gpt", "good"))
    world.finish(world.add_job(children["healed"], "gpt", "bad once"), "failed")
    world.finish(*world.retry(children["healed"]))
    reader = client(gitlab_lab)

    reader.retry_failed(pipeline.id)

    assert [sent.path for sent in gitlab_lab.requests if sent.method == "POST"] == [
        f"{PIPELINES}{children['failing'].id}/retry"
    ]
    newest = {job.name: (job.attempt, job.conclusion) for job in reader.jobs(pipeline.id)}
    assert newest["failing / gpt / bad"] == newest["failing / gpt / stopped"] == (2, None)
    assert newest["passing / gpt / good"] == (1, "success")


def test_running_again_is_asked_for_once_though_gitlab_fails(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    world.finish(world.add_job(pipeline, "gpt", "bad"), "failed")
    gitlab_lab.faults.append(Fault("POST", ".*/retry", carried_out=True))

    failure(client(gitlab_lab).retry_failed, pipeline.id)

    assert [job.status for job in pipeline.jobs] == ["failed", "pending"]
    assert sum(sent.method == "POST" for sent in gitlab_lab.requests) == 1


@pytest.mark.parametrize(
    ("token", "path", "said"),
    [
        pytest.param("wrong", PATH, "does not accept the token: 401", id="wrong token"),
        pytest.param("", PATH, f"shows no project `{PATH}` to the token", id="no token"),
        pytest.param(None, "ADLR/x", "shows no project `ADLR/x`", id="another project"),
    ],
)
def test_what_is_wrongly_configured_is_told(gitlab_lab, world, token, path, said):
    refused = failure(client(gitlab_lab, token, path).run, 1)

    assert said in refused.message
    assert "`read_api`" in refused.hint


def test_a_token_that_may_only_read_cannot_run_again(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    world.finish(world.add_job(pipeline, "gpt", "bad"), "failed")
    reader = client(gitlab_lab, world.token(PATH, scopes=("read_api",)))

    refused = failure(reader.retry_failed, pipeline.id)

    assert "insufficient_scope" in refused.message
    assert "`api`" in refused.hint
    assert [job.status for job in pipeline.jobs] == ["failed"]


def test_gitlab_is_given_the_time_that_it_asks_for(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    gitlab_lab.faults.append(too_many_requests(f"{PIPELINES}.*", 0, times=2))

    assert client(gitlab_lab).run(pipeline.id).id == pipeline.id


def test_gitlab_is_not_waited_for_longer_than_that_is_bearable(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    gitlab_lab.faults.append(too_many_requests(f"{PIPELINES}.*", 3600))

    refused = failure(client(gitlab_lab).run, pipeline.id)

    assert refused.message == f"GitLab at `{gitlab_lab.url}` has had too many requests"
    assert refused.hint == "try again in 3600 seconds"


def test_a_fault_on_the_way_is_got_over(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    world.add_job(pipeline, "gpt", "test")
    gitlab_lab.faults.append(Fault("GET", ".*/jobs", times=2))

    assert [job.name for job in client(gitlab_lab).jobs(pipeline.id)] == ["gpt / test"]
