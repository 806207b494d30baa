"""`bot goldens refresh --pipeline-id`: goldens of a GitLab pipeline, its child pipelines included."""

import subprocess
from datetime import timedelta

import pytest

from bot.lab.gitlab.megatron import Outcome, begin, lane
from bot.lab.megatron import megatron_files
from bot.lab.megatron_artifacts import scaled, truncated
from tests.contracts.gitlab_client import NOW, PATH, gitlab_lab, gitlab_stages, project, world

__all__ = ["gitlab_lab", "gitlab_stages", "project", "world"]

CASES = "tests/functional_tests/test_cases"
FILES = megatron_files()
RESUME, FSDP = "gpt_small_tp1_pp4_resume", "gpt_small_dp8_fsdp"


def golden(test: str, lane_name: str = "dev_dgx_h100") -> str:
    return f"{CASES}/gpt/{test}/golden_values_{lane_name}.json"


OLD = FILES[golden(RESUME)]
NEAR, NEARER, FAR = (scaled(OLD, {"lm loss": factor}) for factor in (1.000_01, 1.000_02, 1.2))


class Story:
    """A pipeline of the commit that is checked out."""

    def __init__(self, bot, clone, world, project) -> None:
        self.bot, self.clone, self.world = bot, clone, world
        self.pipeline = begin(world, project)
        done = subprocess.run(
            ["git", "-C", str(clone), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
        )
        self.pipeline.sha = done.stdout.strip()

    def ends(self, *outcomes: Outcome, lane_name: str = "dev_dgx_h100"):
        return lane(self.world, self.pipeline, lane_name, *outcomes)

    def refresh(self, *words: str, which: str = "--only-failing"):
        number = ("--pipeline-id", str(self.pipeline.id))
        return self.bot("goldens", "refresh", *number, which, "--checkout", str(self.clone), *words)

    def read(self, path: str) -> bytes:
        return (self.clone / path).read_bytes()


@pytest.fixture
def server(gitlab_lab, world, monkeypatch):
    """Name the server and a token of a person in the environment."""
    monkeypatch.setenv("GITLAB_URL", gitlab_lab.url)
    monkeypatch.setenv("GITLAB_TOKEN", world.token(PATH, scopes=("read_api",)))


@pytest.fixture
def story(bot, clone, server, world, project):
    return Story(bot, clone, world, project)


def test_the_golden_of_the_last_restart_takes_its_place(story):
    story.ends(Outcome("gpt", RESUME, (NEARER, NEAR)))

    document = story.refresh().document

    assert (document["written"], document["refused"]) == ([golden(RESUME)], [])
    assert document["sha"] == story.pipeline.sha
    assert story.read(golden(RESUME)) == NEAR


def test_of_passed_tests_only_when_all_are_asked_for(story):
    story.ends(
        Outcome("gpt", RESUME, (NEAR,), status="success"), Outcome("gpt", FSDP, (FILES[golden(FSDP)],))
    )

    failing = story.refresh("--dry-run").document
    every = story.refresh(which="--all").document

    assert (failing["written"], failing["unchanged"]) == ([], [golden(FSDP)])
    assert (every["written"], every["unchanged"]) == ([golden(RESUME)], [golden(FSDP)])


def test_the_newest_attempt_counts(story, world, project):
    jobs = story.ends(Outcome("gpt", RESUME, (FAR,)))
    (again,) = world.retry(story.pipeline.bridges[-1].downstream)
    world.finish(again, "failed")
    elsewhere = lane(world, begin(world, project), "dev_dgx_h100", Outcome("gpt", RESUME, (NEAR,)))
    world.leave(again, elsewhere[RESUME].archive.zip)

    assert story.refresh().document["written"] == [golden(RESUME)]
    assert story.read(golden(RESUME)) == NEAR
    assert jobs[RESUME].retried


@pytest.mark.parametrize(
    ("left", "accept"),
    [
        pytest.param(truncated(OLD, 3), True, id="truncated"),
        pytest.param(b"", True, id="empty"),
        pytest.param(None, True, id="none"),
        pytest.param(FAR, False, id="far"),
    ],
)
def test_what_may_not_take_its_place_is_refused_with_the_reason(story, left, accept):
    story.ends(Outcome("gpt", RESUME, (left,)))

    document = story.refresh(*(("--accept", "all") if accept else ())).document

    assert document["written"] == []
    [refused] = document["refused"]
    assert (refused["file"], refused["person_may_accept"]) == (golden(RESUME), not accept)
    assert story.read(golden(RESUME)) == OLD


def test_what_moved_far_is_written_once_a_person_accepts_it(story):
    story.ends(Outcome("gpt", RESUME, (FAR,)))

    assert story.refresh("--accept", RESUME).document["written"] == [golden(RESUME)]
    assert story.read(golden(RESUME)) == FAR


@pytest.mark.parametrize(
    ("locked", "written"), [(True, [golden(RESUME)]), (False, [])], ids=["kept as the latest", "expired"]
)
def test_an_expired_artifact_is_said_to_be_unless_it_is_kept_as_the_latest(story, locked, written):
    jobs = story.ends(Outcome("gpt", RESUME, (NEAR,)))
    archive = jobs[RESUME].archive
    story.world.leave(jobs[RESUME], archive.zip, expire_at=NOW - timedelta(days=1), locked=locked)

    document = story.refresh().document

    assert document["written"] == written
    reasons = {it["file"]: it["reason"] for it in document["not_covered"]}
    assert reasons.get(golden(RESUME)) == (None if locked else "the artifact of its job has expired")


def test_lanes_without_this_test_are_told_apart_by_the_test_recipes(story):
    story.ends(Outcome("gpt", RESUME, (NEAR,)))

    document = story.refresh("--dry-run").document

    reasons = {it["file"]: it["reason"] for it in document["not_covered"]}
    assert reasons[golden(FSDP)] == "is of a test that runs in `mr` and `mr-github` and did not run here"
    assert golden(RESUME) not in reasons


def test_goldens_of_another_environment_are_refused(story):
    other = golden(RESUME, "lts_dgx_h100")
    story.ends(Outcome("gpt", RESUME, (NEAR,)), lane_name="lts_dgx_h100")

    [refused] = story.refresh("--accept", "all").document["refused"]

    assert refused["file"] == other
    assert not (story.clone / other).exists()


def test_a_pipeline_that_goes_on_is_refused(story):
    story.ends(Outcome("gpt", RESUME, (NEAR,), status="running"))

    outcome = story.refresh()

    assert outcome.status == 3
    assert "is still" in outcome.document["error"]["message"]


def test_a_job_of_no_known_test_changes_nothing(story):
    story.ends(Outcome("gpt", "../../x", (NEAR,)), Outcome("gpt", "unknown", (NEAR,)))

    document = story.refresh("--accept", "all").document

    assert document["written"] == []
    assert [it["file"] for it in document["refused"]] == [golden("unknown")]


def test_there_is_no_such_pipeline_or_no_server(story, monkeypatch):
    wrong = ("goldens", "refresh", "--pipeline-id", "999", "--all", "--checkout", str(story.clone))
    assert story.bot(*wrong).status == 2

    monkeypatch.delenv("GITLAB_URL")
    outcome = story.refresh()
    assert outcome.status == 2
    assert "no GitLab server is configured" in outcome.document["error"]["message"]
