"""The files of a zip, of whose bytes only the directory and the wanted entries are read.

`zipfile` parses the directory, zip64 and all, from a file that holds no more than the end of the zip.
Packages that read remote zips bring an HTTP client of their own and none of these checks.
"""

import io
import struct
import zipfile
from collections.abc import Callable
from zipfile import ZipInfo

from bot.artifacts.blob import Source
from bot.core.ci import Contents, Entry
from bot.core.zip_end import read_end, tail_span
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


class _End(io.RawIOBase):
    """A file of which only the end is here, from `start` on, as `zipfile` reads it."""

    def __init__(self, start: int, data: bytes) -> None:
        self._start = start
        self._data = data
        self._size = start + len(data)
        self._at = 0

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence] + offset
        if self._at < self._start:
            raise OSError("these bytes were not fetched")
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        start = self._at - self._start
        data = self._data[start:] if size is None or size < 0 else self._data[start : start + size]
        self._at += len(data)
        return data


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
    data = await source.fetch(tail)
    end = read_end(data, source.size)
    if source.size - end.directory > limits.directory:
        raise BadZipError(f"has a directory of more than {limits.directory} bytes")
    if end.directory < tail.start:
        data = await source.fetch(Span(end.directory, tail.start)) + data
    check_directory_size(data, limits)
    infos = _parsed(_End(min(end.directory, tail.start), data))
    check_entries(infos, end.entries)
    return infos, end.directory


def _parsed(file: _End) -> list[ZipInfo]:
    try:
        return zipfile.ZipFile(file).infolist()
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
