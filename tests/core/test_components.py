"""The component table: versions of two images in people's words, and what among them can break."""

from collections.abc import Mapping

import pytest

from bot.core.components import (
    Component,
    breaking_changes,
    compare_components,
    components_of,
    release_warnings,
)
from bot.core.image import Release
from bot.core.manifest import ImageConfig
from tests.fakes.images import LABELS, RELEASE_25_10, RELEASE_26_07

AMD, ARM = "linux/amd64", "linux/arm64"


def image(**platforms: Mapping[str, str]) -> tuple[ImageConfig, ...]:
    return tuple(ImageConfig(f"linux/{name}", env, LABELS) for name, env in platforms.items())


def real_comparison() -> tuple[Component, ...]:
    arm = {"TORCH_CUDA_ARCH_LIST": "8.0 9.0 10.0 11.0 12.0+PTX"}
    return compare_components(
        image(amd64=RELEASE_25_10, arm64=RELEASE_25_10 | arm),
        image(amd64=RELEASE_26_07, arm64=RELEASE_26_07 | arm),
    )


def test_the_components_that_people_ask_for_come_first_and_the_rest_by_name():
    rows = real_comparison()

    assert [row.name for row in rows] == [
        "CUDA",
        "CUDA compat driver",
        "PyTorch",
        "Transformer Engine",
        "cuDNN",
        "cuBLAS",
        "NCCL",
        "TensorRT",
        "DALI",
        "OpenMPI",
        "HPC-X",
        "AWS OFI NCCL",
        "CUDA architectures",
        "PyTorch architectures",
        "PyTorch architectures",
        "Model Optimizer",
        "NVIDIA build",
        "MOFED",
        "NIXL",
        "nvFuser",
    ]


def test_a_real_move_has_each_kind_of_change():
    rows = {(row.name, row.platform): row for row in real_comparison()}

    assert rows["CUDA", "all"] == Component("CUDA", "all", "13.0.2.006", "13.3.1.008", "changed")
    assert rows["NIXL", "all"] == Component("NIXL", "all", None, "1.3.0", "added")
    assert rows["AWS OFI NCCL", "all"] == Component("AWS OFI NCCL", "all", "1.14.0", None, "removed")
    assert rows["nvFuser", "all"] == Component("nvFuser", "all", "0.1.4a0+nvidia", "0.1.4a0+nvidia", "same")
    assert rows["PyTorch architectures", ARM].old == "8.0 9.0 10.0 11.0 12.0+PTX"
    assert rows["PyTorch architectures", AMD].old == "7.5 8.0 8.6 9.0 10.0 12.0+PTX"


@pytest.mark.parametrize(
    ("environment", "components"),
    [
        pytest.param(
            {"NVIDIA_REQUIRE_CUDA": "cuda>=9.0", "CUDA_VERSION": "13.3.1.008"},
            {"CUDA": "13.3.1.008"},
            id="the required CUDA says nothing",
        ),
        pytest.param(
            {"NVIDIA_PYTORCH_VERSION": "26.07", "PYTORCH_VERSION": "2.13.0a0+9186a08"},
            {"PyTorch": "2.13.0a0+9186a08"},
            id="the release is not a PyTorch version",
        ),
        pytest.param({"TRTOSS_VERSION": "", "DALI_VERSION": " "}, {}, id="empty is absent"),
        pytest.param(
            {"PATH": "/bin", "NVIDIA_VISIBLE_DEVICES": "all", "MAXSMVER": "", "DALI_URL_SUFFIX": "130"},
            {},
            id="paths and switches are no components",
        ),
        pytest.param(
            {"NVFUSER_VERSION": "", "NVFUSER_BUILD_VERSION": "0.1.4a0+nvidia"},
            {"nvFuser": "0.1.4a0+nvidia"},
            id="a build version stands in",
        ),
        pytest.param(
            {"NVFUSER_VERSION": "0.2", "NVFUSER_BUILD_VERSION": "0.1.4a0+nvidia"},
            {"nvFuser": "0.2"},
            id="the plain version wins when it comes first",
        ),
        pytest.param(
            {"NVFUSER_BUILD_VERSION": "0.1.4a0+nvidia", "NVFUSER_VERSION": "0.2"},
            {"nvFuser": "0.2"},
            id="the plain version wins when it comes last",
        ),
        pytest.param(
            {"SOME_NEW_THING_VERSION": "1"}, {"SOME_NEW_THING": "1"}, id="unknown keys keep their name"
        ),
        pytest.param({"NVIDIA_BUILD_ID": "337426143"}, {"NVIDIA build": "337426143"}, id="build"),
        pytest.param(
            {"CUDA_DRIVER_VERSION": "610.43.02"},
            {"CUDA compat driver": "610.43.02"},
            id="the driver is that of the compat libraries",
        ),
        pytest.param({"CUDA_ARCH_LIST": "8.0 9.0"}, {"CUDA architectures": "8.0 9.0"}, id="blanks inside"),
    ],
)
def test_an_environment_names_components(environment, components):
    assert components_of(environment) == components


