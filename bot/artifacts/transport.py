"""GET requests for parts of a blob: own redirects, checked ranges, retries, and errors for people.

A range is always asked for by its first and last byte: Azure, where GitHub keeps artifacts, knows no
range that counts from the end
(https://learn.microsoft.com/rest/api/storageservices/specifying-the-range-header-for-blob-service-operations).
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

import httpx
import stamina

from bot.artifacts.egress import Egress, parse_url
from bot.core.ci import Location
from bot.core.errors import ServiceError
from bot.core.markdown import one_line
from bot.core.zip_rules import BadZipError, Span

_T = TypeVar("_T")

_MAX_REDIRECTS = 3
_REDIRECTS = (301, 302, 303, 307, 308)
_GONE = (404, 410)
# An address that is no longer good: Azure and S3 answer 403, Google's store 400, GitLab 401.
_TURNED_AWAY = (400, 401, 403)
_CONTENT_RANGE = re.compile(r"bytes (?:([0-9]{1,18})-([0-9]{1,18})|\*)/([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds: `deadline` bounds one artifact, `timeout` one wait on the network.

    Between `attempts` the wait grows from `first_wait` to `longest_wait`, with up to `jitter` on top.
    """

    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 30.0
    jitter: float = 1.0
    timeout: float = 20.0
    deadline: float = 300.0


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of a blob that begin at `start`, and what the answer says of the blob: its size and version.

    `location` is where they were found in the end. Without a byte, only the size is known.
    """

    start: int
    body: bytes
    size: int
    version: str | None
    location: Location

    def holds(self, span: Span) -> bool:
        """Return whether all bytes of `span` are here."""
        return self.start <= span.start and span.stop <= self.start + len(self.body)

    def cut(self, span: Span) -> bytes:
        """Return the bytes of a span that is here."""
        return self.body[span.start - self.start : span.stop - self.start]


class TurnedAwayError(Exception):
    """The address is no longer good; the argument is the explained error."""

    def __init__(self, explained: ServiceError) -> None:
        super().__init__(explained.message)
        self.explained = explained


class NoRangesError(Exception):
    """The store would send the whole blob instead of a part."""


class _PassingError(Exception):
    """A fault that may pass: the message completes "`host` …", `wait` is the seconds that it asks for."""

    def __init__(self, host: str, how: str, wait: float | None = None) -> None:
        super().__init__(how)
        self.host = host
        self.how = how
        self.wait = wait


class Transport:
    """Reads blobs; no message holds more of an address than its host, since its query is a secret."""

    def __init__(self, client: httpx.AsyncClient, egress: Egress, patience: Patience) -> None:
        self._client = client
        self._egress = egress
        self._retry = stamina.AsyncRetryingCaller(
            attempts=patience.attempts,
            # The deadline of the whole artifact is kept outside, also while a request hangs.
            timeout=None,
            wait_initial=patience.first_wait,
            wait_max=patience.longest_wait,
            wait_jitter=patience.jitter,
        ).on(lambda error: _pause(error, patience.longest_wait))

    async def part(self, location: Location, span: Span, version: str | None) -> Piece:
        """Return the bytes of `span`, fewer only where the blob ends; of the blob of that version.

        Raises BadZipError where it is gone or replaced, TurnedAwayError, NoRangesError, and ServiceError.
        """
        return await self._patiently(lambda: self._part(location, span, version))

    async def whole(self, location: Location, target: BinaryIO, limit: int) -> None:
        """Write the whole blob of at most `limit` bytes to `target`. Raises as `part` does."""
        await self._patiently(lambda: self._whole(location, target, limit))

    async def _patiently(self, ask: Callable[[], Awaitable[_T]]) -> _T:
        try:
            return await self._retry(ask)
        except _PassingError as fault:
            raise ServiceError(f"`{fault.host}` {fault.how}", hint="try again later") from None
        except httpx.TransportError as error:
            raise ServiceError(
                f"`{error.request.url.host}` could not be asked: {type(error).__name__}",
                hint="check the network and try again later",
            ) from error

    async def _part(self, location: Location, span: Span, version: str | None) -> Piece:
        headers = {"Range": f"bytes={span.start}-{span.stop - 1}"}
        if version:
            headers["If-Match"] = version
        async with self._open(location, headers) as (response, found):
            first, last, size = _content_range(response)
            if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and size is not None:
                return Piece(size, b"", size, None, found)
            if response.status_code == httpx.codes.OK:
                _refuse_page(response, b"")
                raise NoRangesError
            if response.status_code != httpx.codes.PARTIAL_CONTENT:
                raise _explained(response)
            if size is None or (first, last) != (span.start, min(span.stop, size) - 1):
                raise _PassingError(response.url.host, "sent another part than the one it was asked for")
            body = await _read(response, last + 1 - first)
        return Piece(first, body, size, _strong(response), found)

    async def _whole(self, location: Location, target: BinaryIO, limit: int) -> None:
        target.seek(0)
        target.truncate()
        async with self._open(location, {}) as (response, _):
            if response.status_code != httpx.codes.OK:
                raise _explained(response)
            _refuse_packing(response)
            promised = response.headers.get("content-length", "")
            _refuse_more(int(promised) if promised.isdecimal() else 0, limit)
            async for chunk in response.aiter_raw():
                if target.tell() == 0:
                    _refuse_page(response, chunk)
                _refuse_more(target.tell() + len(chunk), limit)
                target.write(chunk)

    @asynccontextmanager
    async def _open(
        self, location: Location, headers: Mapping[str, str]
    ) -> AsyncIterator[tuple[httpx.Response, Location]]:
        for _ in range(_MAX_REDIRECTS + 1):
            url = self._checked(location)
            # Packed once more, a part is no part of the blob.
            sent = {**location.headers, **headers, "Accept-Encoding": "identity"}
            response = await self._client.send(
                self._client.build_request("GET", url, headers=sent), stream=True
            )
            try:
                if response.status_code not in _REDIRECTS:
                    _refuse_faults(response)
                    yield response, location
                    return
            finally:
                await response.aclose()
            target = parse_url(response.headers.get("location", ""), base=url)
            location = Location(str(target) if target else "")
        raise ServiceError("an artifact's address redirects without end", hint="try again later")

    def _checked(self, location: Location) -> httpx.URL:
        url = parse_url(location.url)
        if url is None or not self._egress.allows(url):
            place = one_line(f"{url.scheme}://{url.host}" if url else "nowhere", 80)
            raise ServiceError(
                f"the artifact is said to be at `{place}`, where no artifact is asked for",
                hint="report it if that is where the artifacts of this server lie",
            )
        if location.headers and not self._egress.allows_headers(url):
            raise ServiceError(f"the headers for an artifact are not those of `{url.host}`")
        return url


def _refuse_faults(response: httpx.Response) -> None:
    host, status = response.url.host, response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error:
        after = response.headers.get("retry-after", "")
        wait = float(after) if after.isascii() and after.isdigit() else None
        raise _PassingError(host, f"answered with status {status}", wait)
    if status in _GONE:
        raise BadZipError(f"is gone: `{host}` answered with status {status}")
    if status == httpx.codes.PRECONDITION_FAILED:
        raise BadZipError("was replaced while it was read")
    if status in _TURNED_AWAY:
        raise TurnedAwayError(_explained(response))


def _explained(response: httpx.Response) -> ServiceError:
    return ServiceError(
        f"`{response.url.host}` answered with status {response.status_code}", hint="try again later"
    )


def _content_range(response: httpx.Response) -> tuple[int, int, int | None]:
    found = _CONTENT_RANGE.fullmatch(response.headers.get("content-range", "").strip())
    if found is None:
        return -1, -1, None
    first, last, size = found.groups()
    return (int(first), int(last), int(size)) if first else (-1, -1, int(size))


async def _read(response: httpx.Response, length: int) -> bytes:
    _refuse_packing(response)
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > length:
            break
    if len(body) != length:
        raise _PassingError(response.url.host, "sent another number of bytes than it said")
    return bytes(body)


def _refuse_packing(response: httpx.Response) -> None:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise ServiceError(f"`{response.url.host}` packs what it was asked to send as it is")


def _refuse_more(size: int, limit: int) -> None:
    if size > limit:
        raise BadZipError(f"is larger than {limit} bytes, and no part of it is to be had alone")


def _refuse_page(response: httpx.Response, beginning: bytes) -> None:
    kind = response.headers.get("content-type", "").strip().lower()
    if kind.startswith("text/html") or beginning.lstrip()[:1] == b"<":
        raise ServiceError(
            f"`{response.url.host}` answered with a page for people instead of the artifact",
            hint="see what answers at this address: a proxy, a login page or another service",
        )


def _strong(response: httpx.Response) -> str | None:
    # A weak one says "much the same", and never fits `If-Match` (RFC 9110, section 13.1.1).
    tag = str(response.headers.get("etag", ""))
    return tag if tag.startswith('"') else None


def _pause(error: Exception, longest: float) -> bool | float:
    """Return whether to try again after `error`, or after how many seconds where the store said so."""
    if isinstance(error, _PassingError) and error.wait is not None:
        return error.wait if error.wait <= longest else False
    return isinstance(error, _PassingError | httpx.TransportError)
