"""Which bump recipe is meant."""

import pytest

from bot.core.choice import choose_recipe
from bot.core.errors import UsageError
from bot.core.recipe import parse_recipe
from tests.core.recipe_texts import SMALL


def recipe(name, repository, fingerprint="[]"):
    text = f"fingerprint: {fingerprint}\n" + SMALL.replace("owner/name", repository)
    return parse_recipe(text, name=name, path=f"{name}.yaml")


MEGATRON = recipe("megatron", "NVIDIA/Megatron-LM", "[docker/pin, ci.yml]")
BRIDGE = recipe("bridge", "NVIDIA-NeMo/Bridge", "[docker/Dockerfile]")
NAMELESS = recipe("nameless", "octo/nameless")
ALL = [MEGATRON, BRIDGE, NAMELESS]
LIST = "`megatron` (NVIDIA/Megatron-LM), `bridge` (NVIDIA-NeMo/Bridge), `nameless` (octo/nameless)"


def choose(repositories=(), files=()):
    return choose_recipe(ALL, repositories, files.__contains__)


@pytest.mark.parametrize(
    ("repositories", "files", "chosen"),
    [
        pytest.param(["NVIDIA/Megatron-LM"], [], MEGATRON, id="a remote"),
        pytest.param(["nvidia/megatron-lm"], [], MEGATRON, id="a remote in small letters"),
        pytest.param(["octo/nameless"], [], NAMELESS, id="a recipe without fingerprint"),
        pytest.param(["ada/Megatron-LM", "NVIDIA/Megatron-LM"], [], MEGATRON, id="a fork and its upstream"),
        pytest.param(
            ["ada/Megatron-LM"], ["docker/pin", "ci.yml"], MEGATRON, id="a fork alone, by its files"
        ),
        pytest.param([], ["docker/Dockerfile"], BRIDGE, id="no remote, by its files"),
        pytest.param(
            ["NVIDIA/Megatron-LM"], ["docker/Dockerfile"], MEGATRON, id="a remote says more than files"
        ),
    ],
)
def test_one_recipe_fits(repositories, files, chosen):
    assert choose(repositories, files) is chosen


@pytest.mark.parametrize(
    ("repositories", "files", "message"),
    [
        pytest.param([], [], f"no bump recipe fits here; there are: {LIST}", id="nothing to go by"),
        pytest.param(
            [], ["docker/pin"], f"no bump recipe fits here; there are: {LIST}", id="half of the files"
        ),
        pytest.param(
            ["ada/other", "NVIDIA/Megatron-LM-extra"],
            [],
            f"no bump recipe fits ada/other, NVIDIA/Megatron-LM-extra; there are: {LIST}",
            id="other repositories",
        ),
        pytest.param(
            ["NVIDIA/Megatron-LM", "NVIDIA-NeMo/Bridge"],
            [],
            "several bump recipes fit: `megatron` (NVIDIA/Megatron-LM), `bridge` (NVIDIA-NeMo/Bridge)",
            id="remotes of two repositories",
        ),
        pytest.param(
            [],
            ["docker/pin", "ci.yml", "docker/Dockerfile"],
            "several bump recipes fit: `megatron` (NVIDIA/Megatron-LM), `bridge` (NVIDIA-NeMo/Bridge)",
            id="files of two repositories",
        ),
    ],
)
def test_none_or_several_is_a_question_back(repositories, files, message):
    with pytest.raises(UsageError) as caught:
        choose(repositories, files)

    assert caught.value.message == message
    assert caught.value.hint.startswith("choose one with `--recipe`")
    assert ("--checkout" in caught.value.hint) == (not repositories and "several" not in message)
