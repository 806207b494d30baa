"""Bump recipes: what they say."""

import pytest

from bot.core.errors import UsageError
from bot.core.image import TagScheme
from bot.core.pins.site import PinSite, Shape
from bot.core.recipe import parse_recipe
from tests.core.recipe_texts import COMPLETE, SMALL


def parse(text):
    return parse_recipe(text, name="mine", path="recipes/mine.yaml")


def test_a_complete_recipe_is_read():
    recipe = parse(COMPLETE)
    track = recipe.track("dev")

    assert (recipe.name, recipe.repository, recipe.base) == ("mine", "NVIDIA/Megatron-LM", "dev")
    assert recipe.fingerprint == ("docker/pin",)
    assert track.scheme == TagScheme("YY.MM-py3")
    assert track.platforms == ("linux/amd64", "linux/arm64")
    assert [(place.path, place.why) for place in track.report] == [("docs/install.md", "prose")]
    assert track.coupled[0].against == {"version": "NCCL_VERSION", "cuda": "CUDA_VERSION"}
    assert track.labels == ("Run functional tests",)
    assert track.conflicting_labels == ("Run tests",)
    assert recipe.pull_requests.approval == "copy-pr-bot"
    assert recipe.pull_requests.teams == ("NVIDIA/mcore",)
    assert recipe.gitlab
    assert recipe.gitlab.branches == ("main",)


def test_pins_become_sites_with_their_shapes():
    old = {"rows": ["old", "matrix"], "match": {"IMAGE": "DEV"}, "key": "BASE"}
    new = {"rows": ["build", "matrix"], "match": {"IMAGE": "DEV"}, "key": "BASE", "platform": "PLATFORM"}

    assert parse(COMPLETE).track("dev").sites == (
        PinSite("docker/pin", "whole-file", {}),
        PinSite(
            "ci.yml", "yaml-rows", new, count=2, platforms=("amd64", "arm64"), shapes=(Shape(old, 1, ()),)
        ),
        PinSite("Dockerfile", "dockerfile-arg", {"arg": "YYMM"}, form="release"),
    )


def test_paths_are_listed_once_each_and_pins_come_first():
    track = parse(COMPLETE).track("dev")

    assert track.pin_paths == ("docker/pin", "ci.yml", "Dockerfile")
    assert track.listed_paths == ("docs/install.md", "Dockerfile")
    assert track.paths == ("docker/pin", "ci.yml", "Dockerfile", "docs/install.md")


def test_what_a_small_recipe_leaves_out_has_a_default():
    recipe = parse(SMALL)

    assert (recipe.base, recipe.fingerprint, recipe.gitlab) == ("main", (), None)
    assert (recipe.pull_requests.template, recipe.pull_requests.approval) == (None, "none")
    assert recipe.track("dev").platforms == ("linux/amd64", "linux/arm64")
    assert recipe.track("dev").sites == (PinSite("pin", "whole-file", {}),)


def test_a_track_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(UsageError, match="recipe `mine` has no track `lts`") as caught:
        parse(COMPLETE).track("lts")

    assert caught.value.hint == "it has: dev"
