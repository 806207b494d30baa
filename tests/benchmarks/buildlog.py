"""What it costs to say why a build broke, from a log of 300 MB that is made on the fly."""

import resource
import time
from collections.abc import Iterator

from bot.core.buildlog.reader import read_build_log

BYTES = 300_000_000
PIECE = 128 * 1024

COMPILER = (
    "c++ -pthread -Wsign-compare -DNDEBUG -g -O3 -Wall -fPIC -I/opt/venv/lib/python3.12/site-packages/torch/"
    "include -I/usr/local/cuda/include/cccl -c csrc/{n}.cpp -o build/temp.linux-x86_64/csrc/{n}.o -std=c++17"
)
CHATTER = (
    "Get:{n} http://archive.ubuntu.com/ubuntu noble/main amd64 libibverbs-dev amd64 50.0-2 [680 kB]",
    "Setting up rdma-core (50.0-2) ...",
    "copying megatron/core/models/gpt/gpt_model.py -> build/lib/megatron/core/models/gpt",
    "[{n}/900] /usr/local/cuda/bin/nvcc --generate-code=arch=compute_90,code=sm_90 -c kernel_{n}.cu",
    'warning #177-D: variable "unused" was declared but never referenced',
    "DEBUG Searching for a compatible version of numpy (>=1.26)",
    "DEBUG Using request timeout of 30s",
)
HEAD = '#0 building with "default" instance using docker driver\n\n#12 [main 5/20] RUN uv sync --locked\n'
TAIL = (
    "#12 900.1   x Failed to build `transformer-engine-torch==2.18.0`\n"
    "#12 900.1       g++: fatal error: Killed signal terminated program cc1plus\n"
    '#12 ERROR: process "/bin/sh -c uv sync --locked" did not complete successfully: exit code: 1\n'
)


def stretch() -> bytes:
    """Return some thousand lines as builds write them; most of a log is this."""
    lines = [f"#12 {n / 10:.1f} {text.format(n=n)}" for n in range(1_000) for text in (COMPILER, *CHATTER)]
    return ("\n".join(lines) + "\n").encode()


def pieces(middle: bytes, size: int) -> Iterator[bytes]:
    """Yield a log of about `size` bytes in pieces."""
    yield HEAD.encode()
    for _ in range(size // len(middle)):
        for at in range(0, len(middle), PIECE):
            yield middle[at : at + PIECE]
    yield TAIL.encode()


def main() -> None:
    middle = stretch()
    began = time.process_time()
    diagnosis = read_build_log(pieces(middle, BYTES))
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    names = ", ".join(it.cause for it in diagnosis.causes)
    print(f"{BYTES / 1e6:.0f} MB, {diagnosis.line_count} lines: {names}; peak memory {memory:.0f} MiB")
    print(f"{seconds:.1f} s CPU, {BYTES / 1e6 / seconds:.0f} MB/s")


if __name__ == "__main__":
    main()
