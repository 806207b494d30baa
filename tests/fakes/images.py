"""The environments of two NGC PyTorch releases in their real shape, for fakes and real registries alike.

The versions are those of NVIDIA's release notes
(https://docs.nvidia.com/deeplearning/frameworks/pytorch-release-notes/).
"""

IMAGE = "nvcr.io/nvidia/pytorch"

_PATHS = {
    "PATH": "/usr/local/mpi/bin:/usr/local/nvidia/bin:/usr/bin",
    "LD_LIBRARY_PATH": "/usr/local/cuda/compat/lib",
    "LIBRARY_PATH": "/usr/local/cuda/lib64/stubs:",
    "_CUDA_COMPAT_PATH": "/usr/local/cuda/compat",
    "NVIDIA_VISIBLE_DEVICES": "all",
    "NVIDIA_REQUIRE_CUDA": "cuda>=9.0",
    "PIP_CONSTRAINT": "/etc/pip/constraint.txt",
    "NCCL_WORK_ARGS": "a=b c=d",
}

LABELS = {
    "com.nvidia.cuda.version": "9.0",
    "com.nvidia.volumes.needed": "nvidia_driver",
    "org.opencontainers.image.version": "24.04",
}

RELEASE_25_10 = _PATHS | {
    "NCCL_VERSION": "2.27.7",
    "CUBLAS_VERSION": "13.1.0.3",
    "CUDNN_VERSION": "9.14.0.64",
    "TRT_VERSION": "10.13.3.9",
    "TRTOSS_VERSION": "",
    "DALI_VERSION": "1.51.2",
    "TRANSFORMER_ENGINE_VERSION": "2.8",
    "MODEL_OPT_VERSION": "0.35.1",
    "AWS_OFI_NCCL_VERSION": "1.14.0",
    "CUDA_ARCH_LIST": "7.5 8.0 8.6 9.0 10.0 12.0",
    "TORCH_CUDA_ARCH_LIST": "7.5 8.0 8.6 9.0 10.0 12.0+PTX",
    "CUDA_VERSION": "13.0.2.006",
    "CUDA_DRIVER_VERSION": "580.95.05",
    "HPCX_VERSION": "2.24.1",
    "OPENMPI_VERSION": "4.1.7",
    "MOFED_VERSION": "5.4-rdmacore56.0",
    "PYTORCH_BUILD_VERSION": "2.9.0a0+145a3a7",
    "PYTORCH_VERSION": "2.9.0a0+145a3a7",
    "NVIDIA_PYTORCH_VERSION": "25.10",
    "NVIDIA_PRODUCT_NAME": "PyTorch",
    "NVFUSER_BUILD_VERSION": "0.1.4a0+nvidia",
    "NVFUSER_VERSION": "",
    "NVIDIA_BUILD_ID": "220000001",
}

RELEASE_26_07 = _PATHS | {
    "NCCL_VERSION": "2.30.7",
    "CUBLAS_VERSION": "13.6.0.2",
    "CUDNN_VERSION": "9.24.0.43",
    "TRT_VERSION": "11.1.0.106",
    "TRTOSS_VERSION": "",
    "DALI_VERSION": "2.2.0",
    "TRANSFORMER_ENGINE_VERSION": "2.17",
    "MODEL_OPT_VERSION": "0.44.0",
    "NIXL_VERSION": "1.3.0",
    "CUDA_ARCH_LIST": "7.5 8.0 8.6 9.0 10.0 12.0",
    "TORCH_CUDA_ARCH_LIST": "7.5 8.0 8.6 9.0 10.0 12.0+PTX",
    "CUDA_VERSION": "13.3.1.008",
    "CUDA_DRIVER_VERSION": "610.43.02",
    "HPCX_VERSION": "2.50",
    "OPENMPI_VERSION": "5.0.10",
    "MOFED_VERSION": "5.4-rdmacore63.0",
    "PYTORCH_BUILD_VERSION": "2.13.0a0+9186a08",
    "PYTORCH_VERSION": "2.13.0a0+9186a08",
    "NVIDIA_PYTORCH_VERSION": "26.07",
    "NVIDIA_PRODUCT_NAME": "PyTorch",
    "NVFUSER_BUILD_VERSION": "0.1.4a0+nvidia",
    "NVFUSER_VERSION": "",
    "NVIDIA_BUILD_ID": "340000001",
}


def on_both_platforms(environment: dict[str, str], **of_arm: str) -> dict[str, dict[str, str]]:
    """Return an image for amd64 and arm64; `of_arm` are the variables in which arm64 differs."""
    return {"linux/amd64": environment, "linux/arm64": environment | of_arm}
