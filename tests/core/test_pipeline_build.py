"""Which jobs of a pipeline build images, and with which variables a pipeline is begun."""

import pytest

from bot.core.ci import Job
from bot.core.errors import Refused
from bot.core.pipeline_build import (
    MirrorBranch,
    PipelineReport,
    PipelineRequest,
    StartedPipeline,
    differing,
    image_builds,
    pipeline_variables,
    refuse_target,
)

SHA = "0123456789" * 4
DEV = "build / test:pre_build_image: [CI_MCORE_DEV_IMAGE, Dockerfile.ci.dev, dev, nvcr.io/a/b:1, {}]"
PIPELINE = StartedPipeline(7, SHA, "https://gitlab.example.com/7")


def job(number: int, name: str, conclusion: str | None = "success") -> Job:
    return Job(number, 7, name, 1, "completed" if conclusion else "running", conclusion, (), None, None, "")


def test_the_newest_attempt_of_each_image_and_platform_counts():
    jobs = [
        job(3, DEV.format("amd64")),
        job(1, DEV.format("amd64"), "failure"),
        job(2, DEV.format("arm64")),
        job(4, "build / test:build_image: [CI_MCORE_DEV_IMAGE]"),
        job(5, "build / test:build_nemo_image"),
    ]

    builds = image_builds(jobs)

    assert [(it.image, it.platform, it.job.id) for it in builds] == [
        ("CI_MCORE_DEV_IMAGE", "amd64", 3),
        ("CI_MCORE_DEV_IMAGE", "arm64", 2),
    ]
    assert PipelineReport(PIPELINE, builds).succeeded


@pytest.mark.parametrize("conclusions", [[], ["failure"], ["success", None], ["success", "cancelled"]])
def test_less_than_every_image_is_no_success(conclusions):
    jobs = [job(n, DEV.format(n), conclusion) for n, conclusion in enumerate(conclusions)]

    assert not PipelineReport(PIPELINE, image_builds(jobs)).succeeded


@pytest.mark.parametrize(
    ("asked", "more"),
    [
        ({}, {}),
        ({"scope": "release"}, {"FUNCTIONAL_TEST_SCOPE": "release", "FUNCTIONAL_TEST_TIME_LIMIT": "14400"}),
        ({"scope": "weekly"}, {"FUNCTIONAL_TEST_SCOPE": "weekly", "FUNCTIONAL_TEST_TIME_LIMIT": "14400"}),
        ({"time_limit": 60}, {"FUNCTIONAL_TEST_TIME_LIMIT": "60"}),
        ({"name": "x"}, {"FUNCTIONAL_TEST_NAME": "x"}),
        ({"clusters": {"H100": "eos"}}, {"CLUSTER_H100": "eos"}),
        ({"repeat": 1, "cases": "a"}, {"FUNCTIONAL_TEST_REPEAT": "1", "FUNCTIONAL_TEST_CASES": "a"}),
    ],
)
def test_variables_are_those_of_the_repository_s_own_starter(asked, more):
    always = {
        "UNIT_TEST": "no",
        "INTEGRATION_TEST": "no",
        "FUNCTIONAL_TEST_SCOPE": "mr",
        "FUNCTIONAL_TEST_REPEAT": "5",
        "FUNCTIONAL_TEST_CASES": "all",
    }

    assert pipeline_variables(**asked) == always | more


def test_a_commit_goes_to_a_branch_of_the_bot_s_own():
    request = PipelineRequest("bot/base-image/main/dev-26.06-py3", SHA, {})

    assert request.target == "pull-request/bot/base-image/main/dev-26.06-py3"
    refuse_target(request, None, ["main"])
    refuse_target(request, MirrorBranch(request.target, SHA, is_protected=False), ["main"])


@pytest.mark.parametrize(
    ("branch", "sha", "protected"),
    [
        ("main", SHA, False),
        ("x", SHA, True),
        ("--x", SHA, False),
        ("x", "HEAD", False),
        ("shared", SHA, False),
    ],
)
def test_any_other_is_refused(branch, sha, protected):
    there = MirrorBranch(f"pull-request/{branch}", SHA, is_protected=protected)

    with pytest.raises(Refused):
        refuse_target(PipelineRequest(branch, sha, {}), there, ["main", "pull-request/shared"])


def test_variables_that_differ_are_named():
    assert differing({"A": "1", "B": "2", "C": "3"}, {"A": "1", "B": "3", "D": "4"}) == ("B", "C")
