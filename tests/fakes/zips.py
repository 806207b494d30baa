"""Zips of our own making: ordinary ones, and bytes of them changed one field at a time."""

import io
import warnings
import zipfile
from collections.abc import Iterable
from zipfile import ZIP_DEFLATED, ZipInfo

# Where the fields of an entry stand, in the directory and in the header before the entry.
IN_DIRECTORY = {
    "flags": 8,
    "method": 10,
    "crc": 16,
    "packed": 20,
    "size": 24,
    "name": 28,
    "extra": 30,
    "kind": 38,
    "start": 42,
}
IN_HEADER = {"flags": 6, "method": 8, "crc": 14, "packed": 18, "size": 22, "name": 26, "extra": 28}
WIDTHS = {"flags": 2, "method": 2, "name": 2, "extra": 2}
ENTRY, HEADER, END = b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"


class Unseekable(io.RawIOBase):
    """A file that is only written to, as a pipe: a zip in it has its sizes behind the entries."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # more than bytes is never written
        self.data += data
        return len(data)


def zipped(
    files: dict[str, bytes] | Iterable[tuple[str | ZipInfo, bytes]],
    method: int = ZIP_DEFLATED,
    comment: bytes = b"",
) -> bytes:
    """Return a zip; a name may come twice."""
    target = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(target, "w", method) as archive:
        for name, content in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, content)
        archive.comment = comment
    return target.getvalue()


def streamed(files: dict[str, bytes]) -> bytes:
    """Return a zip whose headers leave the sizes to what follows, as CI writes them."""
    target = Unseekable()
    with zipfile.ZipFile(target, "w", ZIP_DEFLATED) as archive:  # type: ignore[arg-type]  # it only writes
        for name, content in files.items():
            archive.writestr(name, content)
    return bytes(target.data)


def zip64(files: dict[str, bytes]) -> bytes:
    """Return a zip whose sizes stand in the fields for large files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            with archive.open(name, "w", force_zip64=True) as file:
                file.write(content)
    return target.getvalue()


def special(name: str, *, kind: int = 0, windows: int = 0) -> ZipInfo:
    """Return an entry of another kind: `kind` as Unix has it, `windows` as Windows does."""
    info = ZipInfo(name)
    info.external_attr = kind << 16 | windows
    return info


def changed(
    data: bytes, *, entry: int = 0, directory: bool = True, header: bool = True, **fields: int
) -> bytes:
    """Return the zip with fields of one entry set, in its directory and in the entry's header."""
    for where, sign, places in ((directory, ENTRY, IN_DIRECTORY), (header, HEADER, IN_HEADER)):
        for field, value in fields.items():
            if where and field in places:
                at = nth(data, sign, entry) + places[field]
                data = put(data, at, value.to_bytes(WIDTHS.get(field, 4), "little"))
    return data


def nth(data: bytes, sign: bytes, number: int) -> int:
    """Return where the sign stands for the nth time, counted from 0."""
    at = -1
    for _ in range(number + 1):
        at = data.index(sign, at + 1)
    return at


def put(data: bytes, at: int, new: bytes) -> bytes:
    """Return the data with bytes replaced."""
    return data[:at] + new + data[at + len(new) :]


def field(data: bytes, name: str, entry: int = 0) -> int:
    """Return what the directory says in a field."""
    at = nth(data, ENTRY, entry) + IN_DIRECTORY[name]
    return int.from_bytes(data[at : at + WIDTHS.get(name, 4)], "little")
