"""The image on a real Docker daemon: the one that `.ci/docker start FOLDER` has started."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.core.commands import VERBS
from tests.components import component_missing

ROOT = Path(__file__).parents[2]
COMPONENT = "docker"
IMAGE = "bot-test"


@dataclass(frozen=True)
class Docker:
    """A daemon, and the client that was started with it."""

    environment: dict[str, str]

    def __call__(self, *words: str, **more: str) -> str:
        """Run `docker WORDS` and return what it prints; a failure shows all that it said."""
        done = subprocess.run(
            ["docker", *words],
            cwd=ROOT,
            env=self.environment | more,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"docker {' '.join(words)}\n{done.stdout}{done.stderr}"
        return done.stdout.strip()


@pytest.fixture(scope="session")
def docker() -> Docker:
    folder = os.environ.get("BOT_TEST_DOCKER")
    if not folder or not Path(folder, "docker.sock").exists():
        component_missing(
            COMPONENT, "start one with `.ci/docker start FOLDER`, and set BOT_TEST_DOCKER=FOLDER"
        )
    path = f"{folder}/root/usr/bin:{os.environ['PATH']}"
    assert shutil.which("docker", path=path)
    return Docker(
        {
            "PATH": path,
            "HOME": folder,
            "DOCKER_CONFIG": f"{folder}/config",
            "DOCKER_HOST": f"unix://{folder}/docker.sock",
        }
    )


@pytest.fixture(scope="session")
def image(docker) -> str:
    """The image, built from this tree on the stand-in of its base."""
    docker(
        "build", "--quiet", "--network", "host", "--file", "docker/Dockerfile",
        "--build-arg", "BASE=bot-test-base", "--tag", IMAGE, ".",
    )  # fmt: skip
    return IMAGE


@pytest.fixture
def served(image) -> str:
    """The image, where its command is there to be served."""
    if not any(verb.name == "serve" for verb in VERBS):
        pytest.skip("`bot serve` is not part of this tree")
    return image
