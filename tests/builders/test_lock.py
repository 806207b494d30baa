"""`bot lock` on a real daemon, with a real uv in the container."""

import json
import subprocess

import pytest

from bot.cli.main import main
from tests.builders.clones import make_clone
from tests.builders.daemon import BASE
from tests.builders.test_build_command import recipe
from tests.builders.uv_image import make_uv_image

__all__ = ["recipe"]

pytestmark = pytest.mark.component("docker")

PROJECT = """\
[project]
name = "sample"
version = "1"
requires-python = ">=3.11"
dependencies = []
[project.optional-dependencies]
dev = []
mlm = []
ssm = []
te = []
[dependency-groups]
no_pypi_wheels = []
[tool.uv]
offline = true
"""
CONFLICT = "<<<<<<< ours\nversion = 1\n=======\nversion = 2\n>>>>>>> theirs\n"


@pytest.fixture(scope="session")
def uv_engine(engine, tmp_path_factory):
    """The daemon, on which the base image is one with uv."""
    name = make_uv_image(engine, tmp_path_factory.mktemp("uv"))
    plain = engine.docker("image", "inspect", "--format={{.Id}}", BASE).strip()
    engine.docker("tag", name, BASE)
    yield engine
    engine.docker("tag", plain, BASE)


@pytest.fixture
def bot(uv_engine, capfd, monkeypatch, recipe):
    for name in ("BOT_CONFIG", "BOT_RECIPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DOCKER_HOST", uv_engine.environ["DOCKER_HOST"])
    # What an earlier test built stands in the way of the base image.
    for tag in uv_engine.docker("image", "ls", "--format={{.Repository}}:{{.Tag}}", "bot-build/*").split():
        uv_engine.docker("image", "rm", tag)

    def run(*words: str):
        status = main([*words, "--recipe", recipe, "--network", "host", "--json"])
        printed = capfd.readouterr()
        return status, json.loads(printed.out), printed.err

    return run


@pytest.fixture
def clone(tmp_path):
    folder = make_clone(tmp_path / "clone")
    (folder / "pyproject.toml").write_text(PROJECT)
    return folder


def git(folder, *words):
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


def test_a_lock_is_made_in_the_container_and_written_into_the_clone(bot, clone):
    (clone / "uv.lock").unlink()

    status, document, people = bot("lock", "--checkout", str(clone))

    assert (status, document["changed"], document["in_sync"]) == (0, ["uv.lock"], True), people
    assert 'name = "sample"' in (clone / "uv.lock").read_text()
    assert not (clone / ".venv").exists()
    again, document, _ = bot("lock", "--checkout", str(clone))
    assert (again, document["changed"]) == (0, [])


def test_a_dry_run_writes_nothing(bot, clone):
    before = (clone / "uv.lock").read_bytes()

    status, document, people = bot("lock", "--checkout", str(clone), "--dry-run")

    assert (status, document["changed"]) == (0, ["uv.lock"])
    assert "would change uv.lock" in people
    assert (clone / "uv.lock").read_bytes() == before


def test_a_conflicting_lock_is_taken_from_the_base_branch_and_made_anew(bot, clone):
    bot("lock", "--checkout", str(clone))
    git(clone, "branch", "-M", "main")
    git(clone, "commit", "-qam", "Lock")
    (clone / "uv.lock").write_text(CONFLICT)

    refused, document, _ = bot("lock", "--checkout", str(clone))
    status, resolved, _ = bot("lock", "--checkout", str(clone), "--resolve-conflict")

    assert (refused, document["error"]["path"]) == (3, "uv.lock")
    assert "--resolve-conflict" in document["error"]["hint"]
    assert (status, resolved["changed"]) == (0, ["uv.lock"])
    assert "<<<<" not in (clone / "uv.lock").read_text()


def test_a_conflict_without_a_base_branch_is_refused(bot, clone):
    git(clone, "branch", "-M", "work")

    status, document, _ = bot("lock", "--checkout", str(clone), "--resolve-conflict")

    assert status == 3
    assert "no `uv.lock` is known of the base branch" in document["error"]["message"]


def test_a_package_that_cannot_be_had_changes_nothing(bot, clone):
    before = (clone / "pyproject.toml").read_bytes()

    status, document, _ = bot("lock", "--checkout", str(clone), "--add", "no-such-package-of-anybody")

    assert (status, document["failure"], document["changed"]) == (1, "`uv add` failed", [])
    assert (clone / "pyproject.toml").read_bytes() == before


def test_a_package_of_the_workspace_is_added_with_the_message_of_its_commit(bot, clone):
    (clone / "part").mkdir()
    (clone / "part" / "pyproject.toml").write_text("[project]\nname = 'part'\nversion = '1'\n")
    sources = "[tool.uv.sources]\npart = { path = 'part' }\n"
    (clone / "pyproject.toml").write_text(PROJECT + sources)

    status, document, people = bot("lock", "--checkout", str(clone), "--add", "part")

    assert (status, document["changed"]) == (0, ["pyproject.toml", "uv.lock"]), people
    assert document["message"] == "build: add part dependency"
    assert '"part>=1"' in (clone / "pyproject.toml").read_text()


def test_a_project_that_lacks_what_the_dockerfile_installs_is_not_in_sync(bot, clone):
    (clone / "pyproject.toml").write_text(PROJECT.replace("te = []\n", ""))

    status, document, _ = bot("lock", "--checkout", str(clone))

    assert (status, document["in_sync"], document["changed"]) == (1, False, ["uv.lock"])


def test_a_git_source_whose_revision_vanished_is_named(bot, clone):
    package = "[[package]]\nname = 'lost'\nversion = '1'\nsource = { git = 'https://git.example/%s#%s' }\n"
    lock = "version = 1\nrequires-python = '>=3.11'\n" + package % ("lost", "0" * 40)
    (clone / "uv.lock").write_text(lock + (package % ("kept", "1" * 40)).replace("'lost'", "'kept'"))

    status, document, people = bot("lock", "--checkout", str(clone))

    assert status == 1, people
    assert document["gone"] == [{"package": "lost", "url": "https://git.example/lost", "sha": "0" * 40}]
    assert f"gone: lost at {'0' * 40} is no longer in https://git.example/lost" in people


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--add", "--index=x"], 2, "is no package"),
        (["--add", "a; rm -rf /"], 2, "is no package"),
    ],
)
def test_bad_words_start_nothing(bot, clone, words, status, message):
    ended, document, _ = bot("lock", "--checkout", str(clone), *words)

    assert ended == status
    assert message in document["error"]["message"]


def test_without_a_clone_it_says_what_is_possible(bot):
    status, document, _ = bot("lock")

    assert status == 3
    assert "--checkout" in document["error"]["hint"]
