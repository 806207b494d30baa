"""A plain folder: its files, and nothing outside."""

import pytest

from bot.checkout.folder import Folder
from bot.core.errors import Refused, UsageError
from tests.adapters.clones import put


@pytest.fixture
def folder(tmp_path):
    put(tmp_path / "top", {"b.json": b"1", "deep/er/a.json": b"2", "c.txt": b"3"})
    (tmp_path / "top" / "folder.json").mkdir()
    return Folder.open(tmp_path / "top")


def test_files_are_listed_in_order_by_their_end(folder):
    assert folder.files(".json") == ("b.json", "deep/er/a.json")
    assert folder.label.endswith("/top")


def test_bytes_come_as_they_are(folder):
    assert folder.read(["deep/er/a.json", "nowhere", "folder.json"]) == {
        "deep/er/a.json": b"2",
        "nowhere": None,
        "folder.json": None,
    }


@pytest.mark.parametrize("path", ["nowhere", "top/b.json", "x\0y"])
def test_what_is_no_folder_is_said(folder, tmp_path, path):
    with pytest.raises(UsageError, match="is not a folder"):
        Folder.open(tmp_path / path)


def test_nothing_outside_is_read(folder, tmp_path):
    put(tmp_path, {"secret.json": b"x"})
    (folder.top / "link.json").symlink_to(tmp_path / "secret.json")

    assert folder.read(["link.json"]) == {"link.json": None}
    with pytest.raises(Refused):
        folder.read(["../secret.json"])
