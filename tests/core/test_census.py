"""References that no recipe accounts for: found in every written form, and never a pin of a track."""

import subprocess

import pytest

from bot.core.census import search_pattern, unaccounted
from bot.core.image import find_images
from bot.core.plan import read_track
from tests.core.plan_tree import DEV, LTS, rows, tree

PYTORCH = "nvcr.io/nvidia/pytorch"
IMAGES = [PYTORCH, "localhost:5000/cuda"]


def searched(lines, images, folder):
    """Return the numbers of the lines that `git grep` finds."""
    (folder / "file").write_text("".join(f"{line}\n" for line in lines))
    command = ["git", "grep", "--no-index", "-n", "-E", "-e", search_pattern(images)]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    return [int(line.split(":")[1]) for line in found.splitlines()]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        pytest.param(f"image: {PYTORCH}:26.04-py3", True, id="a reference"),
        pytest.param("image: nvcr.io#nvidia/pytorch:26.04-py3", True, id="as for enroot"),
        pytest.param("image: nvcr.io:443/nvidia/pytorch:26.04-py3", True, id="with https's own port"),
        pytest.param(f"docker://{PYTORCH}@sha256:{'1a' * 32}", True, id="with a digest alone"),
        pytest.param("FROM localhost:5000/cuda:12", True, id="another image"),
        pytest.param("image: nvcrXio/nvidia/pytorch:26.04-py3", False, id="the dot is a dot"),
        pytest.param("image: nvcr.io/nvidia/pytorc", False, id="a shorter name"),
        pytest.param("nothing", False, id="nothing"),
    ],
)
def test_git_finds_lines_that_may_name_an_image(tmp_path, line, found):
    assert searched(["first", line], IMAGES, tmp_path) == ([2] if found else [])


def test_a_registry_by_its_address_is_found(tmp_path):
    name = "[fd00::1]:5000/cuda"

    assert searched([f"FROM {name}:12"], [name], tmp_path) == [1]
    assert find_images(f"FROM {name}:12", name)


def test_each_image_is_asked_for_once():
    assert search_pattern(["b.io/c", "a.io/b", "b.io/c"]) == "a[.]io(:443)?[/#]b|b[.]io(:443)?[/#]c"


def left(*lines, files=None):
    states = [read_track(name, track, files or tree()) for name, track in (("dev", DEV), ("lts", LTS))]
    return unaccounted(lines, [PYTORCH, PYTORCH], states)


@pytest.mark.parametrize(
    ("path", "line", "text", "found"),
    [
        pytest.param("a.sh", 3, f"run {PYTORCH}:26.02-py3", [f"{PYTORCH}:26.02-py3"], id="a reference"),
        pytest.param(
            "a.sh",
            3,
            "run nvcr.io#nvidia/pytorch:26.02-py3",
            ["nvcr.io#nvidia/pytorch:26.02-py3"],
            id="enroot",
        ),
        pytest.param(
            "a.sh",
            3,
            f"{PYTORCH}:1 {PYTORCH}:2 {PYTORCH}:1",
            [f"{PYTORCH}:1", f"{PYTORCH}:2"],
            id="each once",
        ),
        pytest.param("a.sh", 3, f"run {PYTORCH}-extra:26.02-py3", [], id="a longer name is another image"),
        pytest.param("a.sh", 3, f"run {PYTORCH}", [], id="a name without a tag pins nothing"),
        pytest.param("pin.dev", 1, f"{PYTORCH}:26.04-py3", [], id="a pin"),
        pytest.param("ci.yml", 3, f"BASE: '{PYTORCH}:26.04-py3'", [], id="a pin of the other track"),
        pytest.param("docs.md", 3, f"Run `{PYTORCH}:26.02-py3`.", [], id="a place that is listed"),
        pytest.param(
            "pin.dev",
            2,
            f"{PYTORCH}:26.04-py3",
            [f"{PYTORCH}:26.04-py3"],
            id="another line of a file with a pin",
        ),
        pytest.param(
            "ci.yml",
            4,
            f"BASE: '{PYTORCH}:26.04-py3' # was {PYTORCH}:26.02-py3",
            [f"{PYTORCH}:26.02-py3"],
            id="another reference on the line of a pin",
        ),
    ],
)
def test_what_no_track_accounts_for_is_listed(path, line, text, found):
    assert left((path, line, text)) == tuple(f"{path}:{line}: {reference}" for reference in found)


def test_a_defective_pin_is_known_all_the_same():
    igpu = f"{PYTORCH}:26.04-py3-igpu"

    assert left(("ci.yml", 4, f"BASE: '{igpu}'"), files=tree(ci_yml=rows(igpu))) == ()
