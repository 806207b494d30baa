"""What uv is asked for in the container, and what its answer means."""

import pytest

from bot.core.errors import Refused, UsageError
from bot.core.lock import (
    GitSource,
    checked_package,
    commit_message,
    git_sources,
    lock_request,
    lock_result,
    refuse_conflicts,
    uv_version,
    why_not,
)
from bot.core.recipe_builds import Variant

SHA = "ab" * 20
LOCK = f"""\
version = 1
[[package]]
name = "mamba-ssm"
source = {{ git = "https://git.example/state/mamba.git?rev=main#{SHA}" }}
[[package]]
name = "sample"
source = {{ virtual = "." }}
[[package]]
name = "evil"
source = {{ git = "ext::sh -c id#{SHA}" }}
[[package]]
name = "short"
source = {{ git = "https://git.example/short#abc" }}
[[package]]
name = "blank"
source = {{ git = "https://git.example/a b#{SHA}" }}
""".encode()
MAMBA = GitSource("mamba-ssm", "https://git.example/state/mamba.git", SHA)


@pytest.mark.parametrize("text", ["einops", "einops>=0.8", "uvicorn[standard]>=0.34,<1", "a.b-c_d==1.0+cu13"])
def test_a_package_is_taken_as_it_is_written(text):
    assert checked_package(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "--index=x",
        "-r",
        "a b",
        "a; rm -rf /",
        "git+https://x/y",
        "a @ https://x/y",
        "./a",
        "a\n",
        "é",
        "$(id)",
        "",
    ],
)
def test_whatever_else_a_package_pretends_to_be_is_no_package(text):
    with pytest.raises(UsageError, match="is no package"):
        checked_package(text)


def test_the_commit_names_the_package_alone():
    assert commit_message("uvicorn[standard]>=0.34") == "build: add uvicorn dependency"
    assert commit_message("[x]") == "build: add [x] dependency"


@pytest.mark.parametrize(
    ("dockerfile", "version"),
    [
        ("FROM a\nARG OTHER=1\nRUN x\nARG UV_VERSION=0.7.2\n", "==0.7.2"),
        ('ARG UV_VERSION="0.7.2"\n', "==0.7.2"),
        ("ARG UV_VERSION\n", ""),
        ("ARG UV_VERSION=$(id)\n", ""),
        ("", ""),
    ],
)
def test_the_uv_is_the_one_of_the_dockerfile(dockerfile, version):
    assert uv_version(dockerfile) == version


def test_git_sources_are_those_that_https_serves_at_a_whole_revision():
    assert git_sources(LOCK) == (MAMBA,)


@pytest.mark.parametrize(
    "lock", [b"", b"<<<<<<< ours\n", b"\xff", b"package = [1]\n", b"[[package]]\nname = 'x'\nsource = 'y'\n"]
)
def test_a_lock_without_sources_or_sense_has_none(lock):
    assert git_sources(lock) == ()


CONFLICT = b"a = 1\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"


@pytest.mark.parametrize(
    ("files", "resolves", "path"),
    [
        ({"uv.lock": b""}, False, "pyproject.toml"),
        ({"pyproject.toml": CONFLICT, "uv.lock": b""}, True, "pyproject.toml"),
        ({"pyproject.toml": b"", "uv.lock": CONFLICT}, False, "uv.lock"),
    ],
)
def test_a_conflict_that_no_lock_settles_is_refused(files, resolves, path):
    with pytest.raises(Refused) as refused:
        refuse_conflicts(files, resolves=resolves)

    assert refused.value.path == path
    assert refused.value.hint


def test_a_conflict_in_the_lock_is_settled_by_the_base_branch():
    refuse_conflicts(
        {"pyproject.toml": b"x = '''\n======== title\n'''\n", "uv.lock": CONFLICT}, resolves=True
    )
    refuse_conflicts({"pyproject.toml": b""}, resolves=False)


def test_the_run_gets_words_and_files_and_no_shell_text_of_ours():
    variant = Variant(dockerfile="Dockerfile", extras=("dev", "te"), groups=("no_pypi_wheels",))

    asked = lock_request("image", variant, b"lock", [MAMBA], version="==0.7.2", package="a>=1")

    program, flag, _script, *words = asked.command
    assert (program, flag) == ("sh", "-c")
    assert words == [
        *("bot-lock", "a>=1", "==0.7.2"),
        *("--extra", "dev", "--extra", "te", "--group", "no_pypi_wheels"),
    ]
    assert asked.given == {"uv.lock": b"lock", "sources": f"{MAMBA.url} {SHA}\n".encode()}
    assert asked.context_at == "/repository"
    assert lock_request("image", variant, None, []).given == {"sources": b""}


def test_only_what_changed_is_written():
    before = {"pyproject.toml": b"same", "uv.lock": b"old", "Dockerfile": b"x"}

    result = lock_result(before, {"pyproject.toml": b"same", "uv.lock": b"new"}, [MAMBA])

    assert (result.files, result.in_sync, result.gone) == ({"uv.lock": b"new"}, True, ())


def test_what_is_gone_or_out_of_sync_is_said():
    gone = f"{MAMBA.url} {SHA}\nhttps://unasked.example/x {SHA}\n".encode()

    result = lock_result({}, {"gone": gone, "not-in-sync": b""}, [MAMBA])

    assert (result.files, result.in_sync, result.gone) == ({}, False, (MAMBA,))


def test_an_exit_status_has_a_meaning():
    assert [why_not(it) for it in (71, 72, 73, 137)] == [
        "there is no uv in the image, and it could not be installed",
        "`uv add` failed",
        "`uv lock` failed",
        "the program in the container ended with 137",
    ]
