"""A local web server whose answers a test decides, and which remembers what it received."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class Received:
    """A request as it came over the wire: the path with its query, header names in lower case."""

    path: str
    headers: dict[str, str]

    @property
    def authorization(self) -> str | None:
        return self.headers.get("authorization")


@dataclass(frozen=True)
class Reply:
    """What to send. `promised` is a Content-Length that is not kept; headers may repeat."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str | list[str]] = field(default_factory=dict)
    promised: int | None = None


class StubServer:
    """Serves `answer` on a free port of 127.0.0.1 while it is entered."""

    def __init__(self, answer: Callable[[Received], Reply]) -> None:
        self.received: list[Received] = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                request = Received(self.path, {key.lower(): value for key, value in self.headers.items()})
                stub.received.append(request)
                self._send(answer(request))

            def _send(self, reply: Reply) -> None:
                self.send_response(reply.status)
                length = len(reply.body) if reply.promised is None else reply.promised
                for key, value in {"Content-Length": str(length), **reply.headers}.items():
                    for one in [value] if isinstance(value, str) else value:
                        self.send_header(key, one)
                self.end_headers()
                try:
                    self.wfile.write(reply.body)
                except ConnectionError:
                    # The client has read as much as it wanted.
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
