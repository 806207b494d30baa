"""A real git server over smart HTTP on loopback: `git http-backend` behind a token."""

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

QUIET = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *arguments: str) -> str:
    words = ("git", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.com", *arguments)
    return subprocess.run(
        words, cwd=folder, env=QUIET, check=True, capture_output=True, text=True
    ).stdout.strip()


class GitServer:
    """Serves the bare repositories of a folder to those who send `token`; `requests` is what came."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = "git-token"
        self.requests: list[str] = []
        self.url = ""

    def create(self, name: str) -> Path:
        path = self.folder / name
        path.mkdir(parents=True)
        git(path, "init", "--quiet", "--bare", "--initial-branch=main", ".")
        for key in ("http.receivepack", "uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
            git(path, "config", key, "true")
        return path

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path, _, query = handler.path.partition("?")
        self.requests.append(f"{handler.command} {handler.path}")
        basic = base64.b64encode(f"oauth2:{self.token}".encode()).decode()
        if handler.headers.get("Authorization") != f"Basic {basic}":
            handler.send_response(401)
            handler.send_header("WWW-Authenticate", 'Basic realm="GitLab"')
            handler.end_headers()
            return
        environ = {
            **QUIET,
            "GIT_PROJECT_ROOT": str(self.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": handler.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding", ""),
            "CONTENT_TYPE": handler.headers.get("Content-Type", ""),
            "REQUEST_METHOD": handler.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REMOTE_USER": "oauth2",
        }
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        done = subprocess.run(
            ["git", "http-backend"], env=environ, input=body, capture_output=True, check=True
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        handler.send_response(int(headers.pop("Status", "200").split()[0]))
        for key, value in headers.items():
            handler.send_header(key, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)


@contextmanager
def serving_git(folder: Path) -> Iterator[GitServer]:
    server = GitServer(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.answer(self)

        def do_POST(self) -> None:
            server.answer(self)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        server.url = f"http://127.0.0.1:{httpd.server_port}"
        thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            httpd.shutdown()
            thread.join()
