"""Zips that are not read, each with the reason that has to be given, word for word."""

import io
import stat
import struct
import zipfile

from tests.fakes.zips import END, ENTRY, HEADER, changed, field, nth, put, special, streamed, zipped

GOLDEN = "golden_values_dev_dgx_h100.json"
JSON = b'{"lm loss": {"values": {"1": 10.5}}}' * 40
GOOD = zipped({GOLDEN: JSON, "logs/0.log": b"rank 0\n" * 30})
MIB = 1024 * 1024


def beside(name: str | zipfile.ZipInfo, content: bytes = b"x") -> bytes:
    """Return a zip with a good golden and one entry more."""
    return zipped([(GOLDEN, JSON), (name, content)])


def renamed(new: bytes) -> bytes:
    """Return a zip with an entry whose name holds what `zipfile` would not write."""
    return beside("~" * len(new)).replace(b"~" * len(new), new)


def with_end(**fields: int) -> bytes:
    places = {"disk": (4, 2), "here": (8, 2), "entries": (10, 2), "length": (12, 4)}
    data = GOOD
    for name, value in fields.items():
        place, width = places[name]
        data = put(data, data.rindex(END) + place, value.to_bytes(width, "little"))
    return data


def appended(beginning: bytes) -> bytes:
    """Return a zip written behind other bytes, with places counted from those."""
    target = io.BytesIO(beginning)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr(GOLDEN, JSON)
    return target.getvalue()


def with_zip64_end(*, short: dict[str, int] | None = None, sign: bytes = b"PK\6\6", **long: int) -> bytes:
    """Return the good zip with a zip64 end added, some of whose fields differ from the truth.

    `short` are fields of the ordinary end; without it, that end refers to the zip64 one.
    """
    at = GOOD.rindex(END)
    _, _, _, here, entries, length, start, _ = struct.unpack_from("<4s4H2LH", GOOD, at)
    true = {"disk": 0, "here": here, "entries": entries, "length": length, "start": start, "at": at}
    told = true | long
    end64 = struct.pack(
        "<4sQ2H2L4Q",
        sign,
        44,
        45,
        45,
        told["disk"],
        0,
        told["here"],
        told["entries"],
        told["length"],
        told["start"],
    )
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, told["at"], 1)
    last = {"here": 0xFFFF, "entries": 0xFFFF, "length": 0xFFFFFFFF, "start": 0xFFFFFFFF} | (short or {})
    fields = (last["here"], last["entries"], last["length"], last["start"])
    return GOOD[:at] + end64 + locator + END + struct.pack("<4H2LH", 0, 0, *fields, 0)


def with_two_ends() -> bytes:
    """Return a zip whose comment holds a whole second end, as long as the comment leaves it."""
    inner = END + struct.pack("<4H2LH", 0, 0, 0, 0, 0, 0, 0)
    return zipped({GOLDEN: JSON}, comment=b"built by CI " + inner)


def with_false_end() -> bytes:
    return zipped({GOLDEN: JSON}, comment=b"note: " + END + b"\xff" * 30 + b" end of the note")


NAMES = {
    "zip slip": (beside("../../x.json"), "has an entry `../../x.json` that leads out of it"),
    "zip slip inside": (beside("a/../../x"), "has an entry `a/../../x` that leads out of it"),
    "an absolute path": (beside("/abs.json"), "has an entry `/abs.json` with an absolute path"),
    "a drive": (beside("C:/x.json"), "has an entry `C:/x.json` on a drive"),
    "a drive's folder": (beside("d:x"), "has an entry `d:x` on a drive"),
    "backslashes": (beside("a\\..\\b.json"), "has an entry `a\\..\\b.json` with a backslash in its name"),
    "NUL": (renamed(b"a.json\0.txt"), "has an entry `a.json.txt` with a control character in its name"),
    "a line break": (beside("a\nb"), "has an entry `a b` with a control character in its name"),
    "an escape": (beside("\x1b[2Ja`b"), "has an entry `[2Ja'b` with a control character in its name"),
    "no name": (changed(beside("~"), entry=1, name=0, extra=1), "has an entry `` without a name"),
    "a name twice": (beside(GOLDEN, b"{}"), f"has two entries `{GOLDEN}`"),
}

