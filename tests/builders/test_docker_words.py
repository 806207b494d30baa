"""Argument lists for `docker`: whatever a name holds, it stays a value."""

import json
from pathlib import Path

import pytest

from bot.builders.docker import DockerBuilder
from bot.builders.docker_words import build_words, builder_platforms, native_platform, run_words
from bot.core.build import BuildRequest
from bot.core.container import Mount, RunRequest
from bot.core.image import parse_image

REQUEST = BuildRequest(
    base=parse_image("nvcr.io/nvidia/pytorch:26.06-py3"),
    dockerfile="docker/Dockerfile.ci.dev",
    target="main",
    args={"FROM_IMAGE_NAME": "nvcr.io/nvidia/pytorch:26.06-py3", "IMAGE_TYPE": "$(id) --push; `id`"},
    platforms=("linux/amd64", "linux/arm64"),
    tag="bot-build/megatron-lm:dev-main-26.06-py3",
    secrets=("JET_INDEX_URLS",),
    cache=False,
)


def test_a_build_is_one_argument_list():
    words = build_words(REQUEST, "linux/arm64", Path("/clone"), Path("/scratch/image"), "host")

    assert words == [
        "build",
        "--progress=plain",
        "--file=/clone/docker/Dockerfile.ci.dev",
        "--target=main",
        "--platform=linux/arm64",
        "--build-arg=FROM_IMAGE_NAME=nvcr.io/nvidia/pytorch:26.06-py3",
        "--build-arg=IMAGE_TYPE=$(id) --push; `id`",
        "--secret=id=JET_INDEX_URLS,env=JET_INDEX_URLS",
        "--tag=bot-build/megatron-lm:dev-main-26.06-py3-arm64",
        "--iidfile=/scratch/image",
        "--network=host",
        "--no-cache",
        "--",
        "/clone",
    ]


def test_an_image_or_a_program_that_looks_like_an_option_stays_what_it_is():
    request = RunRequest("--privileged", ("--help", "-v", "x"), mounts=(Mount("/a", "/b", read_only=False),))

    words = run_words(request, "name", "none")

    at = words.index("--")
    assert words[at:] == ["--", "--privileged", "-v", "x"]
    assert "--entrypoint=--help" in words[:at]
    assert "--mount=type=bind,source=/a,target=/b" in words[:at]


@pytest.mark.parametrize(
    ("info", "platform"),
    [
        ({"Architecture": "x86_64", "OSType": "linux"}, "linux/amd64"),
        ({"Architecture": "aarch64", "OSType": "linux"}, "linux/arm64"),
        ({"Architecture": "s390x"}, "linux/s390x"),
    ],
)
def test_the_daemons_platform_is_told_in_dockers_words(info, platform):
    assert native_platform(info) == platform


@pytest.mark.parametrize(
    ("text", "platforms"),
    [
        ("Platforms:        linux/amd64, linux/amd64/v2, linux/arm64*\n", ("linux/amd64", "linux/arm64")),
        ("Platforms:\nLabels:\n", ()),
        ("", ()),
    ],
)
def test_the_platforms_of_a_builder_are_read(text, platforms):
    assert builder_platforms(text) == platforms


DOCKER = """#!/bin/sh
case "$1" in
info) echo '{"Architecture": "x86_64", "OSType": "linux", "DockerRootDir": "/", "MemTotal": 1}';;
build)
  for word; do case "$word" in --platform=*) mine=${word##*/};; --iidfile=*) file=${word#*=};; esac; done
  touch "$MEETING/$mine"
  n=0
  while [ "$(ls "$MEETING" | wc -l)" -lt 2 ]; do
    n=$((n + 1)); [ $n -gt 200 ] && echo "ERROR: alone" && exit 1
    sleep 0.05
  done
  printf 'sha256:%s' "$mine" > "$file"; echo "#5 exporting to image"; echo "#5 DONE 0.1s";;
esac
"""


def test_two_platforms_are_built_side_by_side(tmp_path):
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    program.write_text(DOCKER)
    program.chmod(0o755)
    (tmp_path / "meeting").mkdir()
    environ = {"PATH": f"{program.parent}:/usr/bin:/bin", "MEETING": str(tmp_path / "meeting")}

    report = DockerBuilder(tmp_path, environ, lambda _image: None).build(
        REQUEST, lambda _platform, _line: None
    )

    assert report.succeeded, json.dumps([it.error for it in report.builds])
    assert [(it.platform, it.image) for it in report.builds] == [
        ("linux/amd64", "sha256:amd64"),
        ("linux/arm64", "sha256:arm64"),
    ]
