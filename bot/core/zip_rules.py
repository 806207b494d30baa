"""Which zips are read: a zip from outside is judged by its directory before a byte of it is unpacked.

One bad entry condemns the whole zip, also where nobody wants that entry: no tool that CI uses makes
such a zip by accident. Names, sizes and places are those of the directory at the end of the zip; the
header before each entry has to say the same (`bot.core.zip_entry`).

The format is PKWARE's (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT).
"""

import re
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from zipfile import ZipInfo

from bot.core.markdown import one_line

MIB = 1024 * 1024

_ENTRY = b"PK\x01\x02"
_HEADER_SIZE = 30

_ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13
_PATCH = 1 << 5
_REPARSE_POINT = 0x400
_FREE_RATIO_BELOW = MIB
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DRIVE = re.compile(r"[A-Za-z]:")


class BadZipError(Exception):
    """A zip is not read; the message completes "the artifact …"."""


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """The largest zip that is read: `entries` in all, its `directory`, a wanted `file`, all wanted `files`.

    All but `entries` and `ratio` are bytes; `ratio` is unpacked to packed, for files above 1 MiB;
    `download` is the largest zip that is fetched as a whole, where its parts are not to be had.
    """

    entries: int = 200_000
    directory: int = 32 * MIB
    file: int = 16 * MIB
    files: int = 64 * MIB
    ratio: int = 200
    download: int = 1024 * MIB


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes of a zip, from `start` up to but not including `stop`."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


def check_directory_size(directory: bytes, limits: ZipLimits) -> None:
    """Raise BadZipError where the bytes of a directory hold more entries than are read."""
    # An entry begins with this sign; in names and comments it only makes the count higher.
    if directory.count(_ENTRY) > limits.entries:
        raise BadZipError(f"has more than {limits.entries} entries")


def check_entries(infos: Sequence[ZipInfo], claimed: int) -> None:
    """Raise BadZipError for the first entry that is not an ordinary file or folder under a safe, own name.

    `claimed` is their number by the end of the zip.
    """
    if claimed != len(infos):
        raise BadZipError(f"has {len(infos)} entries and says that it has {claimed}")
    seen: set[str] = set()
    for info in infos:
        if fault := _fault_of_name(info.orig_filename) or _fault_of_kind(info):
            raise BadZipError(f"has an entry {named(info)} {fault}")
        if info.orig_filename in seen:
            raise BadZipError(f"has two entries {named(info)}")
        seen.add(info.orig_filename)


def is_folder(info: ZipInfo) -> bool:
    """Whether an entry is a folder, which holds nothing itself."""
    return info.orig_filename.endswith("/")


def named(info: ZipInfo) -> str:
    """Return the name of an entry for people, on one line and in backticks."""
    name = one_line(info.orig_filename, 80).replace("`", "'")
    return f"`{name}`"


def _fault_of_name(name: str) -> str | None:
    if _CONTROL.search(name):
        return "with a control character in its name"
    if "\\" in name:
        return "with a backslash in its name"
    if name.startswith("/"):
        return "with an absolute path"
    if _DRIVE.match(name):
        return "on a drive"
    if ".." in name.split("/"):
        return "that leads out of it"
    return None if name else "without a name"


def _fault_of_kind(info: ZipInfo) -> str | None:
    if info.flag_bits & _ENCRYPTED:
        return "that is encrypted"
    if info.flag_bits & _PATCH or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"packed by method {info.compress_type}, which is not read"
    # The upper half is a mode of Unix, the lower one holds attributes of Windows.
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK or info.external_attr & _REPARSE_POINT:
        return "that is a link"
    if kind not in (0, stat.S_IFDIR if is_folder(info) else stat.S_IFREG):
        return "that is neither a file nor a folder"
    return "that is a folder with content" if is_folder(info) and info.file_size else None


def placed(infos: Sequence[ZipInfo], directory: int) -> Iterator[tuple[ZipInfo, Span]]:
    """Yield the entries in the order of their places, each with the bytes that it may take at most.

    `directory` is where the directory begins. Raises BadZipError where entries overlap, as in a bomb
    of one packed block with many names (https://www.bamsoftware.com/hacks/zipbomb/), or where the
    first one does not begin the zip.
    """
    ordered = sorted(infos, key=lambda info: info.header_offset)
    starts = [info.header_offset for info in ordered]
    if (starts or [directory])[0] != 0:
        raise BadZipError("has other bytes before its first entry")
    for info, (start, stop) in zip(ordered, pairwise([*starts, directory]), strict=True):
        # A name has at least as many bytes as characters.
        if start + _HEADER_SIZE + len(info.orig_filename) + info.compress_size > stop:
            raise BadZipError(f"has an entry {named(info)} that overlaps with what follows it")
        longest = _HEADER_SIZE + 2 * 0xFFFF + info.compress_size
        yield info, Span(start, min(stop, start + longest))


def check_wanted(infos: Sequence[ZipInfo], limits: ZipLimits) -> None:
    """Raise BadZipError where wanted entries are too large to be read, by what the directory says."""
    for info in infos:
        if max(info.file_size, info.compress_size) > limits.file:
            raise BadZipError(f"has an entry {named(info)} of more than {limits.file} bytes")
        if info.file_size > max(_FREE_RATIO_BELOW, limits.ratio * info.compress_size):
            raise BadZipError(f"has an entry {named(info)} packed more than {limits.ratio} times")
    if sum(info.file_size for info in infos) > limits.files:
        raise BadZipError(f"has wanted entries of more than {limits.files} bytes in all")


def coalesced(spans: Sequence[Span], gap: int = 16 * 1024, longest: int = 4 * MIB) -> list[list[Span]]:
    """Group spans, in the order of their places, that cost less read as one.

    Between two of a group lie at most `gap` bytes, and a group of several is at most `longest` bytes.
    """
    groups: list[list[Span]] = []
    for span in spans:
        last = groups[-1] if groups else [Span(-gap - 1, -gap - 1)]
        if span.start - last[-1].stop <= gap and span.stop - last[0].start <= longest:
            last.append(span)
        else:
            groups.append([span])
    return groups
