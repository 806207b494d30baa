"""Hostile artifacts over the wire: each is refused with its reason, whichever way it is read."""

import asyncio
import random
import zipfile

import pytest

from bot.artifacts.directory import read_zip
from bot.core.ci import Unreadable
from bot.core.zip_rules import BadZipError, Span, ZipLimits
from tests.fakes.hostile_zips import GOLDEN, HOSTILE, JSON
from tests.fakes.zips import put, streamed, zip64, zipped


@pytest.mark.parametrize("ranges", [True, False], ids=["by ranges", "as a whole"])
@pytest.mark.parametrize(("data", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_artifact_is_refused(store, data, reason, ranges):
    store.ranges = ranges

    found = store.read_only(data, lambda name: name == GOLDEN)

    page = "`127.0.0.1` answered with a page for people instead of the artifact"
    is_page = data.startswith(b"<") and not ranges
    assert found == Unreadable(page if is_page else f"the artifact {reason}")


def test_an_empty_artifact_is_said_to_be_empty(store):
    assert store.read_only(b"") == Unreadable("the artifact is empty")


MANY = zipped({f"{number:05}": b"" for number in range(3_000)}, zipfile.ZIP_STORED)


def test_too_many_entries_are_refused_before_they_are_parsed(store):
    found = store.read_only(MANY, limits=ZipLimits(entries=2_999))

    assert found == Unreadable("the artifact has more than 2999 entries")


def test_a_directory_that_is_too_large_is_not_fetched(store):
    found = store.read_only(MANY, limits=ZipLimits(directory=100_000))

    assert found == Unreadable("the artifact has a directory of more than 100000 bytes")
    assert len(store.received) == 1


class Memory:
    """The bytes of a zip, here."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)

    async def fetch(self, span: Span) -> bytes:
        return self.data[span.start : span.stop]


def read_here(data: bytes):
    return asyncio.run(read_zip(Memory(data), lambda _: True, ZipLimits()))


FILES = {GOLDEN: JSON, "logs/0.log": b"rank 0\n" * 30, "logs/1.log": b""}


@pytest.mark.parametrize("make", [zipped, streamed, zip64])
def test_damage_anywhere_gives_a_reason_and_never_wrong_bytes(make):
    good, chance, read = make(FILES), random.Random(make.__name__), 0
    for _ in range(1_000):
        data = put(good, chance.randrange(len(good)), chance.randbytes(chance.choice([1, 4])))[: len(good)]
        try:
            found = read_here(data)
        except BadZipError:
            continue
        read += 1
        assert set(found.files.values()) <= set(FILES.values())

    assert 0 < read < 1_000


@pytest.mark.parametrize("make", [zipped, streamed, zip64])
def test_a_zip_that_is_cut_anywhere_is_not_read(make):
    good = make(FILES)
    for length in range(1, len(good)):
        with pytest.raises(BadZipError, match="is no zip, or only the beginning of one"):
            read_here(good[:length])
