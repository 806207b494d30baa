"""Builds in a pipeline: a real push to a real git server, and pipelines on a GitLab that behaves as one."""

import threading

import pytest

from bot.builders.gitlab_pipeline import GitLabBuilds
from bot.builders.mirror_push import GitMirrorPush, Remote
from bot.core.errors import Refused, ServiceError, UsageError
from bot.core.pipeline_build import PipelineRequest, pipeline_variables
from bot.gitlab.pipelines import GitLabPipelines
from bot.gitlab.server import Patience
from bot.gitlab.starts import GitLabStarts
from bot.lab.github_api import Fault
from tests.lab.gitlab_fixtures import gitlab_lab, gitlab_stages
from tests.pipelines.git_server import git, serving_git

__all__ = ["gitlab_lab", "gitlab_stages"]

PATH = "ADLR/megatron-lm"
BRANCH = "bot/base-image/main/dev-26.06-py3"
TARGET = f"pull-request/{BRANCH}"
DEV = (
    "test:pre_build_image: [CI_MCORE_DEV_IMAGE, Dockerfile.ci.dev, dev, nvcr.io/nvidia/pytorch:26.06-py3, {}]"
)


class Stage:
    """Two repositories on one git server, and a GitLab that sees the branches of the second."""

    def __init__(self, lab, server, folder) -> None:
        self.lab, self.server = lab, server
        self.source, self.mirror = server.create("source.git"), server.create("mirror.git")
        self.work = folder / "work"
        self.work.mkdir()
        git(self.work, "init", "--quiet", "--initial-branch=main")
        self.first = self.commit("one")
        git(self.work, "push", "--quiet", str(self.mirror), "main")
        self.sha = self.commit("two")
        self.project = lab.world.add_project(PATH)
        self.world = lab.world
        lab.world.on_pipeline = self.fill
        lab.api.before_request = self.look
        self.token = lab.world.token(PATH)
        self.statuses = {"amd64": "success", "arm64": "success"}

    def look(self, _method: str = "", _path: str = "") -> None:
        lines = git(
            self.mirror, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads"
        ).splitlines()
        heads = dict(line.removeprefix("refs/heads/").split() for line in lines)
        self.project.branches.clear()
        self.project.branches.update(heads)

    def commit(self, text: str) -> str:
        (self.work / "file").write_text(text)
        git(self.work, "add", "file")
        git(self.work, "commit", "--quiet", "--message", text)
        git(self.work, "push", "--quiet", "--force", str(self.source), "HEAD:refs/heads/main")
        return git(self.work, "rev-parse", "HEAD")

    def fill(self, pipeline) -> None:
        for platform, status in self.statuses.items():
            job = self.world.add_job(
                pipeline, "build", DEV.format(platform), log=b"E: Unable to locate package x\n"
            )
            if status == "running":
                self.world.start(job)
            else:
                self.world.finish(job, status)

    def builds(self, **values) -> GitLabBuilds:
        patience = Patience(timeout=5, wait=0)
        given = {"token": self.token, "git_token": self.server.token} | values
        mirror = Remote(f"{self.server.url}/mirror.git", "oauth2", given["git_token"])
        source = Remote(f"{self.server.url}/source.git", "oauth2", self.server.token)
        return GitLabBuilds(
            GitLabStarts(self.lab.url, given["token"], PATH, patience),
            GitLabPipelines(self.lab.url, given["token"], PATH, patience),
            GitMirrorPush(source, mirror),
            shared=("main", "dev"),
            poll=0.05,
        )

    def request(self, **values) -> PipelineRequest:
        given = {"branch": BRANCH, "sha": self.sha, "variables": pipeline_variables()} | values
        return PipelineRequest(**given)

    def run(self, stop=None, **values):
        lines: list[str] = []
        builds = self.builds(**{key: values.pop(key) for key in ("token", "git_token") if key in values})
        return builds.run(self.request(**values), lines.append, stop or threading.Event()), lines

    def head(self, branch: str = TARGET) -> str | None:
        self.look()
        return self.project.branches.get(branch)

    @property
    def pipelines(self):
        return list(self.project.pipelines.values())


@pytest.fixture
def stage(gitlab_lab, tmp_path):
    with serving_git(tmp_path / "git") as server:
        yield Stage(gitlab_lab, server, tmp_path)


