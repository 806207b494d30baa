"""GitLab's REST API as an ASGI application over the lab's world."""

import json
import re
from collections.abc import Callable, Mapping
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from bot.lab.github_api import Fault, LogEntry
from bot.lab.gitlab.call import Answer, Call, Refusal
from bot.lab.gitlab.model import Job, Token
from bot.lab.gitlab.routes import ROUTES, Handler
from bot.lab.gitlab.storage import ObjectStorage, cut
from bot.lab.gitlab.world import GitLabWorld

_PATTERNS = tuple(
    (method, re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)), handler)
    for method, path, handler in ROUTES
)


def too_many_requests(path: str, retry_after: int, *, times: int = 1) -> Fault:
    """Return the refusal of a client that asks too much; `retry_after` is in seconds."""
    return Fault("GET", path, 429, "Retry later", {"Retry-After": str(retry_after)}, times=times)


class GitLabApi:
    """The application, with its log of requests and the faults to come.

    With `direct_download` artifacts are answered with a redirect to the object storage, otherwise GitLab
    sends them itself, and `ranges` tells whether it serves parts of them. `before_request` is called
    with method and path ahead of each request. Paths are those of the wire, `%2F` and all.
    """

    def __init__(self, world: GitLabWorld, storage: ObjectStorage, storage_url: str) -> None:
        self._world = world
        self._storage = storage
        self._storage_url = storage_url
        self.direct_download = True
        self.ranges = True
        self.log: list[LogEntry] = []
        self.faults: list[Fault] = []
        self.before_request: Callable[[str, str], None] = lambda _method, _path: None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        raw = await request.body()
        with self._world.lock:
            response = self._respond(request, raw)
        await response(scope, receive, send)

    def _respond(self, request: Request, raw: bytes) -> Response:
        method, path = request.method, request.scope["raw_path"].decode("ascii").partition("?")[0]
        self.before_request(method, path)
        answer = self._answer(request, method, path, raw)
        headers = {"X-Request-Id": f"lab-{len(self.log) + 1}", **answer.headers}
        if isinstance(answer.body, bytes):
            content = answer.body
        elif isinstance(answer.body, list | dict):
            content, headers = (
                json.dumps(answer.body).encode(),
                {"Content-Type": "application/json", **headers},
            )
        else:
            self.log.append(LogEntry(method, path, request.url.query, answer.status, len(raw), 0))
            return StreamingResponse(answer.body, answer.status, headers)
        self.log.append(LogEntry(method, path, request.url.query, answer.status, len(raw), len(content)))
        return Response(content, answer.status, headers)

    def _answer(self, request: Request, method: str, path: str, raw: bytes) -> Answer:
        fault = next((it for it in self.faults if it.meets(method, path)), None)
        if fault is None:
            return self._carry_out(request, method, path, raw)
        fault.times -= 1
        if fault.carried_out:
            self._carry_out(request, method, path, raw)
        return Answer({"message": fault.message}, fault.status, fault.headers)

    def _carry_out(self, request: Request, method: str, path: str, raw: bytes) -> Answer:
        try:
            handler, parts = _route(method, path)
            url = str(request.base_url).rstrip("/")
            call = Call(
                world=self._world,
                token=self._authenticate(request.headers),
                url=url,
                here=f"{url}{path}",
                path=parts,
                query=dict(request.query_params),
                headers=request.headers,
                body=json.loads(raw) if raw else None,
                download=self._download,
            )
            return handler(call)
        except Refusal as refusal:
            return refusal.answer

    def _authenticate(self, headers: Mapping[str, str]) -> Token:
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        token = headers.get("private-token") or bearer
        if not token:
            return Token(frozenset({"read_api", "read_repository"}), frozenset())
        if token not in self._world.tokens:
            raise Refusal(401, {"message": "401 Unauthorized"})
        return self._world.tokens[token]

    def _download(self, job: Job, headers: Mapping[str, str]) -> Answer:
        if job.archive is None:
            raise AssertionError("only a job with artifacts is downloaded from")
        if self.direct_download:
            return Answer(b"", 302, {"Location": self._storage_url + self._storage.offer(job.archive)})
        return cut(job.archive.zip(), headers.get("range") if self.ranges else None)


def _route(method: str, path: str) -> tuple[Handler, dict[str, str]]:
    for wanted, pattern, handler in _PATTERNS:
        found = pattern.fullmatch(path)
        if found and wanted == method:
            return handler, {name: unquote(part) for name, part in found.groupdict().items()}
    raise Refusal(404, {"error": "404 Not Found"})
