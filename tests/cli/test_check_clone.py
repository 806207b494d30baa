"""`bot check --checkout`: a gate that can fail."""

import pytest

from bot.lab.megatron import megatron_files
from tests.adapters.gitlab.stub import StubGitLab, serving

DEV = "docker/.ngc_version.dev"
BUILD = ".gitlab/stages/01.build.yml"


def check(bot, clone, *more):
    return bot("check", "--checkout", str(clone), *more)


def problems(outcome) -> list[str]:
    return [
        site["problem"] for track in outcome.document["tracks"] for site in track["sites"] if site["problem"]
    ]


def test_every_track_is_checked_for_itself(bot, clone):
    outcome = check(bot, clone)

    assert (outcome.status, outcome.document["in_sync"]) == (0, True)
    assert [(it["track"], it["image"]) for it in outcome.document["tracks"]] == [
        ("dev", "nvcr.io/nvidia/pytorch:26.04-py3"),
        ("lts", "nvcr.io/nvidia/pytorch:25.09-py3"),
    ]


def test_every_pin_is_named_with_file_line_and_value(bot, clone):
    sites = check(bot, clone, "--track", "dev").document["tracks"][0]["sites"]

    pins = [site for site in sites if site["policy"] == "edit"]
    assert [(pin["path"], pin["platform"]) for pin in pins] == [
        (DEV, None),
        (BUILD, "amd64"),
        (BUILD, "arm64"),
    ]
    for pin in pins:
        assert pin["value"] in (clone / pin["path"]).read_text().splitlines()[pin["line"] - 1]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        pytest.param(("--expect", "26.04-py3"), 0, id="dev is where it is expected"),
        pytest.param(("--expect", "26.06-py3"), 1, id="dev is not there yet"),
        pytest.param(("--expect", "25.09-py3", "--track", "lts"), 0, id="lts is where it is expected"),
        pytest.param(("--expect", "25.09-py3"), 1, id="the expectation is for dev unless told"),
        pytest.param(("--expect", "nonsense"), 2, id="no tag of the form"),
        pytest.param(("--track", "nightly"), 2, id="no such track"),
        pytest.param(("--pr", "5"), 2, id="two sources"),
    ],
)
def test_exit_status(bot, clone, words, status):
    assert check(bot, clone, *words).status == status


ROW = """\
      - IMAGE: CI_MCORE_DEV_IMAGE
        FILE: Dockerfile.ci.dev
        IMAGE_TYPE: dev
        BASE_IMAGE: nvcr.io/nvidia/pytorch:26.04-py3
        PLATFORM: arm64
"""


@pytest.mark.parametrize(
    ("row", "says"),
    [
        pytest.param("", "expected 2 pins, found 1", id="row missing"),
        pytest.param(ROW + ROW, "expected 2 pins, found 3", id="row doubled"),
        pytest.param(
            ROW.replace("      ", "      # ", 1).replace("\n        ", "\n      #   "),
            "found 1",
            id="row commented out",
        ),
        pytest.param(ROW.replace("26.04", "26.02"), "holds `26.02-py3` while", id="tag behind"),
        pytest.param(ROW.replace("nvcr.io", "docker.io"), "docker.io", id="another registry"),
        pytest.param(ROW.replace("26.04-py3", "latest"), "latest", id="latest"),
        pytest.param(ROW.replace("nvcr", "*x"), "YAML", id="unknown alias"),
        pytest.param(ROW.replace("nvcr", "&pin nvcr"), "anchor", id="anchor"),
        pytest.param(ROW.replace(": nvcr", ": >-\n          nvcr"), "block scalar", id="block scalar"),
        pytest.param(
            ROW.replace("        PLATFORM", "        PLATFORM: amd64\n        PLATFORM"),
            "twice",
            id="key twice",
        ),
        pytest.param(ROW.replace("        PLATFORM", "\tPLATFORM"), "YAML", id="tab"),
        pytest.param(ROW.replace("arm64", "ppc64le"), "ppc64le", id="another platform"),
    ],
)
def test_a_row_that_is_not_as_the_recipe_says_is_red(bot, clone, row, says):
    text = (clone / BUILD).read_text()
    assert text.count(ROW) == 1
    (clone / BUILD).write_text(text.replace(ROW, row))

    outcome = check(bot, clone, "--track", "dev")

    assert outcome.status == 1
    assert any(says in problem for problem in problems(outcome)), problems(outcome)


def test_reordered_keys_change_nothing(bot, clone):
    lines = ROW.splitlines(keepends=True)
    reordered = lines[0].replace("IMAGE: CI_MCORE_DEV_IMAGE", "PLATFORM: arm64") + "".join(
        [lines[3], lines[2], lines[1], "        IMAGE: CI_MCORE_DEV_IMAGE\n"]
    )
    (clone / BUILD).write_text((clone / BUILD).read_text().replace(ROW, reordered))

    assert check(bot, clone).status == 0


@pytest.mark.parametrize("path", [DEV, BUILD])
def test_a_missing_file_is_red_and_named(bot, clone, path):
    (clone / path).unlink()

    outcome = check(bot, clone, "--recipe", "megatron-lm", "--track", "dev")

    [site] = [it for it in outcome.document["tracks"][0]["sites"] if it["problem"] == "the file is missing"]
    assert (outcome.status, site["path"], site["line"]) == (1, path, None)


def test_people_see_which_pins_fail(bot, clone):
    (clone / DEV).write_text("nvcr.io/nvidia/pytorch:26.02-py3\n")

    seen = check(bot, clone).people

    assert "NOT in sync" in seen
    assert f"FAIL {DEV}:1" in seen


@pytest.fixture
def gitlab(monkeypatch):
    with serving(StubGitLab(project="ADLR/megatron-lm")) as server:
        monkeypatch.setenv("GITLAB_URL", server.url)
        monkeypatch.setenv("GITLAB_TOKEN", server.token)
        yield server


def test_a_gitlab_mirror_that_drifted_is_red(bot, clone, gitlab):
    behind = {path: raw.replace(b"26.04-py3", b"26.02-py3") for path, raw in megatron_files().items()}
    gitlab.push("main", "a" * 40, behind)
    gitlab.push("dev", "b" * 40, behind)

    outcome = check(bot, clone, "--gitlab")

    states = {(it["source"], it["track"]): it["in_sync"] for it in outcome.document["tracks"]}
    assert outcome.status == 1
    # `dev` is a branch of its own: it is held against itself alone.
    assert states == {
        ("checkout", "dev"): True,
        ("checkout", "lts"): True,
        ("gitlab:main", "dev"): False,
        ("gitlab:main", "lts"): True,
        ("gitlab:dev", "dev"): True,
        ("gitlab:dev", "lts"): True,
    }


def test_a_gitlab_mirror_that_agrees_is_green(bot, clone, gitlab):
    gitlab.push("main", "a" * 40, megatron_files())
    gitlab.push("dev", "b" * 40, megatron_files())

    assert check(bot, clone, "--gitlab").status == 0


def test_without_a_gitlab_server_it_says_what_to_set(bot, clone):
    outcome = check(bot, clone, "--gitlab")

    assert (outcome.status, "GITLAB_URL" in outcome.document["error"]["hint"]) == (2, True)
