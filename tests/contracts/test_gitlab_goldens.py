"""From a pipeline in the form of Megatron-LM's to the goldens that it renews."""

from pathlib import Path

import pytest

from bot import wiring
from bot.core.errors import UsageError
from bot.core.goldens.coverage import FileReason
from bot.core.pipeline_goldens import golden_sources
from bot.core.recipe import parse_recipe
from bot.lab.gitlab.megatron import LANES, Outcome, begin, lane
from bot.settings import load_settings
from tests.contracts.gitlab_client import PATH, gitlab_lab, gitlab_stages, project, world

__all__ = ["gitlab_lab", "gitlab_stages", "project", "world"]

FILE = Path(__file__).parents[2] / "recipes" / "megatron-lm.yaml"
RECIPE = parse_recipe(FILE.read_text(encoding="utf-8"), name="megatron-lm", path=FILE.name)
CASE = "tests/functional_tests/test_cases/gpt/gpt3_tp1_pp2/golden_values_{}.json"


@pytest.fixture
def reader(gitlab_lab, world):
    settings = {"GITLAB_URL": gitlab_lab.url, "GITLAB_TOKEN": world.token(PATH, scopes=("read_api",))}
    return wiring.gitlab_pipelines(load_settings(settings, None), PATH)


def sources(reader, pipeline, known=()):
    jobs, artifacts = reader.jobs(pipeline.id), reader.artifacts(pipeline.id)
    return golden_sources(jobs, artifacts, RECIPE.gitlab.results, RECIPE.goldens, known)


def test_all_six_lanes_are_in_reach_and_nothing_else_is(world, project, reader):
    pipeline = begin(world, project)
    for name in LANES:
        lane(world, pipeline, name, Outcome("gpt", "gpt3_tp1_pp2", (b"{}",)))

    found, not_covered = sources(reader, pipeline)

    assert [source.file for source in found] == sorted(map(CASE.format, LANES))
    assert all(LANES[f"{it.test.environment}_{it.test.platform}"] in it.job.labels for it in found)
    assert not_covered == ()


def test_a_lane_without_tests_renews_nothing(world, project, reader):
    pipeline = begin(world, project)
    lane(world, pipeline, "dev_dgx_h100")
    known = [CASE.format("dev_dgx_h100")]

    assert sources(reader, pipeline, known) == (
        (),
        (FileReason(known[0], "no job of the pipeline is of this test"),),
    )


def test_the_test_that_was_run_again_is_read_anew(world, project, reader):
    pipeline = begin(world, project)
    jobs = lane(world, pipeline, "dev_dgx_h100", Outcome("gpt", "gpt3_tp1_pp2", (b"{}",)))
    child = pipeline.bridges[-1].downstream
    (again,) = world.retry(child)

    assert [it.reason for it in sources(reader, pipeline)[1]] == ["its job has not ended"]

    world.finish(again)
    world.leave(again, b"zip")
    ((source,), _) = sources(reader, pipeline)
    assert (source.job.attempt, source.artifact.id, jobs["gpt3_tp1_pp2"].retried) == (2, again.id, True)


def test_without_a_server_there_are_no_pipelines():
    with pytest.raises(UsageError, match="no GitLab server is configured"):
        wiring.gitlab_pipelines(load_settings({}, None), PATH)