def test_a_commit_reaches_gitlab_and_its_builds_are_followed(stage):
    report, lines = stage.run()

    assert stage.head() == stage.sha
    (pipeline,) = stage.pipelines
    assert (pipeline.ref, pipeline.sha, pipeline.source) == (TARGET, stage.sha, "api")
    assert pipeline.variables == {
        "UNIT_TEST": "no",
        "INTEGRATION_TEST": "no",
        "FUNCTIONAL_TEST_SCOPE": "mr",
        "FUNCTIONAL_TEST_REPEAT": "5",
        "FUNCTIONAL_TEST_CASES": "all",
    }
    assert report.succeeded
    assert [(it.image, it.platform) for it in report.builds] == [
        ("CI_MCORE_DEV_IMAGE", "amd64"),
        ("CI_MCORE_DEV_IMAGE", "arm64"),
    ]
    assert lines[0] == f"push {stage.sha[:12]} to {TARGET}"
    assert lines[-2:] == ["CI_MCORE_DEV_IMAGE amd64: success", "CI_MCORE_DEV_IMAGE arm64: success"]


def test_a_dry_run_says_the_target_first_and_writes_nothing(stage):
    said = stage.builds().plan(stage.request())

    assert said[0] == f"target {TARGET} (new)"
    assert f"push {stage.sha} with lease" in said
    assert stage.head() is None
    assert stage.pipelines == []
    assert stage.server.requests == []


def test_a_branch_that_is_at_the_commit_already_is_not_pushed(stage):
    stage.run()
    before = len(stage.server.requests)

    stage.run()

    assert len(stage.server.requests) == before
    assert "push" not in " ".join(stage.builds().plan(stage.request()))


def test_an_older_commit_of_the_bot_gives_way_even_where_history_was_rewritten(stage):
    stage.run()
    git(stage.work, "reset", "--quiet", "--hard", stage.first)
    stage.sha = stage.commit("another two")

    stage.run()

    assert stage.head() == stage.sha


def test_a_branch_that_moves_meanwhile_is_left_as_it_is(stage):
    stage.run()
    seen = stage.head()
    other = stage.commit("three")
    git(stage.work, "push", "--quiet", "--force", str(stage.mirror), f"{other}:refs/heads/{TARGET}")
    fourth = stage.commit("four")

    with pytest.raises(Refused, match="moved meanwhile"):
        stage.builds().mirror.push(fourth, TARGET, seen)
    with pytest.raises(Refused, match="moved meanwhile"):
        stage.builds().mirror.push(fourth, TARGET, None)
    assert stage.head() == other


@pytest.mark.parametrize("branch", ["main", "dev"])
def test_a_branch_of_everybody_is_refused(stage, branch):
    with pytest.raises(Refused, match="branch of everybody"):
        stage.run(branch=branch)
    assert stage.pipelines == []
    assert stage.server.requests == []


@pytest.mark.parametrize(
    "branch",
    [
        "--force",
        "-x",
        "a b",
        "a..b",
        "a;id",
        "$(id)",
        "a\nb",
        "",
        "/a",
        "a/",
        "a.lock",
        "a:b",
        "a^",
        "a@{1}",
        "+a:b",
    ],
)
def test_a_name_that_tries_to_be_more_is_refused(stage, branch):
    with pytest.raises(Refused):
        stage.run(branch=branch)
    assert stage.pipelines == []
    assert stage.server.requests == []


@pytest.mark.parametrize("sha", ["HEAD", "main", "--all", "a" * 39, "A" * 40, ""])
def test_what_is_no_commit_is_refused(stage, sha):
    with pytest.raises(Refused):
        stage.run(sha=sha)


def test_a_protected_target_is_refused(stage):
    git(stage.work, "push", "--quiet", str(stage.mirror), f"{stage.first}:refs/heads/{TARGET}")
    stage.project.protected = frozenset({"main", TARGET})

    with pytest.raises(Refused, match="is a protected branch"):
        stage.run()
    assert stage.head() == stage.first


def test_a_push_that_gitlab_declines_is_refused_in_its_words(stage):
    hook = stage.mirror / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        "#!/bin/sh\necho 'GitLab: You are not allowed to push code to protected branches.' >&2\nexit 1\n"
    )
    hook.chmod(0o755)

    with pytest.raises(Refused, match="not allowed to push code to protected branches"):
        stage.run()
    assert stage.pipelines == []


def test_a_token_that_git_does_not_take_is_told_of_and_never_shown(stage):
    with pytest.raises(UsageError) as caught:
        stage.run(git_token="wrong-token")

    assert "wrong-token" not in str(caught.value)
    assert "wrong-token" not in repr(stage.builds(git_token="wrong-token").mirror._mirror)


