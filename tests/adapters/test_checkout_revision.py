"""A clone at any of its commits: what a file held there, and which files differ from it."""

import os

import pytest

from bot.checkout.clone import Checkout
from bot.core.errors import Refused, UsageError
from tests.adapters.clones import ENVIRON, git, make_clone, put

FIRST = {"a.json": b"1\n", "deep/b.json": b"2\r\n", "gone.json": b"3"}


@pytest.fixture
def clone(tmp_path):
    """A clone of two commits, the first one tagged."""
    folder = make_clone(tmp_path / "clone", FIRST)
    git(folder, "tag", "first")
    put(folder, {"a.json": b"one\n", ".gitignore": b"ignored.json\n"})
    (folder / "gone.json").unlink()
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=second")
    return folder


@pytest.fixture
def checkout(clone):
    return Checkout.open(clone, ENVIRON)


@pytest.mark.parametrize("revision", ["first", "HEAD^", "HEAD~1", "main^", "refs/tags/first"])
def test_files_are_read_at_the_commit_that_is_named(checkout, revision):
    assert checkout.read_at(revision, [*FIRST, ".gitignore"]) == {**FIRST, ".gitignore": None}


def test_a_commit_is_named_by_its_sha_too(clone, checkout):
    sha = git(clone, "rev-parse", "first").strip()

    assert checkout.read_at(sha[:10], ["a.json"]) == {"a.json": b"1\n"}


def test_files_that_differ_are_named_in_order(clone, checkout):
    put(clone, {"deep/new.json": b"4", "ignored.json": b"5", "staged.json": b"6", "with blank\t.json": b"7"})
    git(clone, "add", "staged.json")
    (clone / "deep" / "b.json").unlink()

    assert checkout.changed("HEAD") == ("deep/b.json", "deep/new.json", "staged.json", "with blank\t.json")
    assert checkout.changed("first") == (
        ".gitignore",
        "a.json",
        "deep/b.json",
        "deep/new.json",
        "gone.json",
        "staged.json",
        "with blank\t.json",
    )


def test_nothing_differs_in_a_fresh_clone(checkout):
    assert checkout.changed("HEAD") == ()


def test_a_folder_below_shows_the_whole_clone(clone):
    put(clone, {"a.json": b"changed", "deep/c.json": b"new"})

    assert Checkout.open(clone / "deep", ENVIRON).changed("HEAD") == ("a.json", "deep/c.json")


def test_a_repository_inside_the_clone_is_not_ours(clone, checkout):
    make_clone(clone / "inner", {"x.json": b"x"})

    assert checkout.changed("HEAD") == ()


def test_a_program_for_differences_is_not_started(clone, checkout, tmp_path):
    (clone / ".gitattributes").write_text("*.json diff=evil filter=evil\n")
    for key in ("diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean"):
        git(clone, "config", key, f"touch {tmp_path / 'started'}; cat")
    put(clone, {"a.json": b"changed"})

    assert Checkout.open(clone, ENVIRON).changed("HEAD") == (".gitattributes", "a.json")
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    "revision",
    ["nowhere", "HEAD^{tree}", "HEAD:a.json", "--all", "-x", "", "a\nb", "a\0b", "HEAD..first", "@{9}"],
)
def test_what_names_no_commit_is_said(checkout, revision):
    for read in (lambda: checkout.read_at(revision, ["a.json"]), lambda: checkout.changed(revision)):
        with pytest.raises(UsageError, match="names no commit of the clone"):
            read()


def test_a_path_out_of_the_clone_is_refused(checkout):
    with pytest.raises(Refused):
        checkout.read_at("HEAD", ["../a.json"])


@pytest.mark.skipif(os.name != "posix", reason="names of bytes")
def test_a_name_that_is_no_text_is_a_name(clone, checkout):
    name = os.fsdecode(b"caf\xe9.json")
    put(clone, {name: b"x"})

    assert checkout.changed("HEAD") == (name,)
    assert checkout.read([name]) == {name: b"x"}
