"""What every `Builder` does: the fake and Docker on a real daemon, by the same tests."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.build_ports import Builder
from bot.builders.docker import DockerBuilder
from bot.core.build import BuildOutcome, BuildRequest, build_request
from bot.core.image import parse_image
from tests.builders.clones import DOCKERFILE, make_clone
from tests.builders.conftest import engine
from tests.builders.daemon import BASE, Engine
from tests.core.test_build import MEGATRON
from tests.fakes.builder import FakeBuilder

__all__ = ["engine"]

HANG = "RUN echo it-hangs && sleep 3600"
FAIL = "RUN nonsense --option"


@dataclass
class Stage:
    """Makes a builder whose image runs a step; the request is one and the same."""

    request: BuildRequest
    make: Callable[[str], Builder]


def asked(folder: Path) -> BuildRequest:
    files = {"docker/Dockerfile.ci.dev": (folder / "docker/Dockerfile.ci.dev").read_bytes()}
    image = parse_image(BASE)
    made = build_request(MEGATRON, "dev", image, files, platforms=["linux/amd64"])
    return replace(made, disk=1, memory=1)


@pytest.fixture(params=["fake", pytest.param("docker", marks=pytest.mark.component("docker"))])
def stage(request, tmp_path) -> Stage:
    clone = make_clone(tmp_path / "clone")
    if request.param == "fake":
        return Stage(asked(clone), lambda step: FakeBuilder(fails=step == FAIL, hangs=step == HANG))
    running: Engine = request.getfixturevalue("engine")

    def make(step: str) -> Builder:
        (clone / "docker/Dockerfile.ci.dev").write_text(DOCKERFILE % step)
        return DockerBuilder(clone, running.environ, lambda _image: None, network="host")

    return Stage(asked(clone), make)


def quiet(_platform: str, _line: str) -> None:
    """Show nothing."""


def test_a_sound_request_has_no_fatal_problem(stage):
    builder = stage.make("")

    assert [it for it in builder.preflight(stage.request) if it.fatal] == []
    assert builder.platform() == "linux/amd64"


def test_a_platform_that_cannot_run_is_known_before_anything_starts(stage):
    builder = stage.make("")

    found = builder.preflight(replace(stage.request, platforms=("linux/s390x",)))

    assert "emulation" in {it.what for it in found if it.fatal}


def test_a_good_build_has_an_image_and_the_times_of_its_stages(stage):
    lines: list[tuple[str, str]] = []

    report = stage.make("").build(stage.request, lambda platform, line: lines.append((platform, line)))

    assert report.succeeded
    [built] = report.builds
    assert built.image is not None
    assert built.image.startswith("sha256:")
    assert [it.stage for it in built.diagnosis.stages][:1] == ["main"]
    assert built.tag == "bot-build/megatron-lm:dev-main-26.06-py3-amd64"
    assert {platform for platform, _ in lines} == {"linux/amd64"}
    assert any("[main 1/" in line for _, line in lines)
    assert not any(line.endswith("\n") for _, line in lines)


def test_a_step_that_fails_is_a_result_with_its_step(stage):
    report = stage.make(FAIL).build(stage.request, quiet)

    [built] = report.builds
    assert (built.outcome, built.image) == (BuildOutcome.FAILED, None)
    assert built.diagnosis.failed_stage == "main"
    assert not report.succeeded


def test_cancel_stops_a_build_that_runs(stage):
    builder = stage.make(HANG)
    runs = threading.Event()
    reports = []

    def build():
        reports.append(builder.build(stage.request, lambda _platform, line: "RUN" in line and runs.set()))

    thread = threading.Thread(target=build)
    thread.start()
    assert runs.wait(60)
    builder.cancel()
    thread.join(30)

    assert [it.outcome for it in reports[0].builds] == [BuildOutcome.CANCELLED]


def test_cancel_without_a_build_is_nothing(stage):
    stage.make("").cancel()
