"""A GitLab server of one project: the repository files API, and the ways in which it fails."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

Answer = tuple[int, str, bytes]
"""Status, content type and body."""


@dataclass(frozen=True)
class Request:
    """A request as it came in; `path` is still percent-encoded."""

    method: str
    path: str
    query: dict[str, list[str]]
    token: str | None

    @property
    def ref(self) -> str:
        return self.query["ref"][0]


@dataclass
class StubGitLab:
    """`branches` holds the commit of each branch, `files` the tree of each commit.

    `faults` answer the next requests, one each, instead of the server; `after_request` runs once a
    request was answered, so that a test can push in between.
    """

    project: str = "group/sub/name"
    token: str = "reader"
    branches: dict[str, str] = field(default_factory=dict)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    faults: list[Callable[[], Answer]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    after_request: Callable[[], None] = lambda: None
    url: str = ""

    def push(self, branch: str, commit: str, files: dict[str, bytes]) -> None:
        self.branches[branch] = commit
        self.files[commit] = files

    def answer(self, request: Request) -> Answer:
        self.requests.append(request)
        try:
            return self.faults.pop(0)() if self.faults else self._file(request)
        finally:
            self.after_request()

    def _file(self, request: Request) -> Answer:
        if request.token != self.token:
            return message(401, "401 Unauthorized")
        _, _, _, _, project, *rest = request.path.split("/")
        if unquote(project) != self.project:
            return message(404, "404 Project Not Found")
        if rest[:2] != ["repository", "files"] or len(rest) != 3:
            return document(404, {"error": "404 Not Found"})
        commit = self.branches.get(request.ref, request.ref)
        if commit not in self.files:
            return message(404, "404 Commit Not Found")
        path = unquote(rest[2])
        if path not in self.files[commit]:
            return message(404, "404 File Not Found")
        return document(200, file_document(path, request.ref, commit, self.files[commit][path]))


def file_document(path: str, ref: str, commit: str, content: bytes) -> dict[str, object]:
    return {
        "file_name": path.rpartition("/")[2],
        "file_path": path,
        "size": len(content),
        "encoding": "base64",
        "content_sha256": hashlib.sha256(content).hexdigest(),
        "ref": ref,
        "blob_id": hashlib.sha1(b"blob %d\0%b" % (len(content), content)).hexdigest(),
        "commit_id": commit,
        "last_commit_id": commit,
        "execute_filemode": False,
        "content": base64.b64encode(content).decode(),
    }


def document(status: int, content: object) -> Answer:
    return status, "application/json", json.dumps(content).encode()


def message(status: int, text: str) -> Answer:
    return document(status, {"message": text})


def text(status: int, content: str) -> Answer:
    return status, "text/plain", content.encode()


def page(status: int) -> Answer:
    return status, "text/html; charset=utf-8", b"<!DOCTYPE html><title>Sign in</title>"


def late(seconds: float) -> Answer:
    time.sleep(seconds)
    return message(200, "too late")


@contextmanager
def serving(stub: StubGitLab) -> Iterator[StubGitLab]:
    """Serve `stub` on a free port of the loopback interface; its address is `stub.url`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            request = Request("get", parts.path, parse_qs(parts.query), self.headers["PRIVATE-TOKEN"])
            status, content_type, body = stub.answer(request)
            self.send_response(status)
            if status in {301, 302}:
                self.send_header("Location", body.decode())
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            # A client that gave up waiting is no fault of the server.
            with suppress(ConnectionError):
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        stub.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield stub
        finally:
            server.shutdown()
            thread.join()
