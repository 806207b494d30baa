"""The words of the test harness: one text of a log → the fact it states, if it states one.

Everything is anchored at the start of what a program wrote. A traceback quotes the source of the comparison,
indented, so that each of its messages stands in every log of a failed test without having been said
(https://github.com/NVIDIA/Megatron-LM/tree/main/tests/functional_tests/python_test_utils).
Banners and annotations of the runner (`PASSED`, `FAILED (exit code: 1)`) state nothing: a cancelled job
shows `PASSED` (https://github.com/NVIDIA/Megatron-LM/issues/4657).
"""

import re
from enum import StrEnum, auto


class Kind(StrEnum):
    """What a line of a log states."""

    EXACT_FAILED = auto()
    APPROXIMATE_FAILED = auto()
    APPROXIMATE_PASSED = auto()
    METRICS_FAILED = auto()
    """pytest's own line of the golden comparison, with every metric."""
    RESUME_FAILED = auto()
    """The same of the second run against the first."""
    OUTPUT_DIFFERS = auto()
    """Tokens, log probabilities, text, throughput or memory of an inference test."""
    OUT_OF_BOUNDS = auto()
    """A metric of a training loop outside its tolerance."""
    NO_GOLDEN = auto()
    ASSERTION = auto()
    """Another error line of pytest."""
    NODE_FAILED = auto()
    """A line of pytest's summary, `FAILED path::test` or `ERROR path`."""
    CHECK_BEGAN = auto()
    RESUME_CHECK_BEGAN = auto()
    CHECK_PASSED = auto()
    OOM = auto()
    CRASH = auto()
    NCCL = auto()
    INFRA = auto()
    TRAINING_FAILED = auto()
    JOB_FAILED = auto()
    RESTART = auto()
    """The launcher's own words that it tries again."""
    LAUNCHED = auto()
    """The step that runs the test has begun."""
    EXCERPT = auto()
    """The runner repeats the end of a log after the test."""
    STEP = auto()
    STEP_FAILED = auto()
    CANCELLED = auto()


_E = r"E   +"
_ASSERTION = rf"{_E}(?:AssertionError: )?"
_LIVE = r"(?:ERROR|INFO) +\S+:\d+ +"

_OUTPUT_DIFFERS = (
    r"Token mismatch:|Logprobs differ at index|Logprobs length mismatch|Generated text mismatch"
    r"|Routing indices mismatch|Some request IDs from groundtruth|Throughput is slower than expected"
    r"|Throughput has been improved|Memory is too (?:low|high) for mem-max-allocated-bytes"
)
_OUT_OF_BOUNDS = (
    r"Iteration time \S+ ms not within|LM loss values outside tolerance"
    r"|Max mem[\w -]*allocated[\w -]* \S+ bytes exceeds|Some IDs from groundtruth are missing"
)

# What pytest and the live log say, in the order in which they are tried.
_CHECKS = (
    (Kind.EXACT_FAILED, rf"{_LIVE}Exact comparison of (?P<subject>.+): FAILED"),
    (Kind.APPROXIMATE_FAILED, rf"{_LIVE}Approximate comparison of (?P<subject>.+): FAILED"),
    (Kind.APPROXIMATE_PASSED, rf"{_LIVE}APPROXIMATE test for metric (?P<subject>.+): PASSED"),
    (Kind.NO_GOLDEN, rf"{_LIVE}Metric (?P<subject>.+) has no (?:finite )?values"),
    (Kind.NO_GOLDEN, rf"{_E}(?:[\w.]+\.)?MissingTensorboardLogsError: (?P<subject>.+)"),
    (Kind.NO_GOLDEN, rf"{_E}FileNotFoundError: .*(?P<subject>golden_values\w*\.json)"),
    (Kind.NO_GOLDEN, rf"{_E}ValueError: (?P<subject>operands could not be broadcast together)"),
    (Kind.METRICS_FAILED, rf"{_ASSERTION}The following metrics failed: (?P<subject>.+)"),
    (Kind.OUTPUT_DIFFERS, rf"{_ASSERTION}(?P<subject>{_OUTPUT_DIFFERS})"),
    (Kind.OUT_OF_BOUNDS, rf"{_ASSERTION}(?P<subject>{_OUT_OF_BOUNDS})"),
    (Kind.NODE_FAILED, r"(?:FAILED|ERROR) (?P<subject>\S+\.py(?:::.*?)?)(?: - .*)?$"),
    (Kind.CHECK_BEGAN, r"Running pytest checks against golden values$"),
    (Kind.RESUME_CHECK_BEGAN, r"Running pytest 1st vs 2nd run comparison$"),
    (Kind.CHECK_PASSED, r"=+ (?!.*\b(?:failed|errors?)\b).*?\b(?P<subject>\d+) passed\b.* in [\d.]+s\b"),
)

