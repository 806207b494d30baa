"""Branches and commits, as every code host has them: in memory, on the lab, on `emulate`."""

import pytest

from bot.core.errors import Refused
from tests.contracts.stages import FILES, NEW, PIN, branch_off, commit

NO_SHA = "0123456789" * 4


def test_a_branch_of_the_repository_has_a_head(stage, host):
    sha = stage.push("main", {"new.txt": b"new"})

    assert host.base_head("main").sha == sha


def test_a_branch_that_is_not_there_has_no_head(host):
    assert host.base_head("no-such-branch") is None
    assert host.bot_head("no-such-branch") is None
    assert host.mirror_head(7) is None


def test_a_branch_is_not_found_by_the_beginning_of_its_name(host):
    branch_off(host, "bot/base-image/main/dev-26.06-py3")

    assert host.bot_head("bot/base-image/main/dev-26.06") is None
    assert host.bot_head("bot/base-image") is None


def test_a_commit_changes_its_files_and_no_others(full_stage):
    host = full_stage.host
    sha = branch_off(host, files={**NEW, "docker/new/file": b"made"})

    assert host.bot_head("bot/bump") == sha
    found = host.read(sha, [*FILES, "docker/new/file"])
    assert found == {**FILES, **NEW, "docker/new/file": b"made"}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"one line", id="no newline at the end"),
        pytest.param(b"a\r\nb\r\n", id="carriage returns"),
        pytest.param(b"\xef\xbb\xbfa\n", id="byte order mark"),
        pytest.param("naïve 😀\n".encode(), id="beyond the basic plane"),
        pytest.param(b"caf\xe9\n", id="not UTF-8"),
        pytest.param(b"\x00\x01\xff" * 10, id="binary"),
        pytest.param(b"x" * 1_100_000, id="more than a megabyte"),
    ],
)
def test_bytes_come_back_as_they_were_written(full_stage, content):
    host = full_stage.host

    sha = branch_off(host, files={"docker/Dockerfile": content})

    assert host.read(sha, ["docker/Dockerfile"]) == {"docker/Dockerfile": content}


def test_where_there_is_no_file_nothing_is_read(full_stage):
    host = full_stage.host

    found = host.read(host.base_head("main").sha, ["missing", "docker", "docker/missing", "README.md/x"])

    assert set(found.values()) == {None}


def test_many_files_are_read_at_once(full_stage):
    host = full_stage.host
    files = {f"goldens/{n}.json": f"{n}".encode() for n in range(110)}

    assert host.read(full_stage.push("main", files), tuple(files)) == files


def test_files_of_a_commit_that_is_not_there_are_refused(full_stage):
    with pytest.raises(Refused):
        full_stage.host.read(NO_SHA, [PIN])


def test_a_tree_is_known_before_it_is_made(host):
    tree = host.base_head("main").tree
    files = {**NEW, "docker/new/file": b"made", "docker.txt": b"sorts before the folder", "latin": b"\xe9"}

    expected = host.tree_id(tree, files)

    assert expected != tree
    assert host.write_tree(tree, files) == expected


def test_a_tree_without_a_change_is_the_same_tree(host):
    tree = host.base_head("main").tree

    assert host.write_tree(tree, {}) == tree
    assert host.write_tree(tree, {PIN: FILES[PIN]}) == tree


def test_commits_come_oldest_first_with_those_of_others(stage, host):
    base = host.base_head("main")
    first = branch_off(host)
    theirs = stage.push("bot/bump", {"fix.py": b"fix"}, into=host.push_repository)
    stage.push("main", {"elsewhere": b"meanwhile"})

    found = host.commits("main", theirs)

    assert found.merge_base == base
    assert [it.sha for it in found.commits] == [first, theirs]
    assert [it.subject for it in found.commits] == ["Move the pin", "Work"]
    assert [it.parents for it in found.commits] == [(base.sha,), (first,)]
    assert found.commits[0].tree == host.tree_id(base.tree, NEW)
    assert found.complete


def test_a_commit_that_the_base_has_adds_nothing(stage, host):
    old = host.base_head("main")
    stage.push("main", {"elsewhere": b"meanwhile"})

    found = host.commits("main", old.sha)

    assert found.commits == ()
    assert found.merge_base == old


def test_a_branch_is_not_made_twice(host):
    first = branch_off(host)

    with pytest.raises(Refused):
        branch_off(host)

    assert host.bot_head("bot/bump") == first


def test_a_branch_moves_forward(host):
    branch_off(host)
    sha = commit(
        host, {"README.md": b"more"}, parent=host.commits("main", host.bot_head("bot/bump")).commits[-1]
    )

    host.advance_branch("bot/bump", sha)

    assert host.bot_head("bot/bump") == sha


def test_a_branch_on_which_somebody_pushed_is_left_alone(stage, host):
    branch_off(host)
    mine = commit(host, {"README.md": b"other"})
    theirs = stage.push("bot/bump", {"fix.py": b"fix"}, into=host.push_repository)

    with pytest.raises(Refused):
        host.advance_branch("bot/bump", mine)

    assert host.bot_head("bot/bump") == theirs


def test_a_branch_that_is_gone_is_not_moved(host):
    with pytest.raises(Refused):
        host.advance_branch("bot/bump", host.base_head("main").sha)


def test_a_mirror_is_the_branch_of_its_pull_request(stage, host):
    base = host.base_head("main").sha
    stage.point("pull-request/12", base)

    assert host.mirror_head(12) == base
    assert host.mirror_head(1) is None
