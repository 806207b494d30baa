"""Objects, history and differences are git's own."""

import hashlib
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from bot.lab.git import Git, GitError, Signature

NOON = datetime(2026, 5, 7, 12, tzinfo=UTC)
ANN = Signature("Ann", "ann@example.org", NOON)


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git.create(tmp_path / "bare.git")


def tree_of(git: Git, **files: str) -> str:
    entries = [
        (path.replace("__", "/"), "100644", git.write_blob(text.encode())) for path, text in files.items()
    ]
    return git.write_tree(None, entries)


def commit(git: Git, tree: str, *parents: str, message: str = "Work") -> str:
    return git.write_commit(tree, parents, message, ANN, ANN)


def test_a_blob_has_the_id_that_the_format_of_git_gives_it(git: Git):
    content = b"26.06\r\n\xff"
    assert git.write_blob(content) == hashlib.sha1(b"blob 8\x00" + content).hexdigest()


def test_bytes_come_back_as_they_were(git: Git):
    content = b"\xef\xbb\xbfa\r\nb\x00"
    assert git.read_blob(git.write_blob(content)) == content


def test_a_tree_on_a_base_changes_only_what_is_named(git: Git):
    base = tree_of(git, a="1", dir__b="2", dir__deep__c="3")
    new = git.write_tree(base, [("dir/b", "100755", git.write_blob(b"two")), ("dir/deep/c", "100644", None)])
    entries = {
        entry.path: (entry.mode, git.read_blob(entry.sha))
        for entry in git.tree(new, recursive=True)
        if entry.kind == "blob"
    }
    assert entries == {"a": ("100644", b"1"), "dir/b": ("100755", b"two")}


def test_the_same_files_are_the_same_tree_in_whatever_order(git: Git):
    assert tree_of(git, a="1", z__b="2") == tree_of(git, z__b="2", a="1")


def test_a_commit_is_read_back_as_it_was_written(git: Git):
    tree = tree_of(git, a="1")
    parent = commit(git, tree)
    east = Signature("Ma\u0142gorzata", "m@example.org", NOON.astimezone(timezone(timedelta(hours=2))))
    sha = git.write_commit(tree, [parent], "Subject\n\nBody: x\n\nSigned-off-by: a\n", east, ANN)
    found = git.commit(sha)
    assert (found.tree, found.parents, found.author, found.committer) == (tree, (parent,), east, ANN)
    assert found.message == "Subject\n\nBody: x\n\nSigned-off-by: a"


def test_history_is_listed_oldest_first(git: Git):
    first = commit(git, tree_of(git, a="1"))
    second = commit(git, tree_of(git, a="2"), first)
    third = commit(git, tree_of(git, a="3"), second)
    assert git.commits(third, f"^{first}") == (second, third)
    assert git.merge_base(second, third) == second
    assert git.is_ancestor(first, third)
    assert not git.is_ancestor(third, first)


def test_a_merge_is_tried_without_a_work_tree(git: Git):
    base = commit(git, tree_of(git, a="1\n", b="1\n"))
    ours = commit(git, tree_of(git, a="2\n", b="1\n"), base)
    theirs = commit(git, tree_of(git, a="1\n", b="2\n"), base)
    other = commit(git, tree_of(git, a="3\n", b="1\n"), base)
    assert git.merged_tree(ours, theirs) == tree_of(git, a="2\n", b="2\n")
    assert git.merged_tree(ours, other) is None


def test_a_difference_names_each_file_once(git: Git):
    old = tree_of(git, gone="x\n", kept="1\n2\n", same="s\n")
    new = git.write_tree(
        tree_of(git, kept="1\nzwei\n3\n", same="s\n"), [("new file", "100644", git.write_blob(b"\x00\x01"))]
    )
    changes = git.diff(old, new)
    assert [(change.path, change.status, change.additions, change.deletions) for change in changes] == [
        ("gone", "removed", 0, 1),
        ("kept", "modified", 2, 1),
        ("new file", "added", 0, 0),
    ]
    assert changes[1].patch == "@@ -1,2 +1,3 @@\n 1\n-2\n+zwei\n+3"
    assert changes[2].patch is None


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("f" * 40, id="an unknown id"),
        pytest.param("--all", id="an option"),
        pytest.param("main:nope", id="a path of no branch"),
        pytest.param("refs/heads/none", id="no ref"),
    ],
)
def test_what_is_not_there_resolves_to_nothing(git: Git, expression: str):
    assert git.resolve(expression) is None


def test_a_path_of_a_commit_resolves_to_its_blob(git: Git):
    sha = commit(git, tree_of(git, dir__a="1"))
    assert git.resolve(f"{sha}:dir/a") == git.write_blob(b"1")
    assert git.resolve(f"{sha}:dir/b") is None


@pytest.mark.parametrize(
    ("name", "accepted"),
    [
        pytest.param("refs/heads/bot/base-image/main/dev-26.06-py3", True, id="slashes and dots"),
        pytest.param("refs/heads/a..b", False, id="two dots"),
        pytest.param("refs/heads/a b", False, id="a blank"),
        pytest.param("refs/heads/", False, id="no name"),
    ],
)
def test_git_decides_what_a_ref_may_be_called(git: Git, name: str, accepted: bool):
    assert git.is_ref_name(name) is accepted


def test_what_git_refuses_is_said_in_its_own_words(git: Git):
    with pytest.raises(GitError, match="bad file"):
        git.read_blob("f" * 40)


def test_the_repository_is_one_that_git_finds_sound(git: Git):
    git.set_ref("refs/heads/main", commit(git, tree_of(git, a="1", b__c="2")))
    subprocess.run(["git", f"--git-dir={git.directory}", "fsck", "--strict"], check=True, capture_output=True)
    assert list(git.refs("refs/heads/")) == ["refs/heads/main"]
