"""Pipelines in the form of Megatron-LM's: six lanes of functional tests, each a child pipeline.

Names and paths are those of the repository's own `.gitlab/stages/` and of the scripts beside its tests
(https://github.com/NVIDIA/Megatron-LM/tree/main/tests/test_utils/python_scripts).
"""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

from bot.lab.gitlab.model import Job, Pipeline, Project
from bot.lab.gitlab.world import GitLabWorld

LANES = {
    "lts_dgx_a100": "cluster/draco-oci-iad",
    "dev_dgx_a100": "cluster/draco-oci-iad",
    "lts_dgx_h100": "cluster/coreweave",
    "dev_dgx_h100": "cluster/coreweave",
    "lts_dgx_gb200": "cluster/oci-hsg",
    "dev_dgx_gb200": "cluster/oci-hsg",
}
"""Environment and platform of each lane, and the tag of the runners that start its tests."""
_TAGS = ("arch/amd64", "env/prod", "owner/jet-core", "team/megatron")
_PLACEHOLDER = "empty-pipeline-placeholder"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a functional test ends: its status, and the golden that each restart leaves (None: none).

    `workload` is the folder of its results where that is not made of test and lane.
    """

    model: str
    test: str
    goldens: tuple[bytes | None, ...] = ()
    status: str = "failed"
    log: bytes = b""
    workload: str | None = None


def begin(world: GitLabWorld, project: Project, *, source: str = "schedule") -> Pipeline:
    """Begin a pipeline that has built its image and passed the smoke tests; its lanes are still empty."""
    pipeline = world.add_pipeline(project, source=source)
    for platform in ("amd64", "arm64"):
        name = f"test:pre_build_image: [CI_MCORE_DEV_IMAGE, Dockerfile.ci.dev, {platform}]"
        world.finish(world.add_job(pipeline, "build", name, tags=_TAGS))
    world.finish(world.add_job(pipeline, "build", "test:build_image", tags=_TAGS))
    world.finish(world.add_job(pipeline, "functional_tests", "functional:configure", tags=_TAGS))
    smoke = world.add_bridge(pipeline, "functional:smoke-h100")
    world.finish(world.add_job(smoke, "gpt", "gpt3_mcore_smoke", tags=_TAGS))
    world.add_empty_bridge(pipeline, "functional:run_nemo")
    return pipeline


def lane(world: GitLabWorld, pipeline: Pipeline, name: str, *outcomes: Outcome) -> Mapping[str, Job]:
    """Add a lane, one of `LANES`, with the tests that ended in it; without any it has a job that waits."""
    child = world.add_bridge(pipeline, f"functional:run_{name}")
    tags = (*_TAGS, LANES[name])
    if not outcomes:
        world.finish(world.add_job(child, _PLACEHOLDER, f"{_PLACEHOLDER}-job", tags=_TAGS))
    jobs = {}
    for outcome in outcomes:
        job = world.add_job(child, outcome.model, outcome.test, tags=tags, log=outcome.log)
        world.finish(job, outcome.status, after=1800)
        world.leave(job, _results(name, outcome))
        jobs[outcome.test] = job
    return jobs


def _results(name: str, outcome: Outcome) -> bytes:
    workload = outcome.workload or f"{outcome.test}_{name}"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for restart, golden in enumerate(outcome.goldens):
            folder = (
                f"results/iteration=0/restart={restart}/assets/basic/{workload.replace('_', '-').lower()}"
            )
            file.writestr(f"{folder}/jet_assets/output_logs/output_script-0.log", outcome.log)
            file.writestr(f"{folder}/logs/1/0/attempt_0/0/stderr.log", b"")
            if golden is not None:
                file.writestr(f"{folder}/golden_values_{name}.json", golden)
        file.writestr("jet_workload.log", outcome.log)
        file.writestr("error_report.json", b"{}")
    return made.getvalue()
