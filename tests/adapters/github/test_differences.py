"""What GitHub says of two commits is believed as far as the trees prove it."""

import pytest

from bot.core.blob import blob_id
from bot.core.host import Change, Differences, Head, Node
from bot.github.differences import differ
from bot.github.trees import moved, root_id
from tests.contracts.stages import FILES, branch_off

FILE, FOLDER = "100644", "040000"
A, B = (Node(FILE, letter * 40) for letter in "ab")


def changed(stage, files):
    """Push `files` onto a branch of the bot, and return what differs from the base."""
    host = stage.host
    base = host.base_head("main")
    branch_off(host, files={"README.md": b"ours"})
    sha = stage.push("bot/bump", files, into=host.push_repository)
    return host.differences(base, Head(sha, host.commits("main", sha).commits[-1].tree))


def test_three_hundred_files_are_all_of_them(stage_of):
    found = changed(stage_of("user"), {f"goldens/{n}.json": b"1" for n in range(299)})

    assert (len(found.files), found.complete) == (300, True)


def test_more_files_than_github_names_are_not_taken_for_all_of_them(stage_of):
    found = changed(stage_of("user"), {f"goldens/{n}.json": b"1" for n in range(300)})

    assert (len(found.files), found.complete) == (300, False)


@pytest.mark.parametrize(
    ("files", "kinds"),
    [
        pytest.param(
            {"docker/build/notes.txt": None, "docker/build": b"now a file"},
            (FOLDER, FILE),
            id="a folder that is a file now",
        ),
        pytest.param(
            {"docker/Dockerfile": None, "docker/Dockerfile/one": b"now below a folder"},
            (FILE, FOLDER),
            id="a file that is a folder now",
        ),
    ],
)
def test_a_file_may_give_way_to_a_folder_and_a_folder_to_a_file(stage_of, files, kinds):
    found = changed(stage_of("user"), files)

    [(_, change)] = [it for it in found.files.items() if it[0] in {"docker/build", "docker/Dockerfile"}]
    assert found.complete
    assert (change.before.mode, change.after.mode) == kinds


def test_a_fork_is_compared_with_its_parent(stage_of):
    found = changed(stage_of("fork"), {"docker/Dockerfile": b"FROM x\n"})

    assert found == Differences(
        {
            "README.md": Change(Node(FILE, blob_id(FILES["README.md"])), Node(FILE, blob_id(b"ours"))),
            "docker/Dockerfile": Change(
                Node(FILE, blob_id(FILES["docker/Dockerfile"])), Node(FILE, blob_id(b"FROM x\n"))
            ),
        }
    )


def test_a_path_that_github_names_and_that_did_not_change_is_no_difference():
    listing = {"a": A, "b": A}
    tree = root_id(listing, {}, {"b": B})

    assert differ(listing, {"a": A, "b": B}, ["a", "b"], tree) == Differences({"b": Change(A, B)})


def test_a_tree_that_does_not_come_out_is_said():
    assert not differ({"a": A}, {"a": B}, ["a"], "0" * 40).complete


def test_objects_go_into_a_tree_by_their_ids():
    nodes = {
        "file": A,
        "script": Node("100755", "c" * 40),
        "link": Node("120000", "d" * 40),
        "module": Node("160000", "e" * 40),
        "folder": Node(FOLDER, "f" * 40),
        "old": None,
        "none": None,
    }

    assert moved(nodes, {"old": B}) == [
        {"path": "file", "mode": FILE, "type": "blob", "sha": "a" * 40},
        {"path": "script", "mode": "100755", "type": "blob", "sha": "c" * 40},
        {"path": "link", "mode": "120000", "type": "blob", "sha": "d" * 40},
        {"path": "module", "mode": "160000", "type": "commit", "sha": "e" * 40},
        {"path": "folder", "mode": FOLDER, "type": "tree", "sha": "f" * 40},
        {"path": "old", "mode": FILE, "type": "blob", "sha": None},
    ]
