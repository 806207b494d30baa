"""The components of two images, side by side: what a base image's environment says, in people's words.

The names are those of NVIDIA's support matrix
(https://docs.nvidia.com/deeplearning/frameworks/support-matrix/).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.core.image import Release
from bot.core.manifest import ImageConfig

Change = Literal["added", "removed", "changed", "same"]

ALL_PLATFORMS = "all"
"""Stands in a row for the platforms of both images when they do not differ in it."""

# What readers look for first, in this order; whatever else ends in _VERSION follows alphabetically.
_FOREMOST: Mapping[str, str] = {
    "CUDA_VERSION": "CUDA",
    # The driver that the compatibility libraries come from. It is not the oldest driver that will do.
    "CUDA_DRIVER_VERSION": "CUDA compat driver",
    "PYTORCH_VERSION": "PyTorch",
    "TRANSFORMER_ENGINE_VERSION": "Transformer Engine",
    "CUDNN_VERSION": "cuDNN",
    "CUBLAS_VERSION": "cuBLAS",
    "NCCL_VERSION": "NCCL",
    "NVSHMEM_VERSION": "NVSHMEM",
    "TRT_VERSION": "TensorRT",
    "DALI_VERSION": "DALI",
    "OPENMPI_VERSION": "OpenMPI",
    "HPCX_VERSION": "HPC-X",
    "OPENUCX_VERSION": "UCX",
    "AWS_OFI_NCCL_VERSION": "AWS OFI NCCL",
    "CUDA_ARCH_LIST": "CUDA architectures",
    "TORCH_CUDA_ARCH_LIST": "PyTorch architectures",
    "MODEL_OPT_VERSION": "Model Optimizer",
    "NVIDIA_BUILD_ID": "NVIDIA build",
}
_OTHERS: Mapping[str, str] = {
    "CUBLASMP_VERSION": "cuBLASMp",
    "CUDNN_FRONTEND_VERSION": "cuDNN Frontend",
    "CUFFT_VERSION": "cuFFT",
    "CUFILE_VERSION": "cuFile",
    "CURAND_VERSION": "cuRAND",
    "CUSOLVER_VERSION": "cuSOLVER",
    "CUSOLVERMP_VERSION": "cuSOLVERMp",
    "CUSPARSE_VERSION": "cuSPARSE",
    "CUSPARSELT_VERSION": "cuSPARSELt",
    "CUTILE_PYTHON_VERSION": "cuTile Python",
    "CUTLASS_DSL_VERSION": "CUTLASS DSL",
    "GDRCOPY_VERSION": "GDRCopy",
    "NSIGHT_COMPUTE_VERSION": "Nsight Compute",
    "NSIGHT_SYSTEMS_VERSION": "Nsight Systems",
    "NVFATBIN_VERSION": "nvFatbin",
    "NVFUSER_VERSION": "nvFuser",
    "NVJITLINK_VERSION": "nvJitLink",
    "NVJPEG_VERSION": "nvJPEG",
    "NVRX_VERSION": "NVIDIA Resiliency Extension",
    "POLYGRAPHY_VERSION": "Polygraphy",
    "RDMACORE_VERSION": "rdma-core",
    "TORCHAO_VERSION": "TorchAO",
    "TORCHTITAN_VERSION": "TorchTitan",
    "TRTOSS_VERSION": "TensorRT OSS",
}
_NAMES = {**_FOREMOST, **_OTHERS}
_ORDER = tuple(_FOREMOST.values())

_VERSION = "_VERSION"
_BUILD_VERSION = "_BUILD_VERSION"

# Despite its name this is the release of the container, not of PyTorch: checked, and not shown.
_RELEASE_KEY = "NVIDIA_PYTORCH_VERSION"

_NEW_MAJOR_BREAKS = frozenset({"CUDA", "cuDNN", "NCCL", "OpenMPI", "TensorRT", "DALI", "PyTorch", "NVSHMEM"})
_LOSS_BREAKS = frozenset({"AWS OFI NCCL", "Transformer Engine", "TensorRT", "OpenMPI", "NCCL", "cuDNN"})
_ARCHITECTURES = frozenset({"CUDA architectures", "PyTorch architectures"})


@dataclass(frozen=True, slots=True)
class Component:
    """One row of the comparison. `old` and `new` are versions as written, None where there is none.

    `platform` is `linux/amd64` or the like, or `all`.
    """

    name: str
    platform: str
    old: str | None
    new: str | None
    change: Change


def compare_components(old: Sequence[ImageConfig], new: Sequence[ImageConfig]) -> tuple[Component, ...]:
    """Return the components of two images, those that people ask for first, the rest by name.

    Only platforms that both images have are compared. A component that is the same story on
    each of them takes one row.
    """
    before, after = _by_platform(old), _by_platform(new)
    platforms = [platform for platform in before if platform in after]
    names = {name for platform in platforms for name in (*before[platform], *after[platform])}
    return tuple(
        row
        for name in sorted(names, key=_interest)
        for row in _rows(
            name,
            {platform: (before[platform].get(name), after[platform].get(name)) for platform in platforms},
        )
    )


def _by_platform(configs: Sequence[ImageConfig]) -> dict[str, dict[str, str]]:
    return {config.platform: components_of(config.environment) for config in configs}


def components_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the version of each component that an image's environment names.

    A component with an empty version is left out: the image does not have it.
    """
    found: dict[str, str] = {}
    for key, value in sorted(environment.items(), key=_full_versions_last):
        if value.strip() and (name := _name(key)):
            found[name] = value.strip()
    return found


