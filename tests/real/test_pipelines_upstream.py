"""The goldens of a pipeline, fetched by the bot and by Megatron-LM's own script from the same GitLab."""

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import requests

from bot.core.pipeline_goldens import golden_entry, golden_sources
from bot.gitlab.pipelines import GitLabPipelines
from bot.lab.gitlab.megatron import Outcome, begin, lane
from tests.lab.gitlab_fixtures import gitlab_lab, gitlab_stages
from tests.real.test_pipelines import GOLDENS, RESULTS

__all__ = ["gitlab_lab", "gitlab_stages"]

PATH = "ADLR/megatron-lm"
SCRIPT = "tests/test_utils/python_scripts/download_golden_values.py"

# The script speaks https alone.
RUN = """\
import sys
import gitlab
real = gitlab.Gitlab
gitlab.Gitlab = lambda url, **options: real(url.replace("https:", "http:"), **options)
from download_golden_values import download_from_gitlab
download_from_gitlab(int(sys.argv[1]), only_failing=False)
"""


@pytest.fixture
def pipeline(gitlab_lab):
    """Three lanes, two restarts, a workload named by the test alone, upper case, a test that left none."""
    world = gitlab_lab.world
    begun = begin(world, world.add_project(PATH, {}))
    for name in ("dev_dgx_a100", "lts_dgx_a100"):
        lane(world, begun, name, Outcome("gpt", "gpt3_tp1_pp2", (f"of {name}".encode(),)))
    lane(
        world,
        begun,
        "dev_dgx_h100",
        Outcome("gpt", "gpt3_tp1_pp2", (b"of dev_dgx_h100",), status="success"),
        Outcome("moe", "MoE_FP8", (b"restart 0", b"restart 1")),
        Outcome("t5", "t5_one", (b"alone",), workload="t5_one"),
        Outcome("t5", "t5_none", (None,)),
        Outcome("t5", "t5_gone", (b"restart 0", None)),
    )
    return begun


def by_the_bot(lab, pipeline) -> dict[str, bytes]:
    reader = GitLabPipelines(lab.url, lab.world.token(PATH), PATH)
    sources, _ = golden_sources(reader.jobs(pipeline.id), reader.artifacts(pipeline.id), RESULTS, GOLDENS)
    found = {}
    for source in sources:
        place = reader.location(source.artifact.id)
        answer = requests.get(place.url, headers=place.headers, timeout=5)
        with zipfile.ZipFile(io.BytesIO(answer.content)) as file:
            entry = golden_entry(source, file.namelist(), RESULTS)
            if isinstance(entry, str):
                found[source.file] = file.read(entry)
    return found


def by_upstream(lab, pipeline, script: bytes, folder: Path) -> dict[str, bytes]:
    (folder / "download_golden_values.py").write_bytes(script)
    environment = os.environ | {
        "GITLAB_ENDPOINT": lab.url.removeprefix("http://"),
        "RO_API_TOKEN": lab.world.token(PATH),
        "CI_PROJECT_ID": str(pipeline.project.id),
    }
    command = [sys.executable, "-c", RUN, str(pipeline.id)]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, timeout=60)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("tests/**/golden*.json")}


def test_both_find_the_same_goldens(gitlab_lab, pipeline, megatron, tmp_path):
    # Where GitLab redirects, the script hands its token to the object storage, which the lab would report.
    gitlab_lab.api.direct_download = False
    script = megatron.files(megatron.heads()["main"], [SCRIPT])[SCRIPT]

    upstream = by_upstream(gitlab_lab, pipeline, script, tmp_path)

    assert by_the_bot(gitlab_lab, pipeline) == upstream
    cases = "tests/functional_tests/test_cases"
    assert {file.removeprefix(f"{cases}/"): content for file, content in upstream.items()} == {
        "gpt/gpt3_tp1_pp2/golden_values_dev_dgx_h100.json": b"of dev_dgx_h100",
        "gpt/gpt3_tp1_pp2/golden_values_dev_dgx_a100.json": b"of dev_dgx_a100",
        "gpt/gpt3_tp1_pp2/golden_values_lts_dgx_a100.json": b"of lts_dgx_a100",
        "moe/MoE_FP8/golden_values_dev_dgx_h100.json": b"restart 1",
        "t5/t5_one/golden_values_dev_dgx_h100.json": b"alone",
    }
