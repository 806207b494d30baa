"""What every `ArtifactReader` does: the fake and the reader of zips over HTTP, by the same tests."""

from collections.abc import Mapping

import pytest

from bot.core.ci import Contents, Entry, Unreadable
from tests.adapters.artifact_store import artifact, running
from tests.fakes.artifact_reader import FakeArtifactReader
from tests.fakes.zips import zipped

FILES: Mapping[str, bytes] = {
    "golden_values_dev_dgx_h100.json": b"{}",
    "logs/0/stdout.log": b"one\r\n" * 9,
    "empty": b"",
}
ENTRIES = tuple(Entry(name, len(content)) for name, content in FILES.items())


@pytest.fixture(params=["in memory", "over HTTP"])
def reader(request):
    """A reader of two artifacts; there is no third one."""
    if request.param == "in memory":
        yield FakeArtifactReader({1: FILES, 2: {"other": b"x"}})
        return
    with running() as store:
        store.zips = {1: zipped(dict(FILES)), 2: zipped({"other": b"x"})}
        yield store.reader()


def test_all_entries_are_listed_and_the_wanted_ones_read(reader):
    found = reader.read([artifact(1)], lambda _, name: name.endswith(".json"))

    assert found == {1: Contents(ENTRIES, {"golden_values_dev_dgx_h100.json": b"{}"})}


def test_exact_bytes_are_read(reader):
    assert reader.read([artifact(1)], lambda *_: True) == {1: Contents(ENTRIES, FILES)}


def test_what_is_wanted_may_differ_by_artifact(reader):
    found = reader.read([artifact(1), artifact(2)], lambda it, name: it.id == 2 and name == "other")

    assert {number: dict(it.files) for number, it in found.items()} == {1: {}, 2: {"other": b"x"}}


@pytest.mark.parametrize("bad", [artifact(3), artifact(1, expired=True)], ids=["gone", "expired"])
def test_what_cannot_be_read_is_said_in_its_place(reader, bad):
    found = reader.read([bad, artifact(2)], lambda *_: True)

    assert isinstance(found[bad.id], Unreadable)
    assert found[2] == Contents((Entry("other", 1),), {"other": b"x"})


def test_nothing_asked_is_nothing_read(reader):
    assert reader.read([], lambda *_: True) == {}
