"""What went wrong in each log of a real failure, written down when it was made to fail."""

from dataclasses import replace
from typing import NamedTuple

import pytest

from bot.core.buildlog.diagnosis import Outcome
from bot.core.buildlog.reader import read_build_log
from tests.core.buildlog.logs import FOLDER, LOGS


class Why(NamedTuple):
    """What a log has to say: the root, whose it is, what it is about, where; and what contributed."""

    cause: str
    package: str | None = None
    subject: str | None = None
    stage: str | None = None
    also: tuple[str, ...] = ()


TE = "transformer-engine-torch"
PYTORCH = "registry.example/nvidia/pytorch"
SHA = "0123456789abcdef0123456789abcdef01234567"
NCCL = Why("cuda-pin-unavailable", "libnccl2", "2.30.7-1+cuda13.3", "nccl", ("cuda-pin-unavailable",))
GONE = Why("git-revision-gone", "flash-mla", SHA)

FAILED = {
    "buildkit-20.10/heredoc": Why("heredoc-unsupported", subject="ECHO"),
    "buildkit-20.10/image-port": Why("registry-port", subject="gitlab.example:5005"),
    "buildkit-20.10/no-network": Why("build-without-network"),
    "buildkit-20.10/rate-limit": Why(
        "registry-rate-limit", subject="gitlab.example:5005/limit/pytorch:26.06-py3"
    ),
    "buildkit-26/assets-missing": Why("context-file-missing", subject="/assets"),
    "buildkit-26/disk-full": Why("disk-full", "numpy", stage="main"),
    "buildkit-26/exec-format": Why("emulation-missing"),
    "buildkit-26/image-platform": Why("image-platform", subject=f"{PYTORCH}:list"),
    "buildkit-26/image-unauthorised": Why("image-unauthorised", subject=f"{PYTORCH}:26.06-py3"),
    "buildkit-26/image-unknown": Why("image-unknown", subject=f"{PYTORCH}:99.99-py3"),
    "buildkit-26/image-unreachable": Why("network", subject="nvcr.invalid"),
    "buildkit-26/image-unset": Why("base-image-unset", subject="${NOTHING}"),
    "buildkit-26/module-missing": Why("module-missing", subject="iniconfig", also=("pip-outside-venv",)),
    "buildkit-26/multi-arch": Why("emulation-missing"),
    "buildkit-26/multi-platform": Why("multi-platform-unsupported"),
    "buildkit-26/nccl-pin": NCCL,
    "buildkit-26/network-apt": Why("network", subject="nosuchhost.invalid"),
    "buildkit-26/network-curl": Why("network", subject="nosuchhost.invalid"),
    "buildkit-26/network-pip": Why("network"),
    "buildkit-26/nvshmem-pin": Why("cuda-pin-unavailable", "nvidia-nvshmem-cu13", "3.4.99"),
    "buildkit-26/secret-missing": Why("secret-missing", subject="JET_INDEX_URLS", stage="jet"),
    "buildkit-26/secret-required": Why("secret-missing", subject="JET_INDEX_URLS", stage="jet"),
    "buildkit-26/stage-unknown": Why("stage-unknown", subject="nosuch"),
    "buildkit-26/syntax": Why("dockerfile-syntax", subject="RUNN"),
    "buildkit-26/uv-missing": Why("uv-missing"),
    "classic-20.10/heredoc": Why("heredoc-unsupported", subject="ECHO"),
    "classic-20.10/image-platform": Why("image-platform", subject=f"{PYTORCH}:list", stage="main"),
    "classic-20.10/image-port": Why("registry-port", subject="gitlab.example:5005", stage="main"),
    "classic-20.10/uv-missing": Why("uv-missing", stage="main"),
    "cluster/cache-unreadable": Why("layer-cache-unreadable", subject="/raid/enroot-cache/group-1/ab12"),
    "cluster/dialect": Why(
        "image-dialect",
        subject="https://registry-1.docker.io/v2/nvcr.io/nvidia/pytorch/manifests/26.06-py3",
    ),
    "cluster/disk-full": Why("disk-full"),
    "cluster/image-unknown": Why(
        "image-unknown", subject="http://registry.example/v2/nvidia/pytorch/manifests/99.99-py3"
    ),
    "cluster/login-basic": Why("image-unauthorised", subject="<anonymous>"),
    "cluster/manifest-forbidden": Why(
        "image-unauthorised", subject="https://registry.example/v2/nvidia/pytorch/manifests/26.06-py3"
    ),
    "cluster/no-pyxis": Why("pyxis-missing"),
    "cluster/out-of-memory": Why("out-of-memory", "flash-mla"),
    "cluster/registry-down": Why("network", subject="registry.example"),
    "cluster/time-limit": Why("time-limit"),
    "cluster/unexplained": Why(
        "container-import-failed", subject="registry.example#nvidia/pytorch:26.06-py3"
    ),
    "pip/header": Why("header-missing", TE, "cudnn_frontend.h"),
    "pip/killed": Why("compiler-killed", TE, "cc1plus"),
    "pip/requirement": Why("build-requirement-missing", subject="torch"),
    "runners/github": Why("secret-missing", subject="JET_INDEX_URLS", stage="jet"),
    "runners/gitlab": NCCL,
    "source/compiler-crash": Why(
        "compiler-crashed", TE, "cc1plus", also=("ninja-absent", "cuda-minor-mismatch")
    ),
    "uv-0.13.9/compiler-missing": Why("compiler-missing", TE, "nosuchg++"),
    "uv-0.13.9/extra": Why("extra-unknown", subject="nosuch"),
    "uv-0.13.9/git-network": Why("network", "flash-mla", "nosuchhost.invalid"),
    "uv-0.13.9/git-revision": GONE,
    "uv-0.13.9/group": Why("group-unknown", subject="nosuch"),
    "uv-0.13.9/header": Why("header-missing", TE, "cudnn_frontend.h"),
    "uv-0.13.9/killed": Why("compiler-killed", TE, "cc1plus"),
    "uv-0.13.9/library": Why("library-missing", TE, "nvshmem_host_nosuch"),
    "uv-0.13.9/lock-conflict": Why("lock-conflict"),
    "uv-0.13.9/lock-stale": Why("lock-stale"),
    "uv-0.13.9/nvcc-missing": Why("cuda-missing", TE),
    "uv-0.13.9/out-of-memory": Why("out-of-memory", TE),
    "uv-0.13.9/submodule": Why("submodule-missing", "megatron-core", "/opt/src/sub/3rdparty/Megatron-LM"),
    "uv-0.7.2/architecture": Why("cuda-architecture", TE, "compute_70"),
    "uv-0.7.2/cmake": Why("cmake-package-missing", TE, "CUDNN_FRONTEND"),
    "uv-0.7.2/compiler-crash": Why("compiler-crashed", TE),
    "uv-0.7.2/conflict": Why("requirements-conflict", subject="click>=8"),
    "uv-0.7.2/cuda-mismatch": Why("cuda-mismatch", TE, "12.8"),
    "uv-0.7.2/extra": Why("extra-unknown", subject="nosuch"),
    "uv-0.7.2/git-branch": Why("git-revision-gone", "flash-mla", "nv_dev"),
    "uv-0.7.2/git-network": Why("network", "flash-mla", "nosuchhost.invalid"),
    "uv-0.7.2/git-revision": GONE,
    "uv-0.7.2/group": Why("group-unknown", subject="nosuch"),
    "uv-0.7.2/header": Why("header-missing", TE, "cudnn_frontend.h"),
    "uv-0.7.2/killed": Why("compiler-killed", TE, "cc1plus"),
    "uv-0.7.2/lock-conflict": Why("lock-conflict"),
    "uv-0.7.2/lock-missing": Why("lock-missing"),
    "uv-0.7.2/lock-stale": Why("lock-stale"),
    "uv-0.7.2/lock-version": Why("lock-version", subject="v9"),
    "uv-0.7.2/out-of-memory": Why("out-of-memory", TE),
    "uv-0.7.2/requirement": Why("build-requirement-missing", TE, "torch"),
    "uv-0.7.2/submodule": Why("submodule-missing", "megatron-core", "/opt/src/sub/3rdparty/Megatron-LM"),
    "uv-0.7.2/submodule-header": Why(
        "submodule-missing", TE, "../3rdparty/cutlass/include/cutlass/cutlass.h"
    ),
    "uv-0.7.2/workspace-member": Why("submodule-missing", subject="/opt/src/member/core"),
}
SUCCEEDED = ("buildkit-26/ok", "uv-0.7.2/ok")
UNEXPLAINED = "buildkit-26/unexplained"


