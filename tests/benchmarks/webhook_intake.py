"""How fast webhooks are answered, beside an endpoint that does nothing but check the same signature.

Both run on one server process in turn, under the same deliveries from the same client: real payloads of
the events that the bot reads, each of them pokes or is ignored as it would be.
"""

import asyncio
import hashlib
import hmac
import json
import multiprocessing
import secrets
import statistics
import time
from multiprocessing.connection import Connection

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from bot.core.watch import Watch, Watched
from bot.engine.memory import MemoryQueue
from bot.github.webhook import EVENTS, github_delivery
from bot.lab.server import serving
from bot.web.app import create_app
from bot.web.intake import Intake, Source
from tests.adapters.github.deliveries import corpus, example, signed

CONNECTIONS = 16
DELIVERIES = 3_000
ROUNDS = 5
PER_SECOND = 200
SECONDS = 10


def empty(secret: str) -> Starlette:
    """Return an application that checks the signature and answers."""

    async def receive(request: Request) -> PlainTextResponse:
        body = await request.body()
        expected = f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"
        fits = hmac.compare_digest(request.headers["x-hub-signature-256"], expected)
        return PlainTextResponse("", 202 if fits else 401)

    return Starlette(routes=[Route("/webhooks/github", receive, methods=["POST"])])


def intake(secret: str) -> Starlette:
    """Return the bot's application, with a queue that works on every poke."""
    queue = MemoryQueue(time.monotonic, secrets.SystemRandom().random, lambda *_: None)
    queue.start(lambda _key: None)
    watch = Watch([Watched("Codertocat/Hello-World", frozenset({"master"}))])
    return create_app(Intake({"github": Source(github_delivery, (secret,))}, watch, queue), queue)


def serve(kind: str, secret: str, pipe: Connection) -> None:
    """Serve one of the two until the other end of the pipe says something."""
    with serving() as stage:
        stage.app = {"empty": empty, "intake": intake}[kind](secret)
        pipe.send(int(stage.url.rpartition(":")[2]))
        pipe.recv()


def deliveries(secret: str) -> list[bytes]:
    """Return whole requests: every real payload that the bot reads, and as many commands."""
    bodies = [(event, payload) for event in EVENTS for payload in corpus()[event]]
    command = example("issue_comment", "created")
    command["comment"]["body"] = "/bot status"
    bodies += [("issue_comment", command)] * len(bodies)
    requests = []
    for event, payload in bodies:
        body = json.dumps(payload).encode()
        headers = {"host": "bot", "content-length": str(len(body)), **signed(event, body, secret)}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        requests.append(f"POST /webhooks/github HTTP/1.1\r\n{lines}\r\n".encode() + body)
    return requests


async def deliver(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> None:
    """Send one request on a connection that stays open, and read its answer."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 202 "):
        raise SystemExit(head.decode())
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(int(length.partition(b":")[2]))


async def throughput(port: int, requests: list[bytes]) -> float:
    """Return how many deliveries a second are answered when the next one is sent at once."""
    left = iter(requests[number % len(requests)] for number in range(DELIVERIES))

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for request in left:
            await deliver(reader, writer, request)
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return DELIVERIES / (time.perf_counter() - started)


async def latencies(port: int, requests: list[bytes]) -> list[float]:
    """Return the milliseconds to each answer, counted from the moment at which it was to be sent."""
    free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(await asyncio.open_connection("127.0.0.1", port))
    told: list[float] = []

    async def one(request: bytes, due: float) -> None:
        connection = await free.get()
        await deliver(*connection, request)
        told.append((time.perf_counter() - due) * 1000)
        free.put_nowait(connection)

    started = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for number in range(PER_SECOND * SECONDS):
            due = started + number / PER_SECOND
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.create_task(one(requests[number % len(requests)], due))
    while not free.empty():
        free.get_nowait()[1].close()
    return sorted(told)


def main() -> None:
    secret = secrets.token_hex(16)
    requests = deliveries(secret)
    ports, pipes = {}, []
    context = multiprocessing.get_context("spawn")
    for kind in ("empty", "intake"):
        here, there = context.Pipe()
        context.Process(target=serve, args=(kind, secret, there), daemon=True).start()
        ports[kind] = here.recv()
        pipes.append(here)
    rates: dict[str, list[float]] = {kind: [] for kind in ports}
    for _ in range(ROUNDS):
        for kind, port in ports.items():
            rates[kind].append(asyncio.run(throughput(port, requests)))
    size = statistics.mean(map(len, requests)) / 1024
    print(f"{len(requests)} different deliveries of {size:.1f} KiB on average, {CONNECTIONS} connections")
    for kind, port in ports.items():
        ratios = [mine / theirs for mine, theirs in zip(rates[kind], rates["empty"], strict=True)]
        times = asyncio.run(latencies(port, requests))
        middle, late = times[len(times) // 2], times[len(times) * 99 // 100]
        print(
            f"{kind:7} {statistics.median(rates[kind]):7.0f} deliveries/s, "
            f"{statistics.median(ratios):.2f} x empty (median of {ROUNDS}, lowest {min(ratios):.2f}); "
            f"at {PER_SECOND}/s: p50 {middle:.1f} ms, p99 {late:.1f} ms"
        )
    for pipe in pipes:
        pipe.send("stop")


if __name__ == "__main__":
    main()
