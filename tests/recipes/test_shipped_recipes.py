"""The bump recipes that ship with the bot."""

import re
from pathlib import Path

import pytest

from bot.core.plan import read_track
from bot.core.recipe import parse_recipe

FOLDER = Path(__file__).parents[2] / "recipes"
RECIPES = {
    path.stem: parse_recipe(path.read_text(encoding="utf-8"), name=path.stem, path=path.name)
    for path in sorted(FOLDER.glob("*.yaml"))
}
TRACKS = [
    pytest.param(track, id=f"{name} {track_name}")
    for name, recipe in RECIPES.items()
    for track_name, track in recipe.tracks.items()
]


def test_three_repositories_are_known():
    assert {name: recipe.repository for name, recipe in RECIPES.items()} == {
        "megatron-bridge": "NVIDIA-NeMo/Megatron-Bridge",
        "megatron-lm": "NVIDIA/Megatron-LM",
        "nemo-rl": "NVIDIA-NeMo/RL",
    }


def test_no_clone_looks_like_two_repositories():
    fingerprints = [set(recipe.fingerprint) for recipe in RECIPES.values()]

    assert all(fingerprints)
    assert not any(a <= b for a in fingerprints for b in fingerprints if a is not b)


@pytest.mark.parametrize("track", TRACKS)
def test_no_place_is_described_twice(track):
    pins = [(pin.path, repr(pin.where)) for pin in track.pins]
    reports = [place.path for place in track.report]
    coupled = [(place.path, place.name) for place in track.coupled]

    for places in (pins, reports, coupled):
        assert len(places) == len(set(places))
    assert not set(reports) & set(track.pin_paths)


@pytest.mark.parametrize("track", TRACKS)
def test_every_coupled_part_is_compared_with_a_variable(track):
    for place in track.coupled:
        assert set(place.against) | {"pin"} == set(re.compile(place.pattern).groupindex)


def test_the_tracks_of_megatron_are_told_apart_by_more_than_their_tag():
    dev, lts = RECIPES["megatron-lm"].track("dev"), RECIPES["megatron-lm"].track("lts")

    assert (dev.title, lts.title) == (
        "chore: Update Docker image version to {tag}",
        "chore: Update LTS Docker image version to {tag}",
    )
    assert dev.labels == ("Run functional tests",)
    assert lts.labels == ("container::lts", "Run tests")
    assert set(dev.conflicting_labels) == {"Run tests"}


@pytest.mark.parametrize(
    ("path", "line", "value"),
    [
        pytest.param(
            "docker/Dockerfile.ci.dev",
            "ARG NCCL_VERSION=2.30.7-1+cuda13.3",
            "2.30.7-1+cuda13.3",
            id="NCCL in the Dockerfile",
        ),
        pytest.param(
            "docker/common/install_nccl.sh",
            'NCCL_VER="2.30.7-1+cuda13.3"',
            "2.30.7-1+cuda13.3",
            id="NCCL in the script",
        ),
        pytest.param(
            "docker/Dockerfile.ci.dev",
            "    uv pip install --no-cache-dir nvidia-nvshmem-cu13==3.4.5",
            "3.4.5",
            id="NVSHMEM",
        ),
    ],
)
def test_the_coupled_pins_of_megatron_are_found(path, line, value):
    state = read_track("dev", RECIPES["megatron-lm"].track("dev"), {path: f"# x\n{line}\n".encode()})

    found = [(site.path, site.line, site.value) for site in state.sites if site.policy == "coupled"]
    assert found == [(path, 2, value)]
