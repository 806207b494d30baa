"""Hostile artifacts over the wire: each is refused with its reason, whichever way it is read."""

import random
import zipfile

import pytest

from bot.core.ci import Contents, Unreadable
from bot.core.zip_rules import ZipLimits
from tests.fakes.hostile_zips import GOLDEN, GOOD, HOSTILE, JSON
from tests.fakes.zips import END, put, streamed, zip64, zipped


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


def test_a_directory_that_claims_the_whole_zip_is_not_read_as_one(store):
    data = zipped({GOLDEN: JSON, "noise": random.Random(1).randbytes(200_000)})
    end = data.rindex(END)
    claims_all = put(data, end + 12, end.to_bytes(4, "little") + b"\0\0\0\0")

    assert store.read_only(claims_all) == Unreadable("the artifact has a directory that cannot be read")


@pytest.mark.parametrize("make", [zipped, streamed, zip64])
def test_damage_anywhere_gives_a_reason_and_never_wrong_bytes(shared_store, make):
    good, chance = make({GOLDEN: JSON, "logs/0.log": b"rank 0\n" * 30}), random.Random(make.__name__)
    for _ in range(150):
        data = put(good, chance.randrange(len(good)), chance.randbytes(chance.choice([1, 4])))[: len(good)]

        found = shared_store.read_only(data)

        assert isinstance(found, Contents | Unreadable)
        if isinstance(found, Contents):
            assert set(found.files.values()) <= {JSON, b"rank 0\n" * 30}


def test_an_artifact_that_is_cut_anywhere_gives_a_reason(shared_store):
    for length in range(1, len(GOOD), 7):
        assert shared_store.read_only(GOOD[:length]) == Unreadable(
            "the artifact is no zip, or only the beginning of one"
        )
