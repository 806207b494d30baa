"""The store of logs and artifacts: another host than the API, with short-lived signed addresses.

GitHub keeps them in Azure Blob Storage, which takes `bytes=a-b` and `bytes=a-` and answers any other
range with the whole blob, and refuses a signed address that comes with an `Authorization` header.
https://learn.microsoft.com/rest/api/storageservices/specifying-the-range-header-for-blob-service-operations
"""

import asyncio
import hmac
import logging
import re
import secrets
import time
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from itertools import count
from typing import Literal
from urllib.parse import parse_qs, urlencode

from starlette.types import Receive, Scope, Send

LIFETIME = 60
"""Seconds for which an address is good: https://docs.github.com/rest/actions/artifacts."""

Content = Callable[[], bytes | Iterable[bytes]]
"""Makes what a blob holds whenever somebody asks for it: as a whole, or in pieces of an unknown sum."""

Ranges = Literal["azure", "all", "none"]
"""Which `Range` headers are obeyed: those of Azure, ranges from the end as well, or none at all."""

Header = tuple[bytes, bytes]


@dataclass(slots=True)
class BlobRequest:
    """A request to the store: `range` is the header as it came, `sent` counts the bytes that went."""

    method: str
    path: str
    range: str | None
    status: int
    sent: int = 0


@dataclass(slots=True)
class BlobFault:
    """What goes wrong the next `times`: a status instead of the blob, or a cut after `reset_after` bytes."""

    status: int = HTTPStatus.SERVICE_UNAVAILABLE
    reset_after: int | None = None
    times: int = 1


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    headers: tuple[Header, ...]
    body: Iterable[bytes]


class BlobStore:
    """The application; `url` is its origin, `violations` a sentence for each request that told a secret.

    `latency` is in seconds before each answer, `ranges` what the store can do, `faults` what comes.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.url = ""
        self.latency = 0.0
        self.ranges: Ranges = "azure"
        self.faults: list[BlobFault] = []
        self.log: list[BlobRequest] = []
        self.violations: list[str] = []
        self._clock = clock
        self._sleep = sleep
        self._key = secrets.token_bytes(16)
        self._numbers = count(1)
        self._contents: dict[str, tuple[Content, str]] = {}

    def link(self, content: Content, media_type: str) -> str:
        """Return a new address of a blob, good for a minute."""
        path = f"/actions-results/{next(self._numbers):08x}"
        self._contents[path] = (content, media_type)
        until = f"{self._clock() + LIFETIME:.3f}"
        return f"{self.url}{path}?{urlencode({'se': until, 'sp': 'r', 'sig': self._sign(path, until)})}"

    def forget(self) -> None:
        """Let every address that was handed out expire."""
        self._key = secrets.token_bytes(16)

    def _sign(self, path: str, until: str) -> str:
        return hmac.digest(self._key, f"{path}\n{until}".encode(), "sha256").hex()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Answer one request."""
        if self.latency:
            await self._sleep(self.latency)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        fault = next((fault for fault in self.faults if fault.times > 0), None)
        reply, cut = self._reply(scope, headers), None
        if fault is not None:
            fault.times -= 1
            cut = fault.reset_after
            reply = reply if cut is not None else _error(fault.status, "ServerBusy")
        request = BlobRequest(scope["method"], scope["path"], headers.get("range"), reply.status)
        self.log.append(request)
        await _send(send, reply, cut, request)

    def _reply(self, scope: Scope, headers: dict[str, str]) -> _Reply:
        method, path = scope["method"], scope["path"]
        if "authorization" in headers:
            self.violations.append(f"{method} {path} came with an Authorization header")
            return _error(HTTPStatus.BAD_REQUEST, "InvalidAuthenticationInfo")
        query = parse_qs(scope["query_string"].decode("latin-1"))
        until, signature = query.get("se", [""])[0], query.get("sig", [""])[0]
        if not hmac.compare_digest(signature.encode(), self._sign(path, until).encode()):
            return _error(HTTPStatus.FORBIDDEN, "AuthenticationFailed")
        if float(until) <= self._clock():
            return _error(HTTPStatus.FORBIDDEN, "AuthenticationFailed")
        if method not in {"GET", "HEAD"}:
            return _error(HTTPStatus.METHOD_NOT_ALLOWED, "UnsupportedHttpVerb")
        make, media_type = self._contents[path]
        content = make()
        common = [(b"content-type", media_type.encode())]
        if isinstance(content, bytes):
            return self._whole_or_part(content, headers.get("range"), common)
        return _Reply(HTTPStatus.OK, tuple(common), content)

    def _whole_or_part(self, content: bytes, asked: str | None, common: list[Header]) -> _Reply:
        length = len(content)
        common.append((b"etag", b'"0x%08X"' % zlib.crc32(content)))
        if self.ranges != "none":
            common.append((b"accept-ranges", b"bytes"))
        part = _part(asked or "", length, from_end=self.ranges == "all") if self.ranges != "none" else None
        if part is None:
            return _Reply(HTTPStatus.OK, (*common, (b"content-length", b"%d" % length)), [content])
        first, last = part
        if first > last:
            refusal = _error(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, "InvalidRange")
            unsatisfied = (b"content-range", b"bytes */%d" % length)
            return _Reply(refusal.status, (*refusal.headers, unsatisfied), refusal.body)
        headers = (
            *common,
            (b"content-range", b"bytes %d-%d/%d" % (first, last, length)),
            (b"content-length", b"%d" % (last - first + 1)),
        )
        return _Reply(HTTPStatus.PARTIAL_CONTENT, headers, [content[first : last + 1]])


def _part(asked: str, length: int, *, from_end: bool) -> tuple[int, int] | None:
    """Return the first and last byte that a `Range` header means, None where it means the whole blob."""
    found = re.fullmatch(r"bytes=([0-9]*)-([0-9]*)", asked)
    if found is None or found[0] == "bytes=-":
        return None
    if not found[1]:
        return (max(length - int(found[2]), 0), length - 1 if int(found[2]) else -1) if from_end else None
    first, last = int(found[1]), int(found[2] or length)
    if last < first:
        return None
    return (first, min(last, length - 1))


def _error(status: int, code: str) -> _Reply:
    body = f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code></Error>'.encode()
    headers = ((b"content-type", b"application/xml"), (b"content-length", b"%d" % len(body)))
    return _Reply(status, headers, [body])


async def _send(send: Send, reply: _Reply, cut: int | None, request: BlobRequest) -> None:
    """Send an answer and count the bytes of its body; one that is `cut` is never ended."""
    await send({"type": "http.response.start", "status": reply.status, "headers": list(reply.headers)})
    head = request.method == "HEAD"
    for piece in () if head else _until(reply.body, cut):
        request.sent += len(piece)
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    if cut is None or head:
        await send({"type": "http.response.body", "body": b""})


def _until(pieces: Iterable[bytes], cut: int | None) -> Iterator[bytes]:
    for piece in pieces:
        if cut is None:
            yield piece
            continue
        yield piece[:cut]
        cut -= len(piece)
        if cut <= 0:
            return


def _is_no_cut(record: logging.LogRecord) -> bool:
    return "without completing response" not in record.getMessage()


# An answer that is not ended is how uvicorn is told to cut the connection; here it is meant.
logging.getLogger("uvicorn.error").addFilter(_is_no_cut)