def read(name):
    return read_build_log([(FOLDER / f"{name}.log").read_bytes()])


def test_every_log_has_an_expectation():
    names = {str(path.relative_to(FOLDER).with_suffix("")) for path in LOGS}

    assert names == {*FAILED, *SUCCEEDED, UNEXPLAINED}


@pytest.mark.parametrize("name", FAILED)
def test_a_failure_is_traced_to_what_was_made_to_fail(name):
    expected, diagnosis = FAILED[name], read(name)

    root, *others = diagnosis.causes
    found = Why(root.cause, root.package, root.subject, root.stage, tuple(it.cause for it in others))
    assert diagnosis.outcome is Outcome.FAILED
    assert root.role == "root"
    assert {it.role for it in others} <= {"contributing"}
    assert found == expected


@pytest.mark.parametrize("name", FAILED)
def test_each_proving_line_stands_in_the_log_where_it_is_said_to(name):
    lines = (FOLDER / f"{name}.log").read_bytes().decode().split("\n")

    for cause in read(name).causes:
        assert cause.lines
        assert all(line.text.split("…")[0] in lines[line.n - 1] for line in cause.lines)


@pytest.mark.parametrize("name", SUCCEEDED)
def test_a_build_that_succeeded_has_no_cause(name):
    diagnosis = read(name)

    assert (diagnosis.outcome, diagnosis.causes, diagnosis.failed_step) == (Outcome.SUCCEEDED, (), None)


def test_a_failure_that_nothing_explains_names_the_step_and_no_cause():
    diagnosis = read(UNEXPLAINED)

    assert (diagnosis.outcome, diagnosis.causes, diagnosis.failed_stage) == (Outcome.FAILED, (), "b")
    assert diagnosis.failed_step is not None
    assert diagnosis.failed_step.startswith("2/2 RUN for i in 1 2 3 4")


def test_the_steps_of_a_failing_build_are_named_with_place_and_instruction():
    root = read("buildkit-26/nccl-pin").causes[0]

    assert root.step is not None
    assert root.step.startswith("1/1 RUN bash -ex -c 'apt-get install")


@pytest.mark.parametrize(
    ("runner", "builder"),
    [
        ("runners/github", "buildkit-26/secret-missing"),
        ("runners/gitlab", "buildkit-26/nccl-pin"),
    ],
)
def test_what_a_runner_writes_around_a_build_changes_nothing_but_the_numbers(runner, builder):
    def told(name):
        return [replace(it, lines=tuple(line.text for line in it.lines)) for it in read(name).causes]

    assert told(runner) == told(builder)


@pytest.mark.parametrize(
    ("name", "phase"), [("cluster/login-basic", "enroot import"), ("cluster/disk-full", "enroot create")]
)
def test_what_has_no_steps_is_placed_by_its_phase(name, phase):
    assert read(name).causes[0].step == phase
