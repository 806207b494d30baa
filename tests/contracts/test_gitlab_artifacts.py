"""Goldens out of the artifacts of a GitLab pipeline, sent by the server itself or by its object storage."""

import random
from datetime import timedelta

import pytest

from bot import wiring
from bot.core.ci import Unreadable
from bot.lab.gitlab.megatron import Outcome, begin, lane
from bot.settings import load_settings
from tests.contracts.gitlab_client import NOW, PATH, gitlab_lab, gitlab_stages, project, world
from tests.fakes.zips import zipped

__all__ = ["gitlab_lab", "gitlab_stages", "project", "world"]

GOLDEN = "golden_values_dev_dgx_h100.json"
LARGE = zipped({f"results/{GOLDEN}": b"{}", "results/rank_0.log": random.Random(0).randbytes(300_000)})


class Pipelines:
    """A pipeline with one job, and what the settings of a person read of it."""

    def __init__(self, lab, world, project, token: str) -> None:
        self.pipeline = begin(world, project)
        self.job = lane(world, self.pipeline, "dev_dgx_h100", Outcome("gpt", "gpt3_tp1", (b"{}",)))[
            "gpt3_tp1"
        ]
        world.leave(self.job, LARGE)
        settings = load_settings({"GITLAB_URL": lab.url, "GITLAB_TOKEN": token}, None)
        self.runs = wiring.gitlab_pipelines(settings, PATH)
        self.reader = wiring.artifact_reader(settings, self.runs.location)

    def read(self):
        artifacts = self.runs.artifacts(self.pipeline.id)
        return self.reader.read(artifacts, lambda _, name: name.endswith(GOLDEN))[self.job.id]


@pytest.fixture
def pipelines(gitlab_lab, world, project):
    return Pipelines(gitlab_lab, world, project, world.token(PATH, scopes=("read_api",)))


@pytest.mark.parametrize("ranges", [True, False], ids=["by ranges", "as a whole"])
def test_a_golden_comes_from_the_object_storage_which_sees_no_token(gitlab_lab, pipelines, ranges):
    gitlab_lab.api.direct_download, gitlab_lab.storage.ranges = True, ranges

    assert pipelines.read().files == {f"results/{GOLDEN}": b"{}"}
    assert gitlab_lab.storage.told_secrets == []
    assert len(gitlab_lab.storage.requests) == 2


@pytest.mark.parametrize("ranges", [True, False], ids=["by ranges", "as a whole"])
def test_a_golden_comes_from_the_server_itself(gitlab_lab, pipelines, ranges):
    gitlab_lab.api.direct_download, gitlab_lab.api.ranges = False, ranges

    assert pipelines.read().files == {f"results/{GOLDEN}": b"{}"}
    assert gitlab_lab.storage.requests == []


def test_artifacts_that_expired_are_said_to_have(gitlab_lab, world, pipelines):
    world.leave(pipelines.job, LARGE, expire_at=NOW - timedelta(days=1))

    assert pipelines.read() == Unreadable("the artifact has expired")


def test_artifacts_that_were_erased_since_they_were_listed_are_gone(gitlab_lab, world, pipelines):
    artifacts = pipelines.runs.artifacts(pipelines.pipeline.id)
    pipelines.job.erased, pipelines.job.archive = True, None

    found = pipelines.reader.read(artifacts, lambda *_: True)[pipelines.job.id]

    assert found == Unreadable("the artifact is gone: `127.0.0.1` answered with status 404")
