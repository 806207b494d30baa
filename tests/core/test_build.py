"""One build request, made from a recipe and the files of a branch."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.build import (
    BuildOutcome,
    BuildReport,
    PlatformBuild,
    build_request,
    dockerfiles,
    stages_of,
)
from bot.core.buildlog.diagnosis import Diagnosis, Outcome
from bot.core.errors import Refused, UsageError
from bot.core.image import parse_image
from bot.core.recipe import parse_recipe
from tests.core.recipe_texts import SMALL

SHIPPED = Path(__file__).parents[2] / "recipes" / "megatron-lm.yaml"
MEGATRON = parse_recipe(SHIPPED.read_text(encoding="utf-8"), name="megatron-lm", path=SHIPPED.name)
DEV, LTS = "docker/Dockerfile.ci.dev", "docker/Dockerfile.ci.lts"
BASE = parse_image("nvcr.io/nvidia/pytorch:26.06-py3")

DOCKERFILE = b"""\
# Our own, in the shape of a CI image.
ARG FROM_IMAGE_NAME=nvcr.io/nvidia/pytorch:26.06-py3
FROM ${FROM_IMAGE_NAME} AS main
RUN bash -ex <<"EOF"
FROM nothing AS heredoc
EOF
FROM --platform=$BUILDPLATFORM main as Jet
FROM main
"""
BOTH = {DEV: DOCKERFILE, LTS: DOCKERFILE}


def request(track="dev", files=None, recipe=MEGATRON, **more):
    more.setdefault("platforms", ["linux/amd64"])
    return build_request(recipe, track, BASE, BOTH if files is None else files, **more)


def test_the_dev_image_is_built_from_its_dockerfile_with_two_arguments():
    asked = request(platforms=["linux/arm64", "linux/amd64", "linux/arm64"], cache=False)

    assert (asked.dockerfile, asked.target) == (DEV, "main")
    assert asked.args == {"FROM_IMAGE_NAME": "nvcr.io/nvidia/pytorch:26.06-py3", "IMAGE_TYPE": "dev"}
    assert asked.platforms == ("linux/arm64", "linux/amd64")
    assert asked.folders == ("assets",)
    assert (asked.secrets, asked.cache) == ((), False)


@pytest.mark.parametrize(
    ("files", "dockerfile", "args"),
    [
        (BOTH, LTS, {}),
        ({DEV: DOCKERFILE, LTS: None}, DEV, {"IMAGE_TYPE": "lts"}),
    ],
    ids=["a branch with its own Dockerfile", "an older branch"],
)
def test_the_lts_image_has_an_image_type_only_where_one_dockerfile_builds_both(files, dockerfile, args):
    asked = request("lts", files)

    assert asked.dockerfile == dockerfile
    assert asked.args == {"FROM_IMAGE_NAME": str(BASE), **args}


def test_a_stage_with_secrets_names_them_and_holds_none():
    asked = request(target="jet", secrets={"JET_INDEX_URLS", "LOGGER_INDEX_URL", "OTHER"})

    assert asked.secrets == ("JET_INDEX_URLS", "LOGGER_INDEX_URL")
    assert asked.target == "jet"


def test_every_image_has_a_name_of_its_own():
    asked = request(secrets=(), platforms=["linux/amd64", "linux/arm64"])

    assert asked.tag == "bot-build/megatron-lm:dev-main-26.06-py3"
    assert [asked.tag_for(it) for it in asked.platforms] == [
        "bot-build/megatron-lm:dev-main-26.06-py3-amd64",
        "bot-build/megatron-lm:dev-main-26.06-py3-arm64",
    ]


@pytest.mark.parametrize(
    ("change", "sentence", "hint"),
    [
        (
            {"target": "jet", "secrets": ["JET_INDEX_URLS"]},
            "stage `jet` needs secrets that are not set: LOGGER_INDEX_URL",
            "set them in the environment, or build stage `main`",
        ),
        ({"target": "--push"}, f"{DEV}: has no stage `--push`", "its stages: `main`, `jet`"),
        ({"files": {DEV: b"FROM scratch\n"}}, f"{DEV}: has no stage `main`", "its stages: none"),
        (
            {"files": {DEV: None}},
            "there is no Dockerfile for track `dev`: `docker/Dockerfile.ci.dev`",
            "name the branch or clone that has one",
        ),
        (
            {"track": "lts", "files": {}},
            f"there is no Dockerfile for track `lts`: `{LTS}`, `{DEV}`",
            "name the branch or clone that has one",
        ),
    ],
)
def test_what_cannot_be_built_is_refused_before_anything_starts(change, sentence, hint):
    with pytest.raises(Refused) as refused:
        request(**change)

    assert (str(refused.value), refused.value.hint) == (sentence, hint)


def test_a_recipe_that_does_not_say_how_to_build_is_said():
    small = parse_recipe(SMALL, name="small", path="small.yaml")

    with pytest.raises(UsageError, match="recipe `small` does not say how its container is built"):
        request(recipe=small)
    with pytest.raises(UsageError, match="recipe `megatron-lm` does not say how track `edge` is built"):
        dockerfiles(MEGATRON, "edge")


def test_the_files_that_decide_are_named():
    assert dockerfiles(MEGATRON, "lts") == (LTS, DEV)


def test_stages_are_those_of_instructions():
    assert stages_of(DOCKERFILE.decode()) == ("main", "jet")
    assert stages_of("") == ()


def build(outcome):
    return PlatformBuild("linux/amd64", outcome, 1.0, Diagnosis(Outcome.UNKNOWN, (), None, None), "x:y")


@pytest.mark.parametrize(
    ("outcomes", "succeeded"),
    [
        ([], False),
        ([BuildOutcome.SUCCEEDED], True),
        ([BuildOutcome.SUCCEEDED, BuildOutcome.SUCCEEDED], True),
        ([BuildOutcome.SUCCEEDED, BuildOutcome.CANCELLED], False),
        ([BuildOutcome.TIMED_OUT], False),
    ],
)
def test_a_report_is_good_when_every_platform_is(outcomes, succeeded):
    assert BuildReport(tuple(build(it) for it in outcomes)).succeeded is succeeded


def test_an_image_of_a_digest_alone_still_has_a_name():
    digest = replace(BASE, tag=None, digest=f"sha256:{'0' * 64}")

    asked = build_request(MEGATRON, "dev", digest, BOTH, platforms=["linux/amd64"])

    assert asked.tag == "bot-build/megatron-lm:dev-main-digest"


SECTION = """builds:
  tracks:
    dev: [{dockerfile: Dockerfile%s}]
