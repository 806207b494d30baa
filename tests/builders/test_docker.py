"""Real builds on a real daemon: good ones, and broken in every way that was thought of."""

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bot.builders.docker import DockerBuilder
from bot.core.build import BuildOutcome, build_request
from bot.core.container import Mount, RunRequest
from bot.core.errors import Refused, ServiceError
from bot.core.image import parse_image
from tests.builders.clones import DOCKERFILE, make_clone
from tests.builders.daemon import BASE, running_engine
from tests.core.test_build import MEGATRON

pytestmark = pytest.mark.component("docker")

FILE = "docker/Dockerfile.ci.dev"


def asked(clone: Path, **more):
    files = {FILE: (clone / FILE).read_bytes()}
    more.setdefault("platforms", ["linux/amd64"])
    made = build_request(MEGATRON, "dev", parse_image(BASE), files, **more)
    return replace(made, disk=1, memory=1)


def builder(engine, clone, **more) -> DockerBuilder:
    more.setdefault("platforms_of", lambda _image: None)
    environ = {**engine.environ, **more.pop("environ", {})}
    return DockerBuilder(clone, environ, network="host", **more)


def quiet(_platform, _line):
    """Show nothing."""


def test_the_image_is_built_for_its_type_and_without_the_stage_of_secrets(engine, tmp_path):
    clone = make_clone(tmp_path / "clone")

    report = builder(engine, clone).build(asked(clone), quiet)

    [built] = report.builds
    assert report.succeeded
    assert engine.docker("run", "--rm", "--network=none", built.image, "cat", "/opt/type") == "dev\n"
    assert [it.stage for it in built.diagnosis.stages] == ["main"]
    assert (clone / "assets").is_dir(), "the folder that git does not hold"


def test_a_secret_reaches_its_stage_and_nothing_else(engine, tmp_path):
    clone = make_clone(tmp_path / "clone")
    secrets = {"JET_INDEX_URLS": "https://index.example/value-of-a-test", "LOGGER_INDEX_URL": "another-value"}
    lines: list[str] = []
    request = asked(clone, target="jet", secrets=tuple(secrets), cache=False)

    report = builder(engine, clone, environ=secrets).build(
        request, lambda _platform, line: lines.append(line)
    )

    [built] = report.builds
    assert report.succeeded
    assert any("the index is ***" in line for line in lines)
    shown = "\n".join(lines) + engine.docker("history", "--no-trunc", built.image)
    shown += engine.docker("image", "inspect", built.image)
    assert not any(value in shown for value in secrets.values())


@pytest.mark.parametrize(
    ("dockerfile", "cause"),
    [
        (DOCKERFILE % "COPY nothing-here /opt/", "missing-copy-source"),
        (DOCKERFILE % "RAN true", "dockerfile"),
        (DOCKERFILE % "RUN dd if=/dev/zero of=/dev/full bs=4k count=1", None),
        (DOCKERFILE % "RUN exit 7", None),
    ],
    ids=["a file that is not there", "a syntax error", "no room to write", "a step that ends badly"],
)
def test_a_broken_build_says_where(engine, tmp_path, dockerfile, cause):
    clone = make_clone(tmp_path / "clone", dockerfile=dockerfile)

    report = builder(engine, clone).build(asked(clone), quiet)

    [built] = report.builds
    assert built.outcome is BuildOutcome.FAILED
    assert built.image is None
    assert built.error
    assert built.diagnosis.causes or built.diagnosis.failed_step
    if cause:
        assert built.diagnosis.causes


def test_the_time_of_a_build_is_limited_and_its_step_is_ended(engine, tmp_path):
    clone = make_clone(tmp_path / "clone", "RUN sleep 98765")

    report = builder(engine, clone, timeout=4).build(asked(clone), quiet)

    assert [it.outcome for it in report.builds] == [BuildOutcome.TIMED_OUT]
    assert gone("sleep 98765")


def gone(words: str) -> bool:
    """Say whether no process of this machine has such a command line any more, soon."""
    for _ in range(100):
        lines = [it.read_bytes() for it in Path("/proc").glob("[0-9]*/cmdline") if it.exists()]
        if not any(line.replace(b"\0", b" ").strip() == words.encode() for line in lines):
            return True
        time.sleep(0.1)
    return False


