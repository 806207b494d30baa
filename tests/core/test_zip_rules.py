"""Zips from outside: which are read, and the exact reason why one is not."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.zip_end import TAIL, End, read_end, tail_span
from bot.core.zip_entry import unpack
from bot.core.zip_rules import (
    BadZipError,
    Span,
    ZipLimits,
    check_directory_size,
    check_entries,
    check_wanted,
    coalesced,
    is_folder,
    placed,
)
from tests.fakes.hostile_zips import GOLDEN, GOOD, HOSTILE, JSON, with_zip64_end
from tests.fakes.zips import END, changed, field, streamed, zip64, zipped

LIMITS = ZipLimits()


def read(data: bytes, wanted=GOLDEN, limits=LIMITS) -> dict[str, bytes]:
    """Read a zip that is here as a whole, by all the rules in their order."""
    end = read_end(data[tail_span(len(data)).start :], len(data))
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError):
        raise BadZipError("has a directory that cannot be read") from None
    check_entries(archive.infolist(), end.entries)
    entries = [
        (info, span) for info, span in placed(archive.infolist(), end.directory) if not is_folder(info)
    ]
    picked = [(info, span) for info, span in entries if wanted in (info.orig_filename, "all")]
    check_wanted([info for info, _ in picked], limits)
    return {info.orig_filename: unpack(info, data[span.start : span.stop]) for info, span in picked}


@pytest.mark.parametrize(("data", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_zip_is_refused_with_the_reason(data, reason):
    with pytest.raises(BadZipError) as caught:
        read(data)

    assert str(caught.value) == reason


FILES = {GOLDEN: JSON, "logs/0.log": b"rank 0\n" * 3000, "empty": b"", "näme/ü.txt": b"x"}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(zipped(FILES), id="deflated"),
        pytest.param(zipped(FILES, zipfile.ZIP_STORED), id="stored"),
        pytest.param(zipped(FILES, comment=b"c" * 65_535), id="with the longest comment"),
        pytest.param(streamed(FILES), id="streamed"),
        pytest.param(zip64(FILES), id="zip64"),
        pytest.param(zipped(FILES | {"z.zip": zipped(FILES)}, zipfile.ZIP_STORED), id="with a zip inside"),
        pytest.param(zipped([("logs/", b""), *FILES.items()]), id="with a folder"),
        pytest.param(changed(zipped(FILES), kind=0o100644 << 16), id="with modes of Unix"),
        pytest.param(changed(zipped(FILES), kind=0x20), id="with attributes of Windows"),
    ],
)
def test_an_ordinary_zip_is_read(data):
    assert {name: content for name, content in read(data, "all").items() if name != "z.zip"} == FILES


def test_an_empty_zip_has_no_entries():
    assert read(zipped({}), "all") == {}


@pytest.mark.parametrize("name", ["a..b", "...", "a/b:c", "C", "a/.hidden", "./x", "x" * 300])
def test_an_odd_name_that_leads_nowhere_is_no_harm(name):
    assert read(zipped({name: b"x"}), "all") == {name: b"x"}


def test_sixty_five_thousand_entries_are_counted_in_a_zip64_record():
    data = zipped({f"{number}": b"" for number in range(0xFFFF + 1)}, zipfile.ZIP_STORED)

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert read_end(data[-TAIL:], len(data)) == End(0x10000, archive.start_dir)


@pytest.mark.parametrize("short", [None, {"here": 2, "entries": 2}])
def test_a_small_zip_may_have_a_zip64_end(short):
    assert read(with_zip64_end(short=short)) == {GOLDEN: JSON}


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (ZipLimits(file=len(JSON) - 1), f"has an entry `{GOLDEN}` of more than {len(JSON) - 1} bytes"),
        (ZipLimits(files=len(JSON)), f"has wanted entries of more than {len(JSON)} bytes in all"),
    ],
)
def test_what_is_wanted_has_limits(limits, reason):
    with pytest.raises(BadZipError) as caught:
        read(GOOD, "all", limits)

    assert str(caught.value) == reason


def test_what_nobody_wants_may_be_large():
    data = changed(GOOD, entry=1, size=0xFFFFFFF0)

    assert read(data, limits=ZipLimits(file=len(JSON), files=len(JSON))) == {GOLDEN: JSON}


def test_a_packed_size_counts_against_the_limit_as_well():
    info = zipfile.ZipInfo("x")
    info.file_size, info.compress_size = 1, 100

    with pytest.raises(BadZipError, match="of more than 99 bytes"):
        check_wanted([info], ZipLimits(file=99))


def test_a_directory_is_counted_before_it_is_parsed():
    directory = GOOD[zipfile.ZipFile(io.BytesIO(GOOD)).start_dir :]

    check_directory_size(directory, ZipLimits(entries=2))
    with pytest.raises(BadZipError, match="has more than 1 entries"):
        check_directory_size(directory, ZipLimits(entries=1))


def test_an_entry_reaches_to_the_next_one_but_not_over_a_hole():
    infos = zipfile.ZipFile(io.BytesIO(GOOD)).infolist()
    packed, second = field(GOOD, "packed"), field(GOOD, "start", 1)
    infos[1].header_offset += 10_000_000

    spans = [span for _, span in placed(infos, 20_000_000)]

    assert spans[0] == Span(0, 30 + 2 * 0xFFFF + packed)
    assert spans[1].start == second + 10_000_000


@pytest.mark.parametrize(
    ("spans", "groups"),
    [
        ([], []),
        ([(0, 5)], [[(0, 5)]]),
        ([(0, 5), (5, 9)], [[(0, 5), (5, 9)]]),
        ([(0, 5), (15, 19)], [[(0, 5), (15, 19)]]),
        ([(0, 5), (16, 19)], [[(0, 5)], [(16, 19)]]),
        ([(0, 50), (50, 100), (100, 101)], [[(0, 50), (50, 100)], [(100, 101)]]),
        ([(0, 500), (500, 501)], [[(0, 500)], [(500, 501)]]),
    ],
)
def test_neighbours_are_read_as_one(spans, groups):
    found = coalesced([Span(*span) for span in spans], gap=10, longest=100)

    assert [[(span.start, span.stop) for span in group] for group in found] == groups


@pytest.mark.parametrize(("size", "start"), [(1, 0), (TAIL, 0), (TAIL + 1, 1), (10**9, 10**9 - TAIL)])
def test_the_end_of_a_zip_is_where_its_end_record_must_be(size, start):
    assert tail_span(size) == Span(start, size)
    assert len(tail_span(size)) == min(size, TAIL)


ENDS = st.sampled_from(
    [b"", END, b"PK\6\7", b"PK\6\6", b"\xff" * 8, b"\0" * 22, GOOD[-22:], with_zip64_end()[-98:]]
)


@given(st.lists(ENDS | st.binary(max_size=60), max_size=6).map(b"".join), st.integers(0, 1 << 40))
def test_no_end_is_too_odd_to_be_refused(tail, before):
    try:
        end = read_end(tail, before + len(tail))
    except BadZipError:
        return
    assert 0 <= end.directory <= before + len(tail)
