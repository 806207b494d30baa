"""A few files out of large artifacts: what is read, and how little is asked for."""

import io
import random
import threading
import zipfile

import pytest
from hypothesis import given
from hypothesis import settings as checks
from hypothesis import strategies as st

from bot import wiring
from bot.core.ci import Contents, Entry, Unreadable
from bot.core.zip_end import TAIL
from bot.core.zip_rules import ZipLimits
from bot.settings import Settings
from tests.adapters.artifact_store import artifact
from tests.adapters.registry.stub_server import Reply
from tests.fakes.hostile_zips import GOLDEN, JSON
from tests.fakes.zips import field, streamed, zip64, zipped

NOISE = random.Random(0).randbytes(100_000)
RANKS = {f"logs/0/attempt_0/{rank}/stderr.log": NOISE[rank:] for rank in range(8)}
GOLDEN_FIRST = zipped({GOLDEN: JSON, **RANKS})


def is_golden(name: str) -> bool:
    return name == GOLDEN


def test_a_golden_costs_the_end_of_the_zip_and_itself(store):
    found = store.read_only(GOLDEN_FIRST, is_golden)

    assert found.files == {GOLDEN: JSON}
    assert found.entries == (Entry(GOLDEN, len(JSON)), *(Entry(n, len(c)) for n, c in RANKS.items()))
    size, second = len(GOLDEN_FIRST), field(GOLDEN_FIRST, "start", 1)
    assert store.asked == [f"{size - TAIL}-{size - 1}", f"0-{second - 1}"]


def test_a_small_artifact_costs_one_request(store):
    data = zipped({GOLDEN: JSON, "logs/0.log": b"x"})

    assert store.read_only(data).files == {GOLDEN: JSON, "logs/0.log": b"x"}
    assert store.asked == [f"0-{len(data) - 1}"]


def test_neighbours_are_asked_for_at_once(store):
    found = store.read_only(GOLDEN_FIRST, lambda name: name == GOLDEN or "/0/std" in name or "/4/" in name)

    assert {name: len(content) for name, content in found.files.items()} == {
        GOLDEN: len(JSON),
        "logs/0/attempt_0/0/stderr.log": 100_000,
        "logs/0/attempt_0/4/stderr.log": 99_996,
    }
    third, sixth, seventh = (field(GOLDEN_FIRST, "start", number) for number in (2, 5, 6))
    assert store.asked[1:] == [f"0-{third - 1}", f"{sixth}-{seventh - 1}"]


def test_nothing_wanted_lists_the_entries(store):
    found = store.read_only(GOLDEN_FIRST, lambda _: False)

    assert (len(found.entries), found.files, len(store.received)) == (9, {}, 1)


@pytest.mark.parametrize("make", [zipped, streamed, zip64])
def test_every_kind_of_zip_is_read(store, make):
    assert store.read_only(make({**RANKS, GOLDEN: JSON})).files == {**RANKS, GOLDEN: JSON}


def test_folders_are_no_files(store):
    found = store.read_only(zipped([("logs/", b""), (GOLDEN, JSON)]))

    assert found == Contents((Entry(GOLDEN, len(JSON)),), {GOLDEN: JSON})


def test_a_hundred_thousand_entries_are_listed(store):
    names = [f"logs/{number:06}/stdout.log" for number in range(100_000)]
    data = zipped({**dict.fromkeys(names, b""), GOLDEN: JSON}, zipfile.ZIP_STORED)

    found = store.read_only(data, is_golden)

    assert [entry.name for entry in found.entries] == [*names, GOLDEN]
    assert found.files == {GOLDEN: JSON}
    assert len(store.received) == 3


@pytest.mark.parametrize("listed", [0, 1, 300, 10_000, len(GOLDEN_FIRST) - 1, len(GOLDEN_FIRST) + 1, 10**12])
def test_the_size_in_the_list_may_be_wrong(store, listed):
    store.zips = {1: GOLDEN_FIRST}

    found = store.reader().read([artifact(1, listed)], lambda _, name: is_golden(name))[1]

    assert found.files == {GOLDEN: JSON}


def test_an_expired_artifact_is_not_asked_for(store):
    found = store.reader().read([artifact(1, 10, expired=True)], lambda *_: True)

    assert found == {1: Unreadable("the artifact has expired")}
    assert (store.located, store.received) == ([], [])


