"""Logs and artifacts of GitHub Actions: where they are fetched from, with what, and what may go wrong."""

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from bot import wiring
from bot.core.errors import Refused, ServiceError
from bot.github.auth import Accounts, Credentials
from bot.github.ci import GitHubActions
from bot.github.downloads import DownloadPatience
from bot.github.errors import Gone, NotFound
from bot.github.session import Server
from bot.lab.blobs import BlobFault
from bot.lab.github_api import Fault
from bot.lab.runs import ArtifactPlan, JobPlan, WorkflowRun
from bot.lab.server import GitHubLab
from bot.settings import load_settings
from tests.judges.plugin import Judge

REPOSITORY = "NVIDIA/Megatron-LM"
BRANCH = "pull-request/1"
LOG = b"".join(b"line %d\n" % n for n in range(100_000))


@pytest.fixture
def run(lab: GitHubLab) -> WorkflowRun:
    """A run with one job that has a log of a megabyte and two artifacts."""
    world = lab.world
    world.add_repository(REPOSITORY, {"README.md": "one\n"})
    world.user("bot")
    world.set_role(REPOSITORY, "bot", "write")
    artifacts = tuple(ArtifactPlan(f"logs-{n}", lambda n=n: b"zip %d" % n) for n in range(2))
    job = JobPlan("build", log=lambda _at: _pieces(), artifacts=artifacts)
    world.on_push(REPOSITORY, "pull-request/*", lambda _trigger: [job])
    head = world.repository(REPOSITORY).branch("main") or ""
    world.create_branch(REPOSITORY, BRANCH, head, author="bot")
    (made,) = world.workflow_runs(REPOSITORY)
    world.finish(made)
    return made


def _pieces() -> Iterator[bytes]:
    for at in range(0, len(LOG), 10_000):
        yield LOG[at : at + 10_000]


class Waits(list):
    """Remembers how long somebody slept, and returns at once."""

    def sleep(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def ci(lab: GitHubLab, run: WorkflowRun, waits: Waits) -> GitHubActions:
    accounts = Accounts(
        Credentials({"pull_request": "user"}, token=lab.user_token("bot")),
        Server(lab.url, between_writes=0),
        REPOSITORY,
    )
    patience = DownloadPatience(timeout=5, sleep=waits.sleep)
    return GitHubActions(accounts.session("user", REPOSITORY), REPOSITORY, patience)


def test_the_settings_lead_to_the_runs_of_a_repository(lab: GitHubLab, run: WorkflowRun):
    environ = {"GITHUB_TOKEN": lab.user_token("bot"), "GITHUB_API_URL": lab.url}
    settings = load_settings(environ, user_config=Path("/no/such/file.toml"))

    found = wiring.ci_runs(settings, REPOSITORY)

    assert [it.id for it in found.runs(BRANCH)] == [run.id]


def test_the_store_never_sees_the_token(lab: GitHubLab, ci: GitHubActions, run: WorkflowRun):
    assert b"".join(ci.log(run.jobs[0].id)) == LOG

    assert [(it.method, it.status) for it in lab.blobs.log] == [("GET", 200)]
    assert lab.blobs.violations == []
    assert lab.blobs.url != lab.url


def test_a_password_of_the_users_is_not_sent_to_the_store(
    lab: GitHubLab, ci: GitHubActions, run: WorkflowRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / ".netrc").write_text("default login ann password nobody\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))

    assert b"".join(ci.log(run.jobs[0].id)) == LOG
    assert lab.blobs.violations == []


def test_nothing_is_asked_for_before_a_log_is_read(lab: GitHubLab, ci: GitHubActions, run: WorkflowRun):
    before = len(lab.requests)

    log = ci.log(run.jobs[0].id)

    assert len(lab.requests) == before
    assert next(log)[:7] == LOG[:7]
    log.close()


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([BlobFault(503, times=2)], id="the store is busy"),
        pytest.param([BlobFault(403)], id="the address has expired on the way"),
        pytest.param([BlobFault(reset_after=0)], id="cut before the first byte"),
    ],
)
def test_a_log_that_does_not_begin_is_asked_for_again(
    lab: GitHubLab, ci: GitHubActions, run: WorkflowRun, waits: Waits, faults: Sequence[BlobFault]
):
    lab.blobs.faults += faults

    assert b"".join(ci.log(run.jobs[0].id)) == LOG

    assert len({it.path for it in lab.blobs.log}) == len(lab.blobs.log) == len(waits) + 1
    assert waits == [1.0, 2.0][: len(waits)]


def test_a_store_that_stays_busy_is_an_error_of_the_service(
    lab: GitHubLab, ci: GitHubActions, run: WorkflowRun
):
    lab.blobs.faults.append(BlobFault(503, times=99))

    with pytest.raises(ServiceError, match=f"log of job {run.jobs[0].id} could not be fetched.*status 503"):
        list(ci.log(run.jobs[0].id))
    assert len(lab.blobs.log) == 4


def test_a_log_that_breaks_off_is_not_taken_for_a_whole_one(
    lab: GitHubLab, ci: GitHubActions, run: WorkflowRun
):
    lab.blobs.faults.append(BlobFault(reset_after=300_000))

    with pytest.raises(ServiceError, match="broke off"):
        list(ci.log(run.jobs[0].id))
    assert len(lab.blobs.log) == 1


