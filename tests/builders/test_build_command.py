"""`bot build` on a clone and a real daemon."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.cli.main import main
from tests.builders.clones import make_clone
from tests.builders.test_docker import gone

pytestmark = pytest.mark.component("docker")

SHIPPED = Path(__file__).parents[2] / "recipes" / "megatron-lm.yaml"


@pytest.fixture
def recipe(tmp_path) -> str:
    """The shipped recipe, for images that are smaller than Megatron-LM's."""
    text = (
        SHIPPED.read_text(encoding="utf-8").replace("disk: 80", "disk: 1").replace("memory: 32", "memory: 1")
    )
    (tmp_path / "megatron-lm.yaml").write_text(text, encoding="utf-8")
    return str(tmp_path / "megatron-lm.yaml")


@pytest.fixture
def bot(engine, capfd, monkeypatch, recipe):
    for name in ("BOT_CONFIG", "BOT_RECIPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DOCKER_HOST", engine.environ["DOCKER_HOST"])
    monkeypatch.setenv("BOT_REGISTRY_ENDPOINTS", "nvcr.io=http://127.0.0.1:9")

    def run(*words: str):
        status = main([*words, "--recipe", recipe, "--json"])
        printed = capfd.readouterr()
        return status, json.loads(printed.out), printed.err

    return run


def test_a_good_build_is_told_with_its_stages(bot, tmp_path):
    clone = make_clone(tmp_path / "clone")

    status, document, people = bot("build", "--checkout", str(clone), "--network", "host")

    assert status == 0
    assert (document["command"], document["outcome"], document["builder"]) == ("build", "succeeded", "docker")
    assert document["request"]["args"] == {
        "FROM_IMAGE_NAME": "nvcr.io/nvidia/pytorch:26.06-py3",
        "IMAGE_TYPE": "dev",
    }
    [built] = document["builds"]
    assert built["image"].startswith("sha256:")
    assert [it["stage"] for it in built["diagnosis"]["stages"]] == ["main"]
    assert "linux/amd64: succeeded after" in people


def test_a_dry_run_builds_nothing_and_leaves_the_clone_alone(bot, tmp_path):
    clone = make_clone(tmp_path / "clone")

    status, document, people = bot("build", "--checkout", str(clone), "--dry-run")

    assert (status, document["outcome"], document["builds"]) == (0, "not started", [])
    assert not (clone / "assets").exists()
    assert "nothing was built: this was a dry run" in people


def test_a_broken_build_ends_with_1_and_its_step(bot, tmp_path):
    clone = make_clone(tmp_path / "clone", "RUN nonsense-program --option")

    status, document, people = bot("build", "--checkout", str(clone), "--network", "host")

    assert (status, document["outcome"]) == (1, "failed")
    assert "nonsense-program" in document["builds"][0]["diagnosis"]["failed_step"]
    assert "linux/amd64: failed after" in people


def test_what_the_preflight_refuses_ends_with_3_and_pulls_nothing(bot, tmp_path):
    clone = make_clone(tmp_path / "clone")

    status, document, _ = bot("build", "--checkout", str(clone), "--platform", "arm64")

    assert (status, document["outcome"]) == (3, "refused")
    assert "emulation" in {it["what"] for it in document["problems"] if it["fatal"]}


def test_without_a_daemon_it_ends_with_4(bot, tmp_path, monkeypatch):
    clone = make_clone(tmp_path / "clone")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing")

    status, document, _ = bot("build", "--checkout", str(clone))

    assert (status, document["error"]["code"]) == (4, "service")
    assert "the Docker daemon does not answer" in document["error"]["message"]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--target", "--push"], 3, "has no stage `--push`"),
        (["--target", "jet"], 3, "stage `jet` needs secrets that are not set"),
        (["--track", "lts"], 3, "the pins of track `lts` do not name one image"),
        (["--timeout", "0"], 2, "`--timeout` takes one minute or more"),
        (["--builder", "podman"], 2, "podman"),
    ],
)
def test_bad_words_start_nothing(bot, tmp_path, words, status, message):
    clone = make_clone(tmp_path / "clone")

    ended, document, _ = bot("build", "--checkout", str(clone), *words)

    assert ended == status
    assert message in document["error"]["message"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_end_from_outside_ends_the_real_build(engine, tmp_path, recipe, number):
    seconds = str(54_000 + number)
    clone = make_clone(tmp_path / "clone", f"RUN sleep {seconds}")
    words = ["build", "--checkout", str(clone), "--recipe", recipe, "--network", "host"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", *words],
        env={**os.environ, "DOCKER_HOST": engine.environ["DOCKER_HOST"]},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    for line in process.stderr:
        if f"RUN sleep {seconds}" in line.decode():
            break
    time.sleep(1)

    process.send_signal(number)
    process.communicate(timeout=30)

    assert process.returncode == 130
    assert gone(f"sleep {seconds}")
