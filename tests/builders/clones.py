"""Clones whose Dockerfiles have the shape of Megatron-LM's, and every way in which one may be broken."""

import subprocess
from pathlib import Path

PIN = "nvcr.io/nvidia/pytorch:26.06-py3\n"
DOCKERFILE = """\
# Our own, in the shape of a CI image: a base by argument, here-documents, `assets/`, a stage with secrets.
# syntax=docker/dockerfile:1.3-labs
ARG FROM_IMAGE_NAME=nvcr.io/nvidia/pytorch:26.06-py3
FROM ${FROM_IMAGE_NAME} AS main
ARG IMAGE_TYPE=unset
ARG TARGETARCH
ENV UV_PROJECT_ENVIRONMENT=/opt/venv
ENV PATH="$UV_PROJECT_ENVIRONMENT/bin:$PATH"
RUN sh -ex <<"EOF"
    mkdir -p /opt
    echo "$IMAGE_TYPE" > /opt/type
EOF
COPY pyproject.toml uv.lock /workspace/
%s
COPY assets/ /opt/data/

FROM main AS jet
RUN --mount=type=secret,id=JET_INDEX_URLS --mount=type=secret,id=LOGGER_INDEX_URL \\
    echo "the index is $(cat /run/secrets/JET_INDEX_URLS)" && test -s /run/secrets/LOGGER_INDEX_URL
"""
CI = """\
test:pre_build_image:
  parallel:
    matrix:
      - {IMAGE: CI_MCORE_DEV_IMAGE, BASE_IMAGE: "nvcr.io/nvidia/pytorch:26.06-py3", PLATFORM: amd64}
      - {IMAGE: CI_MCORE_DEV_IMAGE, BASE_IMAGE: "nvcr.io/nvidia/pytorch:26.06-py3", PLATFORM: arm64}
"""


def make_clone(folder: Path, step: str = "", dockerfile: str | None = None) -> Path:
    """Make a clone whose dev image runs `step`, or is built by another Dockerfile altogether."""
    files = {
        "docker/.ngc_version.dev": PIN,
        "docker/Dockerfile.ci.dev": DOCKERFILE % step if dockerfile is None else dockerfile,
        ".gitlab/stages/01.build.yml": CI,
        "pyproject.toml": "[project]\nname = 'sample'\nversion = '1'\n",
        "uv.lock": "version = 1\nrequires-python = '>=3.11'\n",
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    return folder