def test_a_daemon_that_dies_during_a_build_is_no_fault_of_the_repository(tmp_path):
    with running_engine() as own:
        # Nobody ends the step once its daemon is gone: it has to end by itself.
        clone = make_clone(tmp_path / "clone", "RUN sleep 15")
        started = threading.Event()
        killer = threading.Thread(
            target=lambda: started.wait(60) and os.kill(own.process.pid, signal.SIGKILL), daemon=True
        )
        killer.start()

        with pytest.raises(ServiceError, match="the Docker daemon went away during the build"):
            builder(own, clone).build(asked(clone), lambda _platform, line: "sleep" in line and started.set())


def test_without_a_daemon_nothing_starts(engine, tmp_path):
    clone = make_clone(tmp_path / "clone")
    nowhere = builder(engine, clone, environ={"DOCKER_HOST": f"unix://{tmp_path}/nothing"})

    assert [it.what for it in nowhere.preflight(asked(clone))] == ["daemon"]
    with pytest.raises(ServiceError, match="the Docker daemon does not answer"):
        nowhere.build(asked(clone), quiet)


@pytest.mark.parametrize(
    ("change", "offered", "what"),
    [
        ({"disk": 10_000_000}, (), "disk"),
        ({"base": parse_image("nvcr.io/nvidia/pytorch:99.01-py3")}, None, "image"),
        ({"base": parse_image("nvcr.io/nvidia/pytorch:99.01-py3")}, ("linux/arm64",), "platform"),
        ({"platforms": ("linux/arm64",)}, ("linux/arm64",), "emulation"),
        ({"secrets": ("A_SECRET_OF_TESTS",)}, (), "secret"),
        ({"dockerfile": "docker/nothing"}, (), "context"),
    ],
)
def test_the_preflight_knows_what_would_fail(engine, tmp_path, change, offered, what):
    clone = make_clone(tmp_path / "clone")
    driver = builder(engine, clone, platforms_of=lambda _image: offered)

    found = driver.preflight(replace(asked(clone), **change))

    assert [it.what for it in found if it.fatal] == [what]
    assert all(it.hint for it in found)


def test_a_registry_that_does_not_answer_is_named(engine, tmp_path):
    clone = make_clone(tmp_path / "clone")

    def refuse(_image):
        raise ServiceError("`nvcr.io` wants credentials", hint="set NGC_API_KEY")

    [found] = builder(engine, clone, platforms_of=refuse).preflight(
        replace(asked(clone), base=parse_image("nvcr.io/nvidia/pytorch:99.01-py3"))
    )

    assert (found.what, found.hint, found.fatal) == ("registry", "set NGC_API_KEY", False)
    assert "`nvcr.io` wants credentials" in found.text


def test_little_memory_is_only_a_notice(engine, tmp_path):
    clone = make_clone(tmp_path / "clone")

    [found] = builder(engine, clone).preflight(replace(asked(clone), memory=1_000_000))

    assert (found.what, found.fatal) == ("memory", False)


def test_a_submodule_that_was_not_fetched_is_known_in_time(engine, tmp_path):
    clone = make_clone(tmp_path / "clone")
    (clone / ".gitmodules").write_text(
        '[submodule "a"]\n\tpath = 3rdparty/a\n\turl = https://example.com/a\n'
    )
    (clone / "3rdparty" / "a").mkdir(parents=True)

    [found] = builder(engine, clone).preflight(asked(clone))

    assert found.text == "the submodule `3rdparty/a` is empty"


def test_a_folder_that_leads_out_of_the_clone_is_refused(engine, tmp_path):
    clone = make_clone(tmp_path / "clone")
    (clone / "assets").symlink_to(tmp_path)

    with pytest.raises(Refused, match="leads out of the clone"):
        builder(engine, clone).build(asked(clone), quiet)


def test_a_program_runs_in_the_image_and_its_container_is_gone(engine, tmp_path):
    (tmp_path / "a,b").mkdir()
    (tmp_path / "a,b" / "file").write_text("content\n")
    request = RunRequest(
        BASE,
        ("sh", "-c", "cat /mnt/file; echo $WORD; exit 3"),
        mounts=(Mount(str(tmp_path / "a,b"), "/mnt"),),
        environment={"WORD": "$(id) --rm"},
        network=False,
    )

    done = builder(engine, tmp_path).run(request, quiet)

    assert (done.exit_status, done.tail, done.stopped) == (3, ("content", "$(id) --rm"), "")
    assert engine.docker("ps", "--all", "--quiet") == ""


def test_a_program_that_takes_too_long_ends_with_its_container(engine, tmp_path):
    done = builder(engine, tmp_path).run(RunRequest(BASE, ("sleep", "87654"), timeout=3), quiet)

    assert done.stopped == "timed out"
    assert gone("sleep 87654")
    assert engine.docker("ps", "--all", "--quiet") == ""
