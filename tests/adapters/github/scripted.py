"""A server that says, one after another, what a test tells it to say."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class Reply:
    """An answer: `body` is sent as JSON, or as it is if it is bytes; with `lost` the connection just ends."""

    status: int = 200
    body: Any = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    lost: bool = False


@dataclass(frozen=True)
class Heard:
    """A request: its method, target, headers and JSON body."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: Any


@dataclass
class Scripted:
    """The server: `replies` are used up from the front, `heard` grows."""

    url: str = ""
    replies: list[Reply] = field(default_factory=list)
    heard: list[Heard] = field(default_factory=list)


@contextmanager
def serving() -> Iterator[Scripted]:
    """Serve on a free port of loopback until the block ends."""
    script = Scripted()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.loads(raw) if raw else None
            script.heard.append(Heard(self.command, self.path, dict(self.headers), body))
            reply = script.replies.pop(0) if script.replies else Reply(599, {"message": "nothing to say"})
            if reply.lost:
                self.close_connection = True
                return
            content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = answer  # noqa: N815 - names of http.server

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        script.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()
