"""Reads the body of a request within limits of size, time, and memory for all requests together."""

import asyncio
from http import HTTPStatus

from starlette.requests import Request
from starlette.types import Receive


class TooMuch(Exception):
    """The request is not read any further; `status` is its answer."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class BodyReader:
    """Reads one body of at most `limit` bytes in `seconds`, all bodies together within `memory` bytes."""

    def __init__(self, limit: int, memory: int, seconds: float) -> None:
        self._limit = limit
        self._memory = memory
        self._seconds = seconds
        self._held = 0

    async def read(self, request: Request) -> bytes:
        """Return the body as it came. Raises TooMuch as soon as a limit is passed."""
        announced = request.headers.get("content-length", "0")
        if not announced.isdecimal() or int(announced[:20]) > self._limit:
            raise TooMuch(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            async with asyncio.timeout(self._seconds):
                return await self._read(request.receive)
        except TimeoutError:
            raise TooMuch(HTTPStatus.REQUEST_TIMEOUT) from None

    async def _read(self, receive: Receive) -> bytes:
        # Starlette's own reading of a stream costs more than the check of a signature.
        chunks: list[bytes] = []
        size = 0
        more = True
        try:
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise TooMuch(HTTPStatus.BAD_REQUEST)
                chunk, more = message.get("body", b""), message.get("more_body", False)
                size += len(chunk)
                self._held += len(chunk)
                if size > self._limit:
                    raise TooMuch(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                if self._held > self._memory:
                    raise TooMuch(HTTPStatus.SERVICE_UNAVAILABLE)
                chunks.append(chunk)
            return b"".join(chunks)
        finally:
            self._held -= size