def test_a_commit_that_is_nowhere_is_told_of(stage):
    with pytest.raises(ServiceError, match="cannot be fetched"):
        stage.run(sha="0123456789" * 4)


def test_a_pipeline_of_another_commit_is_cancelled_and_refused(stage):
    stage.statuses = {"amd64": "running"}
    taken = stage.world.on_pipeline

    def late(pipeline) -> None:
        taken(pipeline)
        pipeline.sha = stage.first

    stage.world.on_pipeline = late

    with pytest.raises(Refused, match="not of"):
        stage.run()
    assert stage.pipelines[0].status == "canceled"


def test_a_pipeline_without_its_variables_is_cancelled_and_refused(stage):
    stage.statuses = {"amd64": "running"}
    taken = stage.world.on_pipeline

    def forgetful(pipeline) -> None:
        taken(pipeline)
        pipeline.variables = {**pipeline.variables, "FUNCTIONAL_TEST_SCOPE": "nightly"}

    stage.world.on_pipeline = forgetful

    with pytest.raises(Refused, match="FUNCTIONAL_TEST_SCOPE"):
        stage.run()
    assert stage.pipelines[0].status == "canceled"


def test_a_child_pipeline_that_lacks_the_variables_is_said(stage):
    taken = stage.world.on_pipeline
    children = []

    def with_children(pipeline) -> None:
        taken(pipeline)
        children.extend(stage.world.add_bridge(pipeline, name) for name in ("one", "two"))
        children[0].variables = pipeline.variables

    stage.world.on_pipeline = with_children

    report, _ = stage.run()

    (notice,) = report.notices
    assert notice.startswith(f"child pipeline {children[1].id} was begun without UNIT_TEST")


def test_a_build_that_fails_is_explained_by_its_log(stage):
    stage.statuses = {"amd64": "success", "arm64": "failed"}

    report, _ = stage.run()

    failed = report.builds[1]
    assert not report.succeeded
    assert failed.job.conclusion == "failure"
    assert stage.builds().diagnosis(failed).causes[0].lines[0].text == "E: Unable to locate package x"


def test_a_build_that_gitlab_runs_again_is_waited_for(stage):
    stage.statuses = {"amd64": "failed", "arm64": "running"}
    running = Following(stage)
    running.until("CI_MCORE_DEV_IMAGE amd64: failure")
    with stage.world.lock:
        (pipeline,) = stage.pipelines
        (again,) = stage.world.retry(pipeline)
        for job in pipeline.jobs[1:]:
            stage.world.finish(job)

    report = running.end()

    assert report.succeeded
    assert report.builds[0].job.id == again.id
    assert "CI_MCORE_DEV_IMAGE amd64: success, attempt 2" in running.lines


def test_the_pipeline_ends_with_the_bot(stage):
    stage.statuses = {"amd64": "running"}
    running = Following(stage)
    running.until("CI_MCORE_DEV_IMAGE amd64: in_progress")
    running.stop.set()

    assert "was cancelled by the bot" in running.end().message
    assert stage.pipelines[0].status == "canceled"


class Following(threading.Thread):
    def __init__(self, stage) -> None:
        super().__init__()
        self.stage, self.stop, self.lines, self.ended = stage, threading.Event(), [], None
        self.start()

    def run(self) -> None:
        try:
            self.ended = self.stage.builds().run(self.stage.request(), self.lines.append, self.stop)
        except ServiceError as error:
            self.ended = error

    def until(self, line: str) -> None:
        for _ in range(200):
            if line in self.lines:
                return
            self.join(0.05)
        raise AssertionError(f"not said: {line}; said: {self.lines}, {self.ended}")

    def end(self):
        self.join(20)
        return self.ended


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        (400, Refused, "no pipeline of"),
        (401, ServiceError, "does not accept the token"),
        (403, ServiceError, "forbids"),
        (404, ServiceError, "has no"),
        (409, Refused, "no pipeline of"),
        (429, ServiceError, "429|too many requests"),
        (500, ServiceError, "failed with 500"),
    ],
)
def test_a_pipeline_that_gitlab_does_not_begin_is_asked_for_once(stage, status, error, words):
    stage.lab.faults.append(Fault("POST", r"/api/v4/projects/.*/pipeline", status, "said by GitLab", times=9))

    with pytest.raises(error, match=words):
        stage.run()
    assert sum(it.method == "POST" for it in stage.lab.requests) == 1
