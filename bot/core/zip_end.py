"""Where a zip ends, and so where its directory begins, said so that no two readers can differ.

Sections 4.3.14 to 4.3.16 of https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT.
"""

import struct
from dataclasses import dataclass

from bot.core.zip_rules import BadZipError, Span

_END = struct.Struct("<4s4H2LH")
_END_SIGN = b"PK\x05\x06"
_LOCATOR = struct.Struct("<4sLQL")
_LOCATOR_SIGN = b"PK\x06\x07"
_END64 = struct.Struct("<4sQ2H2L4Q")
_END64_SIGN = b"PK\x06\x06"
_SEE_ZIP64 = (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)

# The end record, the longest comment after it, and what a zip64 has before it: 20 + 56 bytes.
TAIL = 66 * 1024
"""Bytes at the end of a zip that hold its end record whatever its comment."""


@dataclass(frozen=True, slots=True)
class End:
    """What the end of a zip says: the number of its `entries`, and where its `directory` begins."""

    entries: int
    directory: int


def tail_span(size: int) -> Span:
    """Return which bytes of a zip of `size` bytes hold its end record."""
    return Span(max(0, size - TAIL), size)


def read_end(tail: bytes, size: int) -> End:
    """Return what the end of a zip of `size` bytes says; `tail` are its last bytes, `tail_span` of it.

    Raises BadZipError unless there is exactly one end record, the zip ends with it, all that it says is
    said once, and the directory lies right before it.
    """
    at = _only_end(tail)
    _, *fields, _ = _END.unpack_from(tail, at)
    begin = at
    if tail[max(0, at - _LOCATOR.size) : at].startswith(_LOCATOR_SIGN):
        begin = at - _LOCATOR.size - _END64.size
        fields = _fields_of_zip64(tail, begin, fields, size - len(tail) + begin)
    disk, directory_disk, here, entries, length, start = fields
    if disk or directory_disk or here != entries:
        raise BadZipError("is one part of a zip in several parts")
    if start + length != size - len(tail) + begin:
        raise BadZipError("has a directory that is not where its end says")
    return End(entries, start)


def _only_end(tail: bytes) -> int:
    at = tail.rfind(_END_SIGN)
    if at < 0 or len(tail) - at < _END.size:
        raise BadZipError("is no zip, or only the beginning of one")
    if not _ends_here(tail, at):
        raise BadZipError("has bytes after its end, or a comment that holds the sign of an end")
    before = at
    while (before := tail.rfind(_END_SIGN, 0, before)) >= 0:
        if _ends_here(tail, before):
            raise BadZipError("has two ends, one in the comment of the other")
    return at


def _ends_here(tail: bytes, at: int) -> bool:
    comment = int.from_bytes(tail[at + _END.size - 2 : at + _END.size], "little")
    return at + _END.size + comment == len(tail)


def _fields_of_zip64(tail: bytes, begin: int, fields: list[int], place: int) -> list[int]:
    if begin < 0 or not tail.startswith(_END64_SIGN, begin):
        raise BadZipError("has no zip64 record where its end says")
    _, _, _, _, *longer = _END64.unpack_from(tail, begin)
    _, disk, told, _ = _LOCATOR.unpack_from(tail, begin + _END64.size)
    if disk or told != place:
        raise BadZipError("has no zip64 record where its end says")
    if any(short not in (long, full) for short, long, full in zip(fields, longer, _SEE_ZIP64, strict=True)):
        raise BadZipError("has two ends that differ")
    return longer