# https://github.com/NVIDIA/Megatron-LM/blob/main/tests/test_utils/python_scripts/launch_nemo_run_workload.py
# has one list of what may be bad luck; three failures in a row of the lower half are none.
_NCCL = (
    r"Watchdog caught collective operation timeout|Some NCCL operations have failed or timed out"
    r"|NCCL error|ncclSystemError|ncclRemoteError|ncclInternalError|ncclUnhandledCudaError"
    r"|DistBackendError"
)
_TRANSIENT = (
    r"server socket has failed to listen on any local network address|uncorrectable ECC error"
    r"|DistNetworkError|Connection reset by peer|Address already in use"
    r"|We couldn't connect to 'https://huggingface\.co'|Unpack failed: incomplete input"
    r"|[Rr]ead operation timed out|Read timed out|TimeoutError|Connection broken"
    r"|Temporary failure in name resolution|removal of container|is already in progress"
    r"|Error deleting container|Timed out waiting for barrier|received a shutdown signal"
    r"|[Ll]ost communication with the server|No space left on device|Could not resolve host"
    r"|toomanyrequests|TLS handshake timeout|Error response from daemon"
)
_FATAL = (
    r"illegal memory access|illegal instruction|Segmentation fault|Segfault encountered|found NaN in"
    r"|double free or corruption|Call to CUDA function failed|invalid pointer|unaligned tcache chunk"
    r"|unspecified launch failure|corrupted unsorted chunks|device-side assert"
)
_OOM = r"OutOfMemoryError\b|CUDA out of memory|CUDA error: out of memory|DefaultCPUAllocator: can't allocate"

# Of these the cause stands elsewhere, or there is none: the runner stops a process by an interrupt.
_FOLLOWS = r"(?:\w+\.)*(?:ChildFailedError|SignalException|CalledProcessError|KeyboardInterrupt|SystemExit)\b"
_RAISED = re.compile(rf"(?!{_FOLLOWS})(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception)(?::|$)")

# A program's words, anywhere in a line that is neither indented source nor a shell's trace of a command.
_WORDS = (
    (Kind.OOM, re.compile(_OOM)),
    (Kind.NCCL, re.compile(_NCCL)),
    (Kind.INFRA, re.compile(_TRANSIENT)),
    (Kind.CRASH, re.compile(_FATAL)),
)
_QUOTED = re.compile(r"\s|\++ |>|E   ")

_LAUNCHER = (
    (Kind.RESTART, r"Detected flaky failure, attempt restart\.$"),
    (Kind.JOB_FAILED, r"Job failed with status: \w+$"),
    (Kind.TRAINING_FAILED, r"^Training failed\. Aborting\.$"),
    (Kind.LAUNCHED, r"─ launching test ─"),
    (Kind.EXCERPT, r"── log excerpt ──"),
)

_RUNNER = (
    (Kind.CANCELLED, r"##\[error\]The operation was canceled\."),
    (Kind.STEP_FAILED, r"##\[error\](?!❌)(?P<subject>.*)"),
    (Kind.STEP, r"##\[group\]Run (?P<subject>.*)"),
)

_ANCHORED = tuple((kind, re.compile(pattern)) for kind, pattern in (*_RUNNER, *_CHECKS))
_ANYWHERE = tuple((kind, re.compile(pattern)) for kind, pattern in _LAUNCHER)

# In every line that states a fact stands one of these; most lines of a log hold none.
TELLTALE = re.compile(
    rb"E   |##\[(?:err|group\]Run )|Running pytest|FAILED|PASSED|ERROR|Error|Exception|Metric | passed"
    rb"|out of memory|can't allocate|CUDA function|flaky failure|Job failed|Training failed|launching test"
    rb"|log excerpt|Watchdog caught|NCCL (?:op|err)|nccl[SRIU]|ECC err|socket has failed|Connection [rb]"
    rb"|already in|couldn't connect|Unpack failed|imed out|name resolution|removal of"
    rb"|shutdown signal|ost communication|No space left|not resolve host|toomany|handshake|from daemon"
    rb"|illegal |Segmentation|Segfault|found NaN|double free|invalid pointer|tcache|launch failure|corrupted"
    rb"|device-side"
)


def stated(text: str) -> tuple[Kind, str] | None:
    """Return the kind of fact that a text states, and its subject (a metric, a test, a step), or None."""
    for kind, pattern in _ANCHORED:
        if found := pattern.match(text):
            return kind, found.groupdict().get("subject") or ""
    if text.startswith("E   "):
        return (Kind.ASSERTION, "") if re.match(rf"{_E}\S*(?:Error|Exception|assert )", text) else None
    return None if _QUOTED.match(text) else _words(text)


def _words(text: str) -> tuple[Kind, str] | None:
    for kind, pattern in (*_ANYWHERE, *_WORDS):
        if pattern.search(text):
            return kind, ""
    return (Kind.CRASH, "") if _RAISED.match(text) else None
