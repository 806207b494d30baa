"""A store of artifacts on this machine, with the habits and faults of real ones."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.artifacts.reader import ZipReader
from bot.artifacts.transport import Patience
from bot.core.ci import Artifact
from tests.adapters.registry.stub_server import Received, Reply, StubServer

AT_ONCE = Patience(attempts=4, first_wait=0, longest_wait=0, jitter=0)


def artifact(number: int, size: int = 0, *, expired: bool = False) -> Artifact:
    return Artifact(number, 7, f"logs-test_{number}", size, expired, datetime(2026, 9, 1, tzinfo=UTC))


@dataclass
class Store:
    """Zips by the number of their artifact; `script` answers come first, one a request, where not None."""

    zips: dict[int, bytes] = field(default_factory=dict)
    script: list[Reply | Callable[[Reply], Reply] | None] = field(default_factory=list)
    ranges: bool = True
    etag: str = '"1"'
    url: str = ""
    received: list[Received] = field(default_factory=list)
    located: list[int] = field(default_factory=list)

    @property
    def asked(self) -> list[str]:
        """The ranges of all requests."""
        return [request.headers.get("range", "all").removeprefix("bytes=") for request in self.received]

    @property
    def artifacts(self) -> list[Artifact]:
        """All of them, with their sizes as CI lists them."""
        return [artifact(number, len(data)) for number, data in self.zips.items()]

    def locate(self, number: int) -> str:
        self.located.append(number)
        return f"{self.url}/{number}.zip?sig=secret{len(self.located)}"

    def reader(self, locate=None, **options) -> ZipReader:
        return ZipReader(locate or self.locate, [self.url], **({"patience": AT_ONCE} | options))

    def read_only(self, data: bytes, wanted=lambda _: True, **options):
        """Put one artifact in, and return what is read of it."""
        self.zips = {1: data}
        return self.reader(**options).read(self.artifacts, lambda _, name: wanted(name))[1]

    def answer(self, request: Received) -> Reply:
        self.received.append(request)
        scripted = self.script.pop(0) if self.script else None
        if isinstance(scripted, Reply):
            return scripted
        reply = self._serve(request)
        return scripted(reply) if scripted else reply

    def _serve(self, request: Received) -> Reply:
        found = re.fullmatch(r"/(\d+)\.zip\?.*", request.path)
        data = self.zips.get(int(found[1])) if found else None
        if data is None:
            return Reply(404, b"<Error>BlobNotFound</Error>")
        if request.headers.get("if-match", self.etag) != self.etag:
            return Reply(412)
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers.get("range", ""))
        if span is None or not self.ranges:
            return Reply(200, data, {"ETag": self.etag})
        start, stop = int(span[1]), min(int(span[2]) + 1, len(data))
        if start >= len(data):
            return Reply(416, b"", {"Content-Range": f"bytes */{len(data)}"})
        headers = {"Content-Range": f"bytes {start}-{stop - 1}/{len(data)}", "ETag": self.etag}
        return Reply(206, data[start:stop], headers)


@contextmanager
def running() -> Iterator[Store]:
    """Serve an empty store until the block ends."""
    store = Store()
    with StubServer(store.answer) as server:
        store.url = server.url
        yield store
