"""The logs of the small Megatron-LM's CI, in the forms that the real ones have: times, colours, traps.

What is written here and is no evidence is there on purpose: a box that says PASSED while the job was
cancelled, a traceback that quotes other messages than the one that was raised.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

Line = tuple[float, str]
"""The seconds since the job began, and the text."""

_RED, _GREEN, _BLUE, _OFF = "\x1b[1;31m", "\x1b[1;32m", "\x1b[1;34m", "\x1b[0m"
_PYTHON_TESTS = "tests/functional_tests/python_test_utils"
_PIECE = 64 * 1024
CANCELED = "##[error]The operation was canceled."


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of a metric: exactly equal, or else equal within its tolerance."""

    metric: str
    exact: bool = True
    approximate: bool = True


def render(lines: Iterable[Line], begun_at: datetime) -> Iterator[bytes]:
    """Yield a log in pieces, as GitHub stores it: a mark at its beginning, the time before each line."""
    piece = bytearray(b"\xef\xbb\xbf")
    for seconds, text in lines:
        at = begun_at + timedelta(seconds=seconds)
        piece += f"{at:%Y-%m-%dT%H:%M:%S.%f}0Z {text}\n".encode()
        if len(piece) >= _PIECE:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


def opening(test: str, platform: str, scope: str, sha: str) -> Iterator[Line]:
    """Yield how a test job begins."""
    yield 0, "Current runner version: '2.333.0'"
    yield 0, "##[group]Runner Image Provisioner"
    yield 0, "##[endgroup]"
    yield 2, "##[group]Run docker pull registry.example.org/megatron-lm:" + sha
    yield 40, "##[endgroup]"
    rule = "─" * 74
    yield 41, f"{_BLUE}┌─ launching test {rule[17:]}┐{_OFF}"
    yield 41, f"{_BLUE}│  test case : {test}{_OFF}"
    yield 41, f"{_BLUE}│  platform  : {platform}   scope: {scope}{_OFF}"
    yield 41, f"{_BLUE}└{rule}┘{_OFF}"
    yield 41, "##[group]Logs"


def training(at: float, steps: range, total: int, seconds: float, begun_at: datetime) -> Iterator[Line]:
    """Yield the iterations of a training that begins at `at` and takes `seconds` for each step."""
    for n, step in enumerate(steps):
        now = at + n * seconds
        clock = (begun_at + timedelta(seconds=now)).strftime("%Y-%m-%d %H:%M:%S.%f")
        shown = (
            f" [{clock}] iteration {step:8d}/{total:8d} | consumed samples: {step * 32:12d} |"
            f" elapsed time per iteration (ms): {seconds * 1000:.1f} | lm loss: {10.8 - step / 50:.6E} |"
            " loss scale: 1.0 | grad norm: 3.141 | num zeros: 1024 |"
        )
        yield now, shown


def pytest_session(at: float, comparisons: Sequence[Comparison], node: str) -> Iterator[Line]:
    """Yield a pytest that compares; it fails where an exact or an approximate comparison does."""
    name = f"{_PYTHON_TESTS}/{node}"
    yield at, "Running pytest checks against golden values"
    yield at + 1, f"{'=' * 29} test session starts {'=' * 30}"
    yield at + 2, f"{name} "
    yield at + 2, f"{'-' * 32} live log call {'-' * 33}"
    yield from ((at + 2, line) for line in _live(comparisons))
    failed = [it.metric for it in comparisons for passed in (it.exact, it.approximate) if not passed]
    if not failed:
        yield at + 3, f"\x1b[32mPASSED{_OFF}\x1b[32m                  [100%]{_OFF}"
        yield at + 3, f"\x1b[32m{'=' * 30} \x1b[32m\x1b[1m1 passed{_OFF}\x1b[32m in 1.52s{_OFF}"
        return
    yield from ((at + 3, line) for line in _failure(failed, name, comparisons))


