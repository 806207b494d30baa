"""One entry of a zip, from its header and packed bytes to the file; nothing that its directory denies.

The directory is what was judged (`bot.core.zip_rules`). A header that says something else is a zip
that two readers read differently, and a size that lies is caught before memory is spent on it.
"""

import struct
import zipfile
import zlib
from zipfile import ZipInfo

from bot.core.zip_rules import BadZipError, named

_HEADER = struct.Struct("<4s5H3L2H")
_SIGN = b"PK\x03\x04"
_ENCRYPTED = 1 << 0
_SIZES_FOLLOW = 1 << 3
_UTF8 = 1 << 11
_IN_EXTRA = 0xFFFFFFFF


def unpack(info: ZipInfo, data: bytes) -> bytes:
    """Return the file of an entry; `data` begins with its header and may hold more than the entry.

    Raises BadZipError.
    """
    packed = _packed(info, data)
    content = packed if info.compress_type == zipfile.ZIP_STORED else _inflated(info, packed)
    if len(content) != info.file_size:
        raise BadZipError(f"has an entry {named(info)} that is not of the size it says")
    if zlib.crc32(content) != info.CRC:
        raise BadZipError(f"has an entry {named(info)} that does not fit its checksum")
    return content


def _packed(info: ZipInfo, data: bytes) -> bytes:
    if len(data) < _HEADER.size or not data.startswith(_SIGN):
        raise BadZipError(f"has an entry {named(info)} without a header")
    _, _, flags, method, _, _, crc, packed, unpacked, name, extra = _HEADER.unpack_from(data)
    encoding = "utf-8" if flags & _UTF8 else "cp437"
    start = _HEADER.size + name + extra
    sizes = (crc, packed, unpacked)
    agrees = (
        data[_HEADER.size : _HEADER.size + name].decode(encoding, errors="replace") == info.orig_filename
        and method == info.compress_type
        and not flags & _ENCRYPTED
        and (flags & _SIZES_FOLLOW or _same(sizes, (info.CRC, info.compress_size, info.file_size)))
    )
    if not agrees:
        raise BadZipError(f"has an entry {named(info)} whose header and directory differ")
    if len(data) < start + info.compress_size:
        raise BadZipError(f"has an entry {named(info)} that is cut off")
    return data[start : start + info.compress_size]


def _same(header: tuple[int, int, int], directory: tuple[int, int, int]) -> bool:
    # A zip64 keeps the sizes of its headers elsewhere.
    pairs = zip(header, directory, strict=True)
    return all(said == known or (said == _IN_EXTRA and place) for place, (said, known) in enumerate(pairs))


def _inflated(info: ZipInfo, packed: bytes) -> bytes:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = inflater.decompress(packed, info.file_size + 1)
    except zlib.error as error:
        raise BadZipError(f"has an entry {named(info)} that cannot be unpacked") from error
    if len(content) > info.file_size:
        raise BadZipError(f"has an entry {named(info)} that is not of the size it says")
    if not inflater.eof or inflater.unused_data:
        raise BadZipError(f"has an entry {named(info)} whose packed bytes end elsewhere")
    return content