KINDS = {
    "a link": (
        beside(special("l", kind=stat.S_IFLNK | 0o777), b"/etc/hostname"),
        "has an entry `l` that is a link",
    ),
    "a link of Windows": (beside(special("l", windows=0x400)), "has an entry `l` that is a link"),
    "a pipe": (
        beside(special("p", kind=stat.S_IFIFO)),
        "has an entry `p` that is neither a file nor a folder",
    ),
    "a folder by its kind": (
        beside(special("f", kind=stat.S_IFDIR)),
        "has an entry `f` that is neither a file nor a folder",
    ),
    "a file by its kind": (
        beside(special("f/", kind=stat.S_IFREG), b""),
        "has an entry `f/` that is neither a file nor a folder",
    ),
    "a folder with content": (
        changed(beside("f/", b""), entry=1, size=1),
        "has an entry `f/` that is a folder with content",
    ),
    "encrypted": (changed(GOOD, entry=1, flags=1), "has an entry `logs/0.log` that is encrypted"),
    "strongly encrypted": (changed(GOOD, flags=1 << 6), f"has an entry `{GOLDEN}` that is encrypted"),
    "bzip2": (
        zipped({GOLDEN: JSON}, zipfile.ZIP_BZIP2),
        f"has an entry `{GOLDEN}` packed by method 12, which is not read",
    ),
    "a patch": (
        changed(GOOD, flags=1 << 5),
        f"has an entry `{GOLDEN}` packed by method 8, which is not read",
    ),
}