def output_session(at: float, complaints: Sequence[str], node: str) -> Iterator[Line]:
    """Yield a pytest that compares answers and fails on the first complaint."""
    name = f"{_PYTHON_TESTS}/{node}"
    yield at, "Running pytest checks against golden values"
    yield at + 1, f"{'=' * 29} test session starts {'=' * 30}"
    yield at + 2, f"\x1b[31mFAILED{_OFF}\x1b[31m                  [100%]{_OFF}"
    yield at + 3, f"{'=' * 35} FAILURES {'=' * 35}"
    yield at + 3, f"\x1b[1m\x1b[31mE       AssertionError: {complaints[0]}{_OFF}"
    yield at + 3, f"{'=' * 27} short test summary info {'=' * 28}"
    yield at + 3, f"\x1b[31mFAILED{_OFF} {name} - AssertionError: {complaints[0]}"
    yield at + 3, f"\x1b[31m{'=' * 30} \x1b[31m\x1b[1m1 failed{_OFF}\x1b[31m in 1.61s{_OFF}"


def _live(comparisons: Sequence[Comparison]) -> Iterator[str]:
    place = "tests.functional_tests.python_test_utils.common:common.py:360"
    for it in comparisons:
        if it.exact:
            yield f"\x1b[32mINFO    {_OFF} {place} DETERMINISTIC test for metric {it.metric}: PASSED"
        else:
            yield f"\x1b[32mINFO    {_OFF} {place} Actual values: 10.84423, 10.85021"
            yield f"\x1b[32mINFO    {_OFF} {place} Golden values: 10.84425, 10.85019"
            yield f"\x1b[31m\x1b[1mERROR   {_OFF} {place} Exact comparison of {it.metric}: FAILED"
        if it.approximate:
            yield f"\x1b[32mINFO    {_OFF} {place} APPROXIMATE test for metric {it.metric}: PASSED"
        else:
            yield f"\x1b[31m\x1b[1mERROR   {_OFF} {place} Approximate comparison of {it.metric}: FAILED"


def _failure(failed: Sequence[str], name: str, comparisons: Sequence[Comparison]) -> Iterator[str]:
    said = f"AssertionError: The following metrics failed: {', '.join(failed)}"
    yield f"\x1b[31mFAILED{_OFF}\x1b[31m                  [100%]{_OFF}"
    yield f"{'=' * 35} FAILURES {'=' * 35}"
    # A traceback quotes the code around it, and with it messages that nobody raised.
    yield '                raise MissingTensorboardLogsError(f"Metric {m} not found in Tensorboard logs!")'
    yield '                "The following metrics are required but not provided in golden values: "'
    yield f"\x1b[1m\x1b[31mE       {said}{_OFF}"
    yield f"\x1b[1m\x1b[31m{_PYTHON_TESTS}/common.py{_OFF}:367: AssertionError"
    yield f"{'-' * 30} Captured log call {'-' * 31}"
    yield from _live(comparisons)
    yield f"{'=' * 27} short test summary info {'=' * 28}"
    cut = said if len(said) <= 60 else f"{said[:57]}..."  # noqa: PLR2004 - pytest cuts to the width of a terminal
    yield f"\x1b[31mFAILED{_OFF} {name} - {cut}"
    yield f"\x1b[31m{'=' * 30} \x1b[31m\x1b[1m1 failed{_OFF}\x1b[31m in 1.61s{_OFF}"


def box(at: float, test: str, *, passed: bool) -> Iterator[Line]:
    """Yield the step that shows the result, whatever the job concludes."""
    colour, word = (_GREEN, "✅  PASSED") if passed else (_RED, "❌  FAILED  (exit code: 1)")
    rule = "═" * 74
    yield at, "##[endgroup]"
    yield at, f"{colour}╔{rule}╗{_OFF}"
    yield at, f"{colour}║   {word}{' ' * (71 - len(word))}║{_OFF}"
    yield at, f"{colour}║   {test}{_OFF}"
    yield at, f"{colour}╚{rule}╝{_OFF}"
    kind, mark, end = ("notice", "✅", "PASSED") if passed else ("error", "❌", "FAILED (exit 1)")
    yield at, f"##[{kind}]{mark} {test} — {end}"


def out_of_memory(rank: int) -> str:
    """Return what a rank writes whose GPU is full."""
    return (
        f"[rank{rank}]: Traceback (most recent call last):\n"
        f"[rank{rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB."
        " GPU 0 has a total capacity of 79.11 GiB of which 2.31 GiB is free.\n"
    )


def watchdog(rank: int) -> str:
    """Return what a rank writes that waited too long for the others."""
    return (
        f"[rank{rank}]:[E ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation"
        " timeout: WorkNCCL(SeqNum=1723, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600071 milliseconds"
        " before timing out.\n"
    )