def test_a_platform_that_only_one_image_has_is_not_compared():
    rows = compare_components(
        image(amd64={"NCCL_VERSION": "2.27.7"}, arm64={"NCCL_VERSION": "2.27.7"}),
        image(amd64={"NCCL_VERSION": "2.30.7"}),
    )

    assert rows == (Component("NCCL", AMD, "2.27.7", "2.30.7", "changed"),)


def test_platforms_that_move_differently_keep_their_rows():
    rows = compare_components(
        image(amd64={"NCCL_VERSION": "2.27.7"}, arm64={"NCCL_VERSION": "2.27.7"}),
        image(amd64={"NCCL_VERSION": "2.30.7"}, arm64={"EFA_VERSION": "1.48.0"}),
    )

    assert rows == (
        Component("NCCL", AMD, "2.27.7", "2.30.7", "changed"),
        Component("NCCL", ARM, "2.27.7", None, "removed"),
        Component("EFA", ARM, None, "1.48.0", "added"),
    )


def test_images_without_a_common_platform_have_nothing_to_compare():
    assert compare_components(image(amd64=RELEASE_25_10), image(arm64=RELEASE_26_07)) == ()


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            Component("CUDA", "all", "12.9.1.010", "13.0.2.006", "changed"),
            "CUDA changes its major version: 12.9.1.010 to 13.0.2.006",
        ),
        (
            Component("OpenMPI", ARM, "4.1.5rc2", "5.0.10", "changed"),
            "OpenMPI (linux/arm64) changes its major version: 4.1.5rc2 to 5.0.10",
        ),
        (
            Component("TensorRT", "all", "11.1.0.106", "10.16.1.11", "changed"),
            "TensorRT changes its major version: 11.1.0.106 to 10.16.1.11",
        ),
        (
            Component("NCCL", "all", "unknown", "2.30.7", "changed"),
            "NCCL changes its major version: unknown to 2.30.7",
        ),
        (Component("AWS OFI NCCL", "all", "1.14.0", None, "removed"), "AWS OFI NCCL is gone (was 1.14.0)"),
        (
            Component("CUDA architectures", "all", "7.0 7.5 8.0 9.0a", "7.5 8.0", "changed"),
            "CUDA architectures no longer name 7.0, 9.0a",
        ),
    ],
)
def test_a_change_that_can_break_gets_a_sentence(row, sentence):
    assert breaking_changes([row]) == (sentence,)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(Component("CUDA", "all", "13.0.2.006", "13.3.1.008", "changed"), id="minor"),
        pytest.param(Component("CUDA", "all", "13.0.2.006", "13.0.2.006", "same"), id="same"),
        pytest.param(
            Component("Nsight Systems", "all", "2025.6.1", "2026.3.1", "changed"), id="calendar year"
        ),
        pytest.param(Component("NIXL", "all", "1.3.0", None, "removed"), id="a lost tool"),
        pytest.param(Component("NCCL", "all", None, "2.30.7", "added"), id="added"),
        pytest.param(
            Component("PyTorch architectures", "all", "9.0 12.0+PTX", "9.0 12.0 12.1+PTX", "changed"),
            id="PTX moved to a newer architecture",
        ),
    ],
)
def test_other_changes_get_none(row):
    assert breaking_changes([row]) == ()


def test_an_image_under_the_tag_of_another_release_is_doubted():
    configs = image(amd64=RELEASE_26_07, arm64=RELEASE_25_10)

    assert release_warnings(configs, Release(26, 7)) == (
        "the linux/arm64 image says that it is release 25.10, its tag says 26.07",
    )


def test_an_image_that_names_no_release_is_not_doubted():
    assert release_warnings(image(amd64={"CUDA_VERSION": "13.3.1.008"}), Release(26, 7)) == ()
