"""What it costs to read the logs of a bad run: 150 logs, 1 GB together, made on the fly."""

import resource
import time
from collections.abc import Iterator

from bot.core.triage.log import read_log
from tests.core.triage.logs import JobLog, started

LOGS = 150
BYTES = 1_000_000_000
PIECE = 128 * 1024


def body() -> bytes:
    """Return a stretch of a log as trainings write it; most of a log is this."""
    chatter = (
        "WARNING:megatron.core.utils:this path is deprecated, use the other one instead",
        " [2026-08-22 10:00:00] rank 3 | memory (MB) | allocated: 20480.0 | max allocated: 40960.0",
        "INFO:megatron.core.timers:(min, max) time across ranks (ms): forward-compute: (120.1, 130.2)",
    )
    log = JobLog()
    while len(log.lines) < 4_000:
        log.train(5).task(*chatter)
    return log.bytes()


def pieces(head: bytes, stretch: bytes, tail: bytes, size: int) -> Iterator[bytes]:
    """Yield a log of about `size` bytes in pieces."""
    yield head
    for _ in range(size // len(stretch)):
        for at in range(0, len(stretch), PIECE):
            yield stretch[at : at + PIECE]
    yield tail


def main() -> None:
    head = started().bytes()
    tail = JobLog().check().failed({"lm loss": "exact", "num-zeros": "exact"}).restart().result().bytes()
    stretch = body()
    began, read = time.process_time(), 0

    def counted(log: Iterator[bytes]) -> Iterator[bytes]:
        nonlocal read
        for piece in log:
            read += len(piece)
            yield piece

    facts = [read_log("log", counted(pieces(head, stretch, tail, BYTES // LOGS))) for _ in range(LOGS)]
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    megabytes, lines = read / 1e6, sum(it.lines for it in facts)
    kept = sum(len(attempt) for it in facts for attempt in it.attempts)
    print(f"{LOGS} logs, {megabytes:.0f} MB, {lines} lines, {kept} facts; peak memory {memory:.0f} MiB")
    print(f"{seconds:.1f} s CPU, {megabytes / seconds:.0f} MB/s")


if __name__ == "__main__":
    main()
