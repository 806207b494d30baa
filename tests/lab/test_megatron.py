"""The small repository that stands for Megatron-LM."""

import subprocess
import sys
from pathlib import Path

import pytest

from bot.core.errors import UsageError
from bot.core.image import find_images
from bot.lab.megatron import REMOTE, make_checkout, megatron_files

IMAGE = "nvcr.io/nvidia/pytorch"


def test_both_pins_of_the_dev_track_agree():
    files = megatron_files()
    assert files["docker/.ngc_version.dev"] == b"nvcr.io/nvidia/pytorch:26.04-py3\n"
    assert files[".gitlab/stages/01.build.yml"].count(b"BASE_IMAGE: nvcr.io/nvidia/pytorch:26.04-py3\n") == 2


def test_the_pin_of_the_lts_track_has_no_final_newline():
    files = megatron_files()
    assert files["docker/.ngc_version.lts"] == b"nvcr.io/nvidia/pytorch:25.09-py3"
    assert files[".gitlab/stages/01.build.yml"].count(b"BASE_IMAGE: nvcr.io/nvidia/pytorch:25.09-py3\n") == 2


def test_other_places_name_the_image_and_are_no_pins():
    found = {
        path: sorted({str(image.tag) for _, image in find_images(content.decode(), IMAGE)})
        for path, content in megatron_files().items()
    }
    assert {path: tags for path, tags in found.items() if tags} == {
        ".github/workflows/install-test.yml": ["25.05-py3"],
        ".gitlab/stages/01.build.yml": ["25.09-py3", "26.04-py3"],
        "README.md": ["26.04-py3"],
        "docker/.ngc_version.dev": ["26.04-py3"],
        "docker/.ngc_version.lts": ["25.09-py3"],
        "docker/Dockerfile.ci.dev": ["26.04-py3"],
        "docker/Dockerfile.ci.nemo": ["26.02-py3"],
        "docker/Dockerfile.linting": ["26.02-py3"],
        "docs/get-started/install.md": ["26.01-py3"],
        "examples/academic_paper_scripts/sc21/SRUN.sh": ["20.12-py3"],
        "examples/gpt3/README.md": ["24.01-py3"],
    }


def test_a_checkout_is_clean_and_knows_where_it_would_come_from(tmp_path: Path):
    sha = make_checkout(tmp_path / "new")
    git = ["git", "-C", str(tmp_path / "new")]

    def ask(*arguments: str) -> str:
        return subprocess.run([*git, *arguments], check=True, capture_output=True, text=True).stdout.strip()

    assert ask("status", "--porcelain") == ""
    assert ask("remote", "get-url", "origin") == REMOTE
    assert (ask("rev-parse", "main"), ask("rev-list", "--count", "main")) == (sha, "1")
    assert (tmp_path / "new/docker/.ngc_version.lts").read_bytes() == b"nvcr.io/nvidia/pytorch:25.09-py3"


def test_two_checkouts_are_the_same_commit(tmp_path: Path):
    assert make_checkout(tmp_path / "one") == make_checkout(tmp_path / "two")


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path):
    (tmp_path / "mine").write_text("keep")
    with pytest.raises(UsageError, match="not empty"):
        make_checkout(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_the_command_makes_a_checkout_and_refuses_a_second_one(tmp_path: Path):
    command = [sys.executable, "-m", "bot.lab.megatron", str(tmp_path / "new")]
    assert subprocess.run(command, check=False).returncode == 0
    again = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (again.returncode, again.stdout) == (2, "")
    assert (
        again.stderr
        == f"error: `{tmp_path / 'new'}` is there already and not empty\n  hint: name a new directory\n"
    )