MISPLACED = "has a directory that is not where its end says"
ENDS = {
    "a page": (b"<!DOCTYPE html><title>Sign in</title>", "is no zip, or only the beginning of one"),
    "a tar": (b"\x1f\x8b\x08" + b"\0" * 500, "is no zip, or only the beginning of one"),
    "a byte": (b"P", "is no zip, or only the beginning of one"),
    "the first half": (GOOD[: len(GOOD) // 2], "is no zip, or only the beginning of one"),
    "cut within its end": (GOOD[:-4], "is no zip, or only the beginning of one"),
    "bytes after its end": (
        GOOD + b"\0",
        "has bytes after its end, or a comment that holds the sign of an end",
    ),
    "a false end in its comment": (
        with_false_end(),
        "has bytes after its end, or a comment that holds the sign of an end",
    ),
    "two ends": (with_two_ends(), "has two ends, one in the comment of the other"),
    "several parts": (with_end(disk=1), "is one part of a zip in several parts"),
    "entries in another part": (with_end(entries=3), "is one part of a zip in several parts"),
    "fewer entries than it says": (with_end(entries=3, here=3), "has 2 entries and says that it has 3"),
    "more entries than it says": (with_end(entries=1, here=1), "has 2 entries and says that it has 1"),
    "bytes before it": (b"#!/bin/sh\n" + GOOD, MISPLACED),
    "bytes before nothing": (b"\0" * 30 + zipped({}), MISPLACED),
    "bytes within it": (GOOD[:-22] + b"\0" * 4 + GOOD[-22:], MISPLACED),
    "a directory that claims the whole zip": (with_end(length=len(GOOD) - 22), MISPLACED),
    "a directory of 4 GB": (with_end(length=0xFFFFFFFE), MISPLACED),
    "bytes before it that it counts": (appended(b"#!/bin/sh\n"), "has other bytes before its first entry"),
    "no directory": (GOOD.replace(ENTRY, b"PK\0\0", 1), "has a directory that cannot be read"),
    "a newer format": (put(GOOD, nth(GOOD, ENTRY, 0) + 6, b"\xff"), "has a directory that cannot be read"),
}

NO_RECORD = "has no zip64 record where its end says"
ZIP64_ENDS = {
    "another zip64 directory": (with_zip64_end(start=5, length=7), MISPLACED),
    "a zip64 directory of 2^60": (with_zip64_end(length=1 << 60), MISPLACED),
    "2^60 entries": (
        with_zip64_end(entries=1 << 60, here=1 << 60),
        f"has 2 entries and says that it has {1 << 60}",
    ),
    "two ends that differ": (with_zip64_end(short={"start": 5}), "has two ends that differ"),
    "two counts": (with_zip64_end(short={"here": 1, "entries": 1}), "has two ends that differ"),
    "several parts of a zip64": (with_zip64_end(disk=1), "has two ends that differ"),
    "a zip64 end elsewhere": (with_zip64_end(at=5), NO_RECORD),
    "no zip64 end": (with_zip64_end(sign=b"PK\6\0"), NO_RECORD),
    "a zip64 end cut off": (with_zip64_end()[-60:], NO_RECORD),
}

PLACES = {
    "two entries of the same bytes": (
        changed(GOOD, entry=1, start=0),
        f"has an entry `{GOLDEN}` that overlaps with what follows it",
    ),
    "an entry inside another": (
        changed(GOOD, packed=field(GOOD, "packed") + 40),
        f"has an entry `{GOLDEN}` that overlaps with what follows it",
    ),
    "an entry inside the directory": (
        changed(GOOD, entry=1, packed=field(GOOD, "packed", 1) + 1),
        "has an entry `logs/0.log` that overlaps with what follows it",
    ),
    "no header": (GOOD.replace(HEADER, b"PK\0\0", 1), f"has an entry `{GOLDEN}` without a header"),
    "a longer header": (
        changed(GOOD, directory=False, extra=60_000),
        f"has an entry `{GOLDEN}` that is cut off",
    ),
}

DIFFERENT = f"has an entry `{GOLDEN}` whose header and directory differ"
HEADERS = {
    "another name": (GOOD.replace(b"golden", b"g0lden", 1), DIFFERENT),
    "another method": (changed(GOOD, directory=False, method=0), DIFFERENT),
    "another size": (changed(GOOD, directory=False, size=7), DIFFERENT),
    "another packed size": (changed(GOOD, directory=False, packed=7), DIFFERENT),
    "another checksum": (changed(GOOD, directory=False, crc=7), DIFFERENT),
    "a checksum kept elsewhere": (changed(GOOD, directory=False, crc=0xFFFFFFFF), DIFFERENT),
    "encryption": (changed(GOOD, directory=False, flags=1), DIFFERENT),
}

SIZE = f"has an entry `{GOLDEN}` that is not of the size it says"
ELSEWHERE = f"has an entry `{GOLDEN}` whose packed bytes end elsewhere"
STREAMED = streamed({GOLDEN: JSON})
CONTENT = {
    "a size that is too small": (changed(GOOD, size=len(JSON) - 1), SIZE),
    "a size that is too large": (changed(GOOD, size=len(JSON) + 1), SIZE),
    "a size of nothing": (changed(GOOD, size=0), SIZE),
    "a stored size that lies": (changed(zipped({GOLDEN: JSON}, zipfile.ZIP_STORED), size=7), SIZE),
    "packed bytes too few": (changed(GOOD, packed=field(GOOD, "packed") - 1), ELSEWHERE),
    "packed bytes too many": (
        changed(STREAMED, packed=field(STREAMED, "packed") + 4, header=False),
        ELSEWHERE,
    ),
    "a wrong checksum": (changed(GOOD, crc=7), f"has an entry `{GOLDEN}` that does not fit its checksum"),
    "damage": (put(GOOD, 30 + len(GOLDEN), b"\xff" * 9), f"has an entry `{GOLDEN}` that cannot be unpacked"),
}

BOMBS = {
    "a bomb": (zipped({GOLDEN: b"\0" * (8 * MIB)}), f"has an entry `{GOLDEN}` packed more than 200 times"),
    "a large file": (
        zipped({GOLDEN: b"\0" * (17 * MIB)}),
        f"has an entry `{GOLDEN}` of more than 16777216 bytes",
    ),
    "a declared size": (
        changed(GOOD, size=0xFFFFFFF0),
        f"has an entry `{GOLDEN}` of more than 16777216 bytes",
    ),
}

HOSTILE = NAMES | KINDS | ENDS | ZIP64_ENDS | PLACES | HEADERS | CONTENT | BOMBS
