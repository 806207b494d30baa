"""Trees as git makes them, and how they are sent."""

import subprocess

import pytest

from bot.core.blob import blob_id
from bot.core.errors import Refused
from bot.core.host import Node
from bot.github.trees import batches, entries, folders, root_id

FILES = {
    "docker": b"a file beside the folder's likes",
    "docker.txt": b"sorts between",
    "folder/inner/deep.txt": b"deep",
    "folder/run.sh": b"echo",
    "folder-two/x": b"x",
    "z": b"z",
}


class Git:
    """A repository without a working tree, driven by git itself."""

    def __init__(self, folder):
        self.folder = folder
        self("init", "--bare", "--quiet")

    def __call__(self, *args, data=b""):
        run = subprocess.run(["git", *args], cwd=self.folder, input=data, capture_output=True, check=True)
        return run.stdout.decode().strip()

    def stage(self, path, data, mode="100644"):
        sha = self("hash-object", "-w", "--stdin", data=data)
        self("update-index", "--add", "--cacheinfo", f"{mode},{sha},{path}")

    def listing(self, tree):
        lines = (line.split(maxsplit=3) for line in self("ls-tree", "-r", "-t", tree).splitlines())
        return {path: Node(mode, sha) for mode, _, sha, path in lines}


@pytest.fixture
def git(tmp_path):
    git = Git(tmp_path)
    for path, data in FILES.items():
        git.stage(path, data, "100755" if path.endswith(".sh") else "100644")
    git.stage("link", b"z", "120000")
    return git


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"z": b"new"}, id="a file of the root"),
        pytest.param({"folder/inner/deep.txt": b"new", "docker.txt": b"new"}, id="two depths at once"),
        pytest.param({"folder/run.sh": b"echo 2"}, id="an executable file"),
        pytest.param({"made/new/file": b"new", "folder/inner/other": b"new"}, id="files that were not there"),
        pytest.param({"folder.d/x": b"new", "folder0": b"new"}, id="names that sort around a folder"),
        pytest.param({"naïve/é": b"new"}, id="names beyond ASCII"),
    ],
)
def test_the_tree_gets_the_id_that_git_gives_it(git, changed):
    listing = git.listing(git("write-tree"))
    for path, data in changed.items():
        git.stage(path, data, "100755" if path.endswith(".sh") else "100644")

    assert root_id(listing, changed) == git("write-tree")


def test_an_executable_file_stays_executable():
    listing = {"run.sh": Node("100755", "0" * 40), "plain": Node("100644", "0" * 40)}

    sent = entries(listing, {"run.sh": b"a", "plain": b"a", "new": b"a"})

    assert [it["mode"] for it in sent] == ["100755", "100644", "100644"]


@pytest.mark.parametrize("mode", ["120000", "040000", "160000"], ids=["symbolic link", "folder", "submodule"])
@pytest.mark.parametrize("use", [entries, root_id])
def test_only_files_are_replaced(mode, use):
    with pytest.raises(Refused) as caught:
        use({"pin": Node(mode, "0" * 40)}, {"pin": b"new"})

    assert caught.value.path == "pin"


@pytest.mark.parametrize("use", [entries, root_id])
def test_a_file_does_not_give_way_to_a_folder(use):
    with pytest.raises(Refused, match="no folder") as caught:
        use({"docker": Node("100644", "0" * 40)}, {"docker/pin": b"new"})

    assert caught.value.path == "docker"


@pytest.mark.parametrize(
    ("data", "content"),
    [
        pytest.param(b"a\r\nb", {"content": "a\r\nb"}, id="text"),
        pytest.param(b"\xef\xbb\xbfa", {"content": "\ufeffa"}, id="byte order mark"),
        pytest.param(b"", {"content": ""}, id="empty"),
        pytest.param(b"caf\xe9", {"sha": blob_id(b"caf\xe9")}, id="not UTF-8"),
        pytest.param(b"a\0b", {"sha": blob_id(b"a\0b")}, id="zero bytes"),
    ],
)
def test_text_goes_inline_and_other_bytes_as_a_blob(data, content):
    (sent,) = entries({}, {"path": data})

    assert sent == {"path": "path", "mode": "100644", "type": "blob", **content}


def sized(*sizes):
    return [{"path": str(n), "content": "x" * (size - 28)} for n, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "batched"),
    [
        pytest.param((), [], id="nothing"),
        pytest.param((400, 500), [2], id="all in one"),
        pytest.param((500, 500), [2], id="exactly full"),
        pytest.param((500, 501), [1, 1], id="one byte too much"),
        pytest.param((600, 300, 200), [2, 1], id="cut where it is full"),
        pytest.param((100, 5000, 100), [1, 1, 1], id="a large one stands alone"),
    ],
)
def test_entries_are_cut_by_their_size(sizes, batched):
    made = sized(*sizes)

    cut = list(batches(made, limit=1000))

    assert [len(batch) for batch in cut] == batched
    assert [entry for batch in cut for entry in batch] == made


def test_folders_come_parents_first():
    assert folders(("a/b/c", "a/d", "e")) == ("a", "a/b")