@pytest.mark.parametrize("status", [404, 410])
def test_a_log_that_the_store_has_no_more_is_empty(
    lab: GitHubLab, ci: GitHubActions, run: WorkflowRun, status: int
):
    lab.blobs.faults.append(BlobFault(status))

    assert list(ci.log(run.jobs[0].id)) == []


def test_a_log_that_the_api_has_no_more_is_empty(lab: GitHubLab, ci: GitHubActions, run: WorkflowRun):
    lab.faults.append(Fault("GET", ".*/logs", 410, "Server Error"))

    assert list(ci.log(run.jobs[0].id)) == []


def test_a_redirect_of_the_store_is_not_followed(lab: GitHubLab, ci: GitHubActions, run: WorkflowRun):
    lab.blobs.faults.append(BlobFault(302, times=99))

    with pytest.raises(ServiceError, match="status 302"):
        list(ci.log(run.jobs[0].id))


@pytest.mark.parametrize("origin", ["https://example.org", "http://blob.core.windows.net", "ftp://127.0.0.1"])
def test_a_stranger_is_not_asked_for_a_log(lab: GitHubLab, ci: GitHubActions, run: WorkflowRun, origin: str):
    lab.blobs.url = origin

    with pytest.raises(ServiceError, match="nothing is fetched from") as refused:
        list(ci.log(run.jobs[0].id))
    assert "sig=" not in str(refused.value)


def test_the_zip_of_an_artifact_is_found(lab: GitHubLab, ci: GitHubActions, run: WorkflowRun):
    artifact = ci.artifacts(run.id)[0]

    answer = httpx.get(ci.location(artifact.id))

    assert answer.content == b"zip " + artifact.name.encode()[-1:]
    assert len(answer.content) == artifact.size


def test_many_threads_may_ask_for_zips_at_once(lab: GitHubLab, run: WorkflowRun, waits: Waits):
    app = lab.app("bump-bot", [REPOSITORY])
    credentials = Credentials({"pull_request": "app"}, app_id=app.id, app_private_key=app.private_key)
    accounts = Accounts(credentials, Server(lab.url, between_writes=0), REPOSITORY)
    ci = GitHubActions(accounts.session("app", REPOSITORY), REPOSITORY)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = [*pool.map(ci.location, [run.artifacts[n % 2].id for n in range(40)])]
    finally:
        sys.setswitchinterval(interval)

    assert [httpx.get(url).content for url in found[:4]] == [b"zip 0", b"zip 1", b"zip 0", b"zip 1"]
    tokens = [it for it in lab.requests if it.path.endswith("/access_tokens")]
    assert len(tokens) == 1


def test_many_threads_may_read_logs_at_once(ci: GitHubActions, run: WorkflowRun):
    with ThreadPoolExecutor(8) as pool:
        logs = [*pool.map(lambda _n: b"".join(ci.log(run.jobs[0].id)), range(16))]

    assert set(logs) == {LOG}


def test_each_list_of_up_to_a_hundred_is_one_request(lab: GitHubLab, ci: GitHubActions, run: WorkflowRun):
    for read in (
        lambda: ci.runs(BRANCH),
        lambda: ci.jobs(run.id),
        lambda: ci.artifacts(run.id),
        lambda: ci.run(run.id),
    ):
        before = len(lab.requests)
        assert read()
        assert len(lab.requests) - before == 1


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param(
            ".github/workflows/ci.yml@refs/heads/main", ".github/workflows/ci.yml", id="with its ref"
        ),
        pytest.param("org/ci/.github/workflows/ci.yml@v1", "org/ci/.github/workflows/ci.yml", id="another's"),
    ],
)
def test_a_workflow_is_known_by_its_path(
    lab: GitHubLab, ci: GitHubActions, run: WorkflowRun, path: str, expected: str
):
    lab.world.on_push(REPOSITORY, "other", lambda _trigger: [], path=path)
    lab.world.create_branch(REPOSITORY, "other", run.sha, author="bot")

    assert [it.workflow for it in ci.runs("other")] == [expected]


def test_an_artifact_that_has_expired_is_gone(lab: GitHubLab, ci: GitHubActions, run: WorkflowRun):
    run.artifacts[0].expired = True

    with pytest.raises(Gone, match="deleted") as gone:
        ci.location(run.artifacts[0].id)
    assert gone.value.hint


def test_an_artifact_that_never_was_is_not_found(ci: GitHubActions):
    with pytest.raises(NotFound):
        ci.location(999_999_999)


def test_an_artifact_at_a_strangers_is_not_fetched(lab: GitHubLab, ci: GitHubActions, run: WorkflowRun):
    lab.blobs.url = "https://productionresults.blob.core.windows.net.example.org"

    with pytest.raises(ServiceError, match="nothing is fetched from"):
        ci.location(run.artifacts[0].id)


def test_an_answer_without_an_address_is_an_error(
    lab: GitHubLab, ci: GitHubActions, run: WorkflowRun, github_judge: Judge
):
    github_judge.watch(lab.url, answers=False)
    lab.faults.append(Fault("GET", ".*/zip", 200, "OK"))

    with pytest.raises(ServiceError, match="does not say where"):
        ci.location(run.artifacts[0].id)


def test_whoever_may_not_write_runs_nothing_again(lab: GitHubLab, ci: GitHubActions, run: WorkflowRun):
    lab.world.set_role(REPOSITORY, "bot", "read")

    with pytest.raises(Refused, match="forbids") as refused:
        ci.retry_failed(run.id)
    assert "actions: write" in refused.value.hint
