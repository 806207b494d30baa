"""The bytes of one artifact, by ranges or downloaded as a whole: both are a `Source`."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import BinaryIO, Protocol, TypeVar

from bot.artifacts.transport import Piece, Transport, TurnedAwayError
from bot.core.ci import Location
from bot.core.zip_end import tail_span
from bot.core.zip_rules import BadZipError, Span

_T = TypeVar("_T")

Locate = Callable[[int], str | Location]
"""From an artifact's id to where its bytes are; called in threads, may raise BotError."""


class Source(Protocol):
    """Bytes that are read in pieces; `size` counts all of them."""

    @property
    def size(self) -> int: ...

    async def fetch(self, span: Span) -> bytes:
        """Return the bytes of a span that lies inside."""
        ...


class Address:
    """Where one artifact is, asked for when it is first needed, and once more when it is no longer good."""

    def __init__(self, locate: Locate, artifact: int) -> None:
        self._locate = locate
        self._artifact = artifact
        self._known: Location | None = None

    async def ask(self, request: Callable[[Location], Awaitable[_T]]) -> _T:
        """Return what `request` returns at the address. Raises what it raises, but no TurnedAwayError."""
        try:
            return await request(await self._location())
        except TurnedAwayError:
            self._known = None
        try:
            return await request(await self._location())
        except TurnedAwayError as again:
            raise again.explained from None

    def moved(self, location: Location) -> None:
        """Ask there from now on: the end of a redirect."""
        self._known = location

    async def _location(self) -> Location:
        if self._known is None:
            found = await asyncio.to_thread(self._locate, self._artifact)
            self._known = found if isinstance(found, Location) else Location(found)
        return self._known


class Blob:
    """An artifact behind a store that sends parts. Its end, which is needed first, is kept."""

    def __init__(self, transport: Transport, address: Address, tail: Piece) -> None:
        self._transport = transport
        self._address = address
        self._tail = tail

    @classmethod
    async def open(cls, transport: Transport, address: Address, size: int) -> "Blob":
        """Read the end of an artifact that is said to have `size` bytes; what the store says counts.

        Raises as `Transport.part` does, and BadZipError where there is not a byte.
        """
        tail = await _part(transport, address, tail_span(max(size, 1)), None)
        if tail.size == 0:
            raise BadZipError("is empty")
        if not tail.holds(tail_span(tail.size)):
            size = tail.size
            tail = await _part(transport, address, tail_span(size), tail.version)
            _check_same(tail, size, None)
        return cls(transport, address, tail)

    @property
    def size(self) -> int:
        """The size in bytes, by the store."""
        return self._tail.size

    async def fetch(self, span: Span) -> bytes:
        """Return the bytes of a span. Raises BadZipError when the artifact is no longer the same."""
        if self._tail.holds(span):
            return self._tail.cut(span)
        piece = await _part(self._transport, self._address, span, self._tail.version)
        _check_same(piece, self.size, self._tail.version)
        return piece.body


async def _part(transport: Transport, address: Address, span: Span, version: str | None) -> Piece:
    piece = await address.ask(lambda location: transport.part(location, span, version))
    address.moved(piece.location)
    return piece


def _check_same(piece: Piece, size: int, version: str | None) -> None:
    if piece.size != size or (version and piece.version != version):
        raise BadZipError("was replaced while it was read")


class Download:
    """A file on this machine that holds a whole artifact."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, 2)

    @classmethod
    async def make(cls, transport: Transport, address: Address, file: BinaryIO, limit: int) -> "Download":
        """Fetch an artifact of at most `limit` bytes into `file`. Raises as `Transport.whole` does."""
        await address.ask(lambda location: transport.whole(location, file, limit))
        return cls(file)

    async def fetch(self, span: Span) -> bytes:
        """Return the bytes of a span."""
        self._file.seek(span.start)
        return self._file.read(len(span))
