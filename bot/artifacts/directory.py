"""The files of a zip, of whose bytes only the directory and the wanted entries are read.

`zipfile` parses the directory, zip64 and all; it is given a file that holds the end of the zip, and
says so when it needs more. Packages that read remote zips bring an HTTP client of their own and none
of these checks.
"""

import io
import struct
import zipfile
from collections.abc import Callable
from zipfile import ZipInfo

from bot.artifacts.blob import Source
from bot.core.ci import Contents, Entry
from bot.core.zip_entry import unpack
from bot.core.zip_rules import (
    BadZipError,
    Span,
    ZipLimits,
    check_directory_size,
    check_entries,
    check_wanted,
    claimed_entries,
    coalesced,
    is_folder,
    placed,
    tail_span,
)


class _MissingBytesError(Exception):
    """Bytes are asked for that were not fetched, from `start` on."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


class _PartialFile(io.RawIOBase):
    """A file whose end is here, from `start` on, as `zipfile` reads it."""

    def __init__(self, start: int, end: bytes) -> None:
        self._start = start
        self._end = end
        self._size = start + len(end)
        self._at = 0

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence] + offset
        if self._at < 0:
            raise OSError("before the beginning")
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        start = min(self._at, self._size)
        stop = self._size if size is None or size < 0 else min(start + size, self._size)
        if start < self._start:
            raise _MissingBytesError(start)
        self._at = stop
        return self._end[start - self._start : stop - self._start]


async def read_zip(source: Source, wanted: Callable[[str], bool], limits: ZipLimits) -> Contents:
    """Return the entries of a zip and the bytes of those whose names are `wanted`; folders are left out.

    Raises BadZipError, and what the source raises.
    """
    infos, start = await _directory(source, limits)
    entries = tuple(Entry(info.orig_filename, info.file_size) for info in infos if not is_folder(info))
    picked = [
        (info, span)
        for info, span in placed(infos, start)
        if not is_folder(info) and wanted(info.orig_filename)
    ]
    # Of a hundred thousand entries only the wanted ones stay in memory while those are fetched.
    del infos
    check_wanted([info for info, _ in picked], limits)
    return Contents(entries, await _files(source, picked))


async def _directory(source: Source, limits: ZipLimits) -> tuple[list[ZipInfo], int]:
    """Return the checked entries of a zip, and where its directory begins."""
    tail = tail_span(source.size)
    end = await source.fetch(tail)
    claimed = claimed_entries(end)
    try:
        archive = _parsed(_PartialFile(tail.start, end))
    except _MissingBytesError as missing:
        end = await _longer_end(source, missing.start, end, limits)
        archive = _parsed_at_last(_PartialFile(missing.start, end))
    infos = archive.infolist()
    check_entries(infos, claimed)
    return infos, archive.start_dir


async def _longer_end(source: Source, start: int, end: bytes, limits: ZipLimits) -> bytes:
    if source.size - start > limits.directory:
        raise BadZipError(f"has a directory of more than {limits.directory} bytes")
    longer = await source.fetch(Span(start, source.size - len(end))) + end
    check_directory_size(longer, limits)
    return longer


def _parsed_at_last(file: _PartialFile) -> zipfile.ZipFile:
    try:
        return _parsed(file)
    except _MissingBytesError as missing:
        # No sound zip has its end records before its directory.
        raise BadZipError("has a directory that cannot be read") from missing


def _parsed(file: _PartialFile) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error) as error:
        raise BadZipError("has a directory that cannot be read") from error


async def _files(source: Source, picked: list[tuple[ZipInfo, Span]]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    rest = iter(picked)
    for group in coalesced([span for _, span in picked]):
        first = group[0].start
        data = await source.fetch(Span(first, group[-1].stop))
        for info, span in (next(rest) for _ in group):
            files[info.orig_filename] = unpack(info, data[span.start - first : span.stop - first])
    return files
