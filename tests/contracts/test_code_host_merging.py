"""What merging and undoing need of a code host: differences, objects that are there, two parents."""

import pytest

from bot.core.blob import blob_id
from bot.core.host import Change, Head, Node
from tests.contracts.stages import FILES, NEW, PIN, branch_off

PLAIN = "100644"


def head_of(host, sha):
    """Return a commit on `bot/bump` with its tree."""
    found = {it.sha: it.tree for it in host.commits("main", host.bot_head("bot/bump")).commits}
    return Head(sha, found[sha])


def file(data):
    return Node(PLAIN, blob_id(data))


def test_the_files_that_differ_are_named_with_what_was_and_is_there(full_stage):
    host = full_stage.host
    base = host.base_head("main")
    branch_off(host, files={**NEW, "docker/new/file": b"made"})
    sha = full_stage.push("bot/bump", {"README.md": None}, into=host.push_repository)

    found = host.differences(base, head_of(host, sha))

    assert found.complete
    assert found.files == {
        PIN: Change(file(FILES[PIN]), file(NEW[PIN])),
        "docker/new/file": Change(None, file(b"made")),
        "README.md": Change(file(FILES["README.md"]), None),
    }


def test_a_file_that_moved_differs_in_both_places(full_stage):
    host = full_stage.host
    base = host.base_head("main")
    branch_off(host)
    moved = {"docker/Dockerfile": None, "images/Dockerfile": FILES["docker/Dockerfile"]}
    sha = full_stage.push("bot/bump", moved, into=host.push_repository)

    found = host.differences(base, head_of(host, sha))

    assert found.complete
    assert found.files.keys() == {PIN, *moved}


def test_a_commit_does_not_differ_from_itself(full_stage):
    head = full_stage.host.base_head("main")

    assert full_stage.host.differences(head, head).files == {}


def test_a_tree_says_what_it_holds_at_a_path(full_stage):
    host = full_stage.host

    found = host.nodes(host.base_head("main").tree, [PIN, "docker", "docker/none", "none/at/all"])

    assert found[PIN] == file(FILES[PIN])
    assert found["docker"].mode == "040000"
    assert (found["docker/none"], found["none/at/all"]) == (None, None)


NODES = {
    "elsewhere/kept.md": file(FILES["README.md"]),
    "docker/build/notes.txt": None,
    "README.md": file(FILES["docker/Dockerfile"]),
}
NODES_AS_FILES = {
    "elsewhere/kept.md": FILES["README.md"],
    "docker/build/notes.txt": None,
    "README.md": FILES["docker/Dockerfile"],
}


def test_a_tree_is_made_of_texts_and_of_objects_that_are_there_already(full_stage):
    host = full_stage.host
    base = host.base_head("main")

    expected = host.tree_id(base.tree, NEW, NODES)
    tree = host.write_tree(base.tree, NEW, NODES)
    host.create_branch("bot/bump", host.write_commit(tree, base.sha, "Merge"))

    assert tree == expected
    everything = {**FILES, **NEW, **NODES_AS_FILES}
    assert host.read(host.bot_head("bot/bump"), tuple(everything)) == everything
    assert host.nodes(tree, ["docker/build"]) == {"docker/build": None}


def test_to_remove_what_is_not_there_changes_nothing(full_stage):
    host = full_stage.host
    tree = host.base_head("main").tree

    assert host.tree_id(tree, {}, {"none": None, "none/at/all": None}) == tree
    assert host.write_tree(tree, {}, {"none": None}) == tree


def test_a_commit_may_have_two_parents(full_stage):
    host = full_stage.host
    first = branch_off(host)
    theirs = full_stage.push("main", {"elsewhere": b"meanwhile"})
    base = host.base_head("main")

    merge = host.write_commit(host.write_tree(base.tree, NEW), first, "Merge", theirs)
    host.advance_branch("bot/bump", merge)

    found = host.commits("main", merge)
    assert [it.sha for it in found.commits] == [first, merge]
    assert found.commits[-1].parents == (first, theirs)
    assert found.merge_base == base


def opened(stage):
    branch_off(stage.host)
    return stage.host.open_pull_request("bot/bump", "main", "Move", "").number


@pytest.mark.parametrize(
    ("theirs", "conflicts"),
    [
        pytest.param({"elsewhere": b"meanwhile"}, False, id="another file"),
        pytest.param({PIN: b"nvcr.io/nvidia/pytorch:26.05-py3\n"}, True, id="the same file"),
        pytest.param(NEW, False, id="the same file, to the same text"),
    ],
)
def test_a_pull_request_conflicts_when_both_sides_changed_a_file(full_stage, theirs, conflicts):
    number = opened(full_stage)
    full_stage.push("main", theirs)

    assert full_stage.host.standing(number).conflicts is conflicts


def test_a_pull_request_stands_beside_a_commit_of_its_base(full_stage):
    host = full_stage.host
    base = host.base_head("main")
    number = opened(full_stage)

    standing = host.standing(number)

    assert standing.pull_request == host.pull_requests("bot/bump")[0]
    assert standing.base_sha == base.sha
    assert host.standing(number + 1000) is None


def test_a_closed_pull_request_conflicts_with_nothing_that_is_known(full_stage):
    number = opened(full_stage)
    full_stage.close(number)

    assert full_stage.host.standing(number).conflicts is None