def test_what_is_wrong_with_one_artifact_stops_no_other(store):
    store.zips = {1: GOLDEN_FIRST, 2: b"<html>", 4: zipped({"other.json": b"{}"})}
    asked = [*store.artifacts, artifact(3, 500)]

    found = store.reader().read(asked, lambda it, name: it.id == 4 or is_golden(name))

    assert found[1].files == {GOLDEN: JSON}
    assert found[2] == Unreadable("the artifact is no zip, or only the beginning of one")
    assert found[3] == Unreadable("the artifact is gone: `127.0.0.1` answered with status 404")
    assert found[4].files == {"other.json": b"{}"}


def test_no_artifacts_are_no_question(store):
    assert store.reader().read([], lambda *_: True) == {}


class Together:
    """Lets three through at a time, and counts those that wait: fails where there are never three."""

    def __init__(self) -> None:
        self.barrier = threading.Barrier(3)
        self.lock = threading.Lock()
        self.inside = self.most = 0

    def wait(self) -> None:
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        self.barrier.wait(timeout=20)
        with self.lock:
            self.inside -= 1


def test_addresses_are_asked_for_side_by_side_but_not_all_at_once(store):
    store.zips, together = dict.fromkeys(range(12), zipped({GOLDEN: JSON})), Together()

    def locate(number: int) -> str:
        together.wait()
        return store.locate(number)

    found = store.reader(locate, concurrency=3).read(store.artifacts, lambda *_: True)

    assert all(it.files == {GOLDEN: JSON} for it in found.values())
    assert together.most == 3


def test_parts_are_asked_for_side_by_side_but_not_all_at_once(store):
    store.zips, together = dict.fromkeys(range(12), zipped({GOLDEN: JSON})), Together()

    def wait(reply: Reply) -> Reply:
        together.wait()
        return reply

    store.script = [wait] * 12

    found = store.reader(concurrency=3).read(store.artifacts, lambda *_: True)

    assert all(it.files == {GOLDEN: JSON} for it in found.values())
    assert together.most == 3


def test_a_store_that_sends_no_parts_is_read_as_a_whole(store):
    store.ranges = False

    found = store.read_only(GOLDEN_FIRST, is_golden)

    assert (len(found.entries), found.files) == (9, {GOLDEN: JSON})
    assert store.asked[1:] == ["all"]
    assert store.located == [1]


@pytest.mark.parametrize("length", [True, False])
def test_a_whole_artifact_has_a_limit(store, length):
    store.ranges = False
    without = {} if length else {"Content-Length": []}
    store.script = [None, lambda reply: Reply(200, reply.body, without)]

    found = store.read_only(GOLDEN_FIRST, is_golden, limits=ZipLimits(download=100_000))

    assert found == Unreadable(
        "the artifact is larger than 100000 bytes, and no part of it is to be had alone"
    )


NAMES = st.text(st.characters(exclude_categories=["C"], exclude_characters="\\:/"), min_size=1, max_size=20)
FILES = st.dictionaries(
    NAMES.filter(lambda name: name != ".."), st.binary(max_size=400) | st.just(NOISE), max_size=6
)


@checks(deadline=None, max_examples=60)
@given(files=FILES, chosen=st.sets(st.integers(0, 5)), make=st.sampled_from([zipped, streamed, zip64]))
def test_what_is_read_equals_what_zipfile_reads_of_the_whole(shared_store, files, chosen, make):
    data = make(files)
    wanted = {name for number, name in enumerate(files) if number in chosen}

    found = shared_store.read_only(data, lambda name: name in wanted)

    with zipfile.ZipFile(io.BytesIO(data)) as whole:
        assert found.files == {name: whole.read(name) for name in wanted}
        assert found.entries == tuple(Entry(it.filename, it.file_size) for it in whole.infolist())


@pytest.mark.parametrize("setting", ["github_api_url", "gitlab_url"])
def test_the_reader_of_the_settings_reads_from_the_servers_in_them(store, setting):
    store.zips = {1: GOLDEN_FIRST}
    reader = wiring.artifact_reader(Settings(**{setting: store.url}), store.locate)

    assert reader.read(store.artifacts, lambda _, name: is_golden(name))[1].files == {GOLDEN: JSON}
