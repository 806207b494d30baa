"""The object storage behind the lab's GitLab: zips under short-lived addresses, on an origin of its own."""

import re
import secrets
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bot.lab.gitlab.call import Answer
from bot.lab.gitlab.model import Archive

_CREDENTIALS = ("private-token", "authorization", "job-token")


def cut(content: bytes, asked: str | None) -> Answer:
    """Return a file, or the part that a `Range` header asks for (RFC 9110 §14; one range of bytes)."""
    headers = {"Accept-Ranges": "bytes", "Content-Type": "application/zip"}
    found = re.fullmatch(r"bytes=([0-9]*)-([0-9]*)", asked or "")
    if not found or not any(found.groups()):
        return Answer(content, headers=headers)
    size = len(content)
    first, last = found.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last), size - 1) if first and last else size - 1
    if start >= size or start > end:
        return Answer(b"", 416, headers | {"Content-Range": f"bytes */{size}"})
    return Answer(content[start : end + 1], 206, headers | {"Content-Range": f"bytes {start}-{end}/{size}"})


class ObjectStorage:
    """An ASGI application; `ranges` tells whether it serves parts of files.

    `told_secrets` names each credential that a client sent along, which none ever should.
    """

    def __init__(self) -> None:
        self.ranges = True
        self.told_secrets: list[str] = []
        self.requests: list[str] = []
        self._files: dict[str, Archive] = {}

    def offer(self, archive: Archive) -> str:
        """Return the path, with signature, under which an archive can be had."""
        signature = secrets.token_hex(8)
        self._files[signature] = archive
        return f"/artifacts/{archive.filename}?X-Amz-Expires=600&X-Amz-Signature={signature}"

    def expire(self) -> None:
        """Make every address that was handed out worthless."""
        self._files.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        answer = self._answer(request.query_params.get("X-Amz-Signature", ""), request.headers)
        await Response(answer.body, answer.status, dict(answer.headers))(scope, receive, send)

    def _answer(self, signature: str, headers: Mapping[str, str]) -> Answer:
        self.requests.append(headers.get("range", ""))
        self.told_secrets.extend(name for name in _CREDENTIALS if name in headers)
        archive = self._files.get(signature)
        if archive is None:
            return Answer(b"<Error><Code>AccessDenied</Code></Error>", 403, {"Content-Type": "text/xml"})
        return cut(archive.zip(), headers.get("range") if self.ranges else None)