"""


def parse(section):
    return parse_recipe(SMALL + section, name="mine", path="recipes/mine.yaml")


def test_a_small_section_is_enough():
    builds = parse(SECTION % "").builds

    assert (builds.target, builds.image_argument, builds.secrets) == ("main", "FROM_IMAGE_NAME", {})


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ("builds: {tracks: {}}\n", "`builds.tracks` must not be empty"),
        (SECTION % ", args: {GH_TOKEN: x}", "is named like a secret, which belongs under `secrets`"),
        (SECTION % ", args: {NGC_API_KEY: x}", "is named like a secret, which belongs under `secrets`"),
        (SECTION % ", args: {'A=B --push': x}", "has to be the name of a variable"),
        (SECTION % ', args: {A: "x\\ny"}', "has to be one line of at most 1000 characters"),
        (SECTION % ", extras: [--all-extras]", "has to be a name as Python packages have"),
        ((SECTION % "") + "  target: --push\n", "has to be a stage of a Dockerfile"),
        ((SECTION % "") + "  folders: [../x]\n", "has to be a path inside the repository"),
        ((SECTION % "") + "  smoke: {imports: ['os; import x']}\n", "has to be a Python module"),
        ((SECTION % "") + "  smoke: {environment: /opt/../venv}\n", "has to be an absolute path"),
        ((SECTION % "") + "  disk: 0\n", "`builds.disk`"),
    ],
)
def test_a_mistake_in_the_section_is_said(section, sentence):
    with pytest.raises(UsageError) as refused:
        parse(section)

    assert sentence in str(refused.value)
