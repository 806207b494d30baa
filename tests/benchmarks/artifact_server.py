"""GitHub's artifacts of one run on this machine, large and slow: a server for a benchmark, run as a process.

Each answer takes `LATENCY` seconds more than it has to. The artifacts are like those of a functional test:
rank logs that hardly pack, and one golden, which is not at the end of the zip.
"""

import asyncio
import io
import json
import random
import re
import sys
import zipfile
from collections.abc import Mapping

from bot.lab.server import serving
from tests.benchmarks.artifact_run import ARTIFACTS, GOLDEN, LATENCY, RUN, SIZE, golden, name

LAST_LOG = 200_000


def beginning_and_ends() -> tuple[bytes, list[bytes]]:
    """Return the bytes with which all zips begin, and those with which each ends."""
    chance, target = random.Random(0), io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for rank in range(8):
            archive.writestr(f".logs/0/attempt_0/{rank}/stderr.log", chance.randbytes((SIZE - LAST_LOG) // 8))
        beginning = archive.start_dir
    begun, ends, last = target.getvalue(), [], chance.randbytes(LAST_LOG)
    for number in range(ARTIFACTS):
        target = io.BytesIO(begun)
        with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(GOLDEN, golden(number))
            archive.writestr("logs/nccl_debug.log", last)
        ends.append(target.getvalue()[beginning:])
    return begun[:beginning], ends


class Server:
    """The application; `sent` counts the bytes of artifacts on the wire, without headers."""

    def __init__(self) -> None:
        self.beginning, self.ends = beginning_and_ends()
        self.url = ""
        self.sent = 0

    async def __call__(self, scope, receive, send) -> None:
        path = scope["path"]
        if path == "/sent":
            body, self.sent = json.dumps(self.sent).encode(), 0
            await self.answer(send, 200, body)
            return
        await asyncio.sleep(LATENCY)
        if found := re.fullmatch(r"/blob/(\d+)", path):
            await self.blob(
                send, int(found[1]), {key.decode(): value.decode() for key, value in scope["headers"]}
            )
        elif found := re.fullmatch(r".*/artifacts/(\d+)/zip", path):
            await self.answer(send, 302, b"", {"location": f"{self.url}/blob/{found[1]}"})
        else:
            await self.answer(send, 200, json.dumps(self.document(path)).encode())

    async def blob(self, send, number: int, headers: Mapping[str, str]) -> None:
        size = len(self.beginning) + len(self.ends[number])
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", headers.get("range", ""))
        start, stop = (int(found[1]), min(int(found[2]) + 1, size)) if found else (0, size)
        part = {"content-range": f"bytes {start}-{stop - 1}/{size}"} if found else {}
        first = memoryview(self.beginning)[start:stop]
        begun = len(self.beginning)
        rest = memoryview(self.ends[number])[max(0, start - begun) : max(0, stop - begun)]
        self.sent += stop - start
        await self.answer(send, 206 if found else 200, (first, rest), {**part, "etag": f'"{number}"'})

    async def answer(self, send, status: int, body, headers: Mapping[str, str] | None = None) -> None:
        parts = (body,) if isinstance(body, bytes) else body
        fields = {"content-length": str(sum(len(part) for part in parts)), **(headers or {})}
        raw = [(key.encode(), value.encode()) for key, value in fields.items()]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        for part in parts:
            for at in range(0, len(part), 1 << 18):
                await send(
                    {
                        "type": "http.response.body",
                        "body": bytes(part[at : at + (1 << 18)]),
                        "more_body": True,
                    }
                )
        await send({"type": "http.response.body"})

    def document(self, path: str) -> object:
        if path.endswith("/jobs"):
            return {
                "jobs": [
                    {"name": f"gpt/{name(it)} - latest", "conclusion": "failure"} for it in range(ARTIFACTS)
                ]
            }
        if path.endswith("/artifacts"):
            return {"artifacts": [self.listed(number) for number in range(ARTIFACTS)]}
        return {"status": "completed", "conclusion": "failure"}

    def listed(self, number: int) -> dict[str, object]:
        size = len(self.beginning) + len(self.ends[number])
        return {"id": number, "name": f"logs-{name(number)}-{RUN}-{number:08x}", "size_in_bytes": size}


def main() -> None:
    server = Server()
    with serving() as stage:
        server.url, stage.app = stage.url, server
        print(stage.url, flush=True)
        # The parent ends it by closing its input.
        sys.stdin.read()


if __name__ == "__main__":
    main()