def _full_versions_last(item: tuple[str, str]) -> bool:
    # PYTORCH_BUILD_VERSION says again what PYTORCH_VERSION says; NVFUSER_VERSION is empty, and only
    # NVFUSER_BUILD_VERSION has the version. The plain key wins where it has one.
    return not item[0].endswith(_BUILD_VERSION)


def _name(key: str) -> str | None:
    if key == _RELEASE_KEY:
        return None
    key = key.removesuffix(_BUILD_VERSION) + _VERSION if key.endswith(_BUILD_VERSION) else key
    known = _NAMES.get(key)
    return known or (key.removesuffix(_VERSION) if key.endswith(_VERSION) else None)


def _interest(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name.casefold())


def _rows(name: str, pairs: Mapping[str, tuple[str | None, str | None]]) -> Iterable[Component]:
    if len(pairs) > 1 and len(set(pairs.values())) == 1:
        pairs = {ALL_PLATFORMS: next(iter(pairs.values()))}
    for platform, (old, new) in pairs.items():
        if old or new:
            yield Component(name, platform, old, new, _change(old, new))


def _change(old: str | None, new: str | None) -> Change:
    if old is None:
        return "added"
    if new is None:
        return "removed"
    return "same" if old == new else "changed"


def breaking_changes(components: Sequence[Component]) -> tuple[str, ...]:
    """Return one sentence for each change that can break a build or a run of its own.

    These are new major versions, components that are gone and GPU architectures no longer built for.
    """
    return tuple(f"{_subject(row)} {text}" for row in components if (text := _break(row)))


def _subject(row: Component) -> str:
    return row.name if row.platform == ALL_PLATFORMS else f"{row.name} ({row.platform})"


def _break(row: Component) -> str | None:
    if row.new is None:
        return f"is gone (was {row.old})" if row.name in _LOSS_BREAKS else None
    if row.old is None:
        return None
    if row.name in _ARCHITECTURES:
        lost = [item for item in _architectures(row.old) if item not in _architectures(row.new)]
        return f"no longer name {', '.join(lost)}" if lost else None
    if row.name in _NEW_MAJOR_BREAKS and _major(row.old) != _major(row.new):
        return f"changes its major version: {row.old} to {row.new}"
    return None


def _architectures(text: str) -> list[str]:
    # `12.0+PTX` is built for 12.0, and also carries code that later GPUs can translate.
    return re.findall(r"[0-9]+\.[0-9]+[a-z]?", text)


def _major(version: str) -> str:
    found = re.match(r"[0-9]+", version)
    return found[0] if found else version


def release_warnings(configs: Sequence[ImageConfig], release: Release) -> tuple[str, ...]:
    """Return a sentence for each platform whose image says that it is of another release than its tag.

    Images that name no release (those that are not PyTorch images) are not doubted.
    """
    return tuple(
        f"the {config.platform} image says that it is release {said}, its tag says {release}"
        for config in configs
        if (said := config.environment.get(_RELEASE_KEY)) and said != str(release)
    )
