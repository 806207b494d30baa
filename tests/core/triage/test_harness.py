"""What a line states, and what it only seems to state."""

import pytest

from bot.core.triage.harness import TELLTALE, Kind, stated

LIVE = "tests.functional_tests.python_test_utils.common:common.py:360"

STATEMENTS = [
    (f"ERROR    {LIVE} Exact comparison of lm loss: FAILED", Kind.EXACT_FAILED, "lm loss"),
    (f"ERROR    {LIVE} Approximate comparison of num-zeros: FAILED", Kind.APPROXIMATE_FAILED, "num-zeros"),
    (f"INFO     {LIVE} APPROXIMATE test for metric lm loss: PASSED", Kind.APPROXIMATE_PASSED, "lm loss"),
    (f"ERROR    {LIVE} Metric iteration-time has no finite values.", Kind.NO_GOLDEN, "iteration-time"),
    (f"ERROR    {LIVE} Metric lm loss has no values in the golden file.", Kind.NO_GOLDEN, "lm loss"),
    (
        "E       common.MissingTensorboardLogsError: Metric x not found in Tensorboard logs!",
        Kind.NO_GOLDEN,
        "Metric x not found in Tensorboard logs!",
    ),
    (
        "E       FileNotFoundError: [Errno 2] No such file: '/opt/golden_values_dev_dgx_h100.json'",
        Kind.NO_GOLDEN,
        "golden_values_dev_dgx_h100.json",
    ),
    (
        "E       ValueError: operands could not be broadcast together with shapes (50,) (20,)",
        Kind.NO_GOLDEN,
        "operands could not be broadcast together",
    ),
    ("E       AssertionError: The following metrics failed: a, b", Kind.METRICS_FAILED, "a, b"),
    ("E       AssertionError: Token mismatch:", Kind.OUTPUT_DIFFERS, "Token mismatch:"),
    ("E       AssertionError: Logprobs differ at index 3: 1 vs 2", Kind.OUTPUT_DIFFERS, None),
    ("E       AssertionError: Generated text mismatch:", Kind.OUTPUT_DIFFERS, None),
    ("E       AssertionError: Throughput is slower than expected! Expected", Kind.OUTPUT_DIFFERS, None),
    ("E       AssertionError: Throughput has been improved from", Kind.OUTPUT_DIFFERS, None),
    ("E       AssertionError: Memory is too high for mem-max-allocated-bytes: x", Kind.OUTPUT_DIFFERS, None),
    ("E       AssertionError: Routing indices mismatch:", Kind.OUTPUT_DIFFERS, None),
    ("E       AssertionError: Iteration time 12.5 ms not within 15% of", Kind.OUT_OF_BOUNDS, None),
    ("E       AssertionError: LM loss values outside tolerance (1.0%):", Kind.OUT_OF_BOUNDS, None),
    ("E       AssertionError: Max mem allocated bytes 5 bytes exceeds 10%", Kind.OUT_OF_BOUNDS, None),
    ("E       AssertionError: Max mem-max-allocated bytes 5 bytes exceeds", Kind.OUT_OF_BOUNDS, None),
    ("E       AssertionError: Some IDs from groundtruth are missing", Kind.OUT_OF_BOUNDS, None),
    ("E       assert 1 == 2", Kind.ASSERTION, ""),
    ("E   ModuleNotFoundError: No module named 'x'", Kind.ASSERTION, ""),
    (
        "FAILED tests/a/test_x.py::test_y[a b] - AssertionError: no",
        Kind.NODE_FAILED,
        "tests/a/test_x.py::test_y[a b]",
    ),
    ("FAILED tests/a/test_x.py::Some::test_y", Kind.NODE_FAILED, "tests/a/test_x.py::Some::test_y"),
    ("ERROR tests/a/test_x.py - ImportError: no", Kind.NODE_FAILED, "tests/a/test_x.py"),
    ("Running pytest checks against golden values", Kind.CHECK_BEGAN, ""),
    ("Running pytest 1st vs 2nd run comparison", Kind.RESUME_CHECK_BEGAN, ""),
    ("======= 1 passed in 0.52s =======", Kind.CHECK_PASSED, "1"),
    ("======= 3 passed, 1 skipped, 2 warnings in 75.01s (0:01:15) =======", Kind.CHECK_PASSED, "3"),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate", Kind.OOM, ""),
    ("torch.cuda.OutOfMemoryError: CUDA out of memory.", Kind.OOM, ""),
    ("RuntimeError: CUDA error: out of memory", Kind.OOM, ""),
    ("[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(", Kind.NCCL, ""),
    ("Some NCCL operations have failed or timed out.", Kind.NCCL, ""),
    ("torch.distributed.DistBackendError: NCCL error in: x.cpp:1, unhandled", Kind.NCCL, ""),
    ("urllib3.exceptions.ProtocolError: Connection broken", Kind.INFRA, ""),
    ("ConnectionResetError: [Errno 104] Connection reset by peer", Kind.INFRA, ""),
    ("TimeoutError: The read operation timed out", Kind.INFRA, ""),
    ("NCCL init: mlx5: No space left on device", Kind.INFRA, ""),
    ("curl: (6) Could not resolve host: astral.sh", Kind.INFRA, ""),
    ("Error response from daemon: toomanyrequests", Kind.INFRA, ""),
    ("Timed out waiting for barrier repeat_1_start. Saw 1/2 nodes.", Kind.INFRA, ""),
    ("Fatal Python error: Segmentation fault", Kind.CRASH, ""),
    ("terminate called: an illegal memory access was encountered", Kind.CRASH, ""),
    ("ValueError: bad shape", Kind.CRASH, ""),
    ("megatron.core.errors.SomethingError", Kind.CRASH, ""),
    ("Training failed. Aborting.", Kind.TRAINING_FAILED, ""),
    ("ERROR:__main__:Job failed with status: FAILED", Kind.JOB_FAILED, ""),
    ("WARNING:__main__:Detected flaky failure, attempt restart.", Kind.RESTART, ""),
    ("┌─ launching test ───────┐", Kind.LAUNCHED, ""),
    ("📋 ── log excerpt ─────────", Kind.EXCERPT, ""),
    ("##[error]The operation was canceled.", Kind.CANCELLED, ""),
    ("##[error]Process completed with exit code 1.", Kind.STEP_FAILED, "Process completed with exit code 1."),
    ("##[group]Run docker pull x", Kind.STEP, "docker pull x"),
]


@pytest.mark.parametrize(("text", "kind", "subject"), STATEMENTS)
def test_a_line_states_one_fact(text, kind, subject):
    found = stated(text)

    assert found is not None
    assert found[0] is kind
    assert subject is None or found[1] == subject


@pytest.mark.parametrize("text", [text for text, _, _ in STATEMENTS])
def test_every_line_that_states_a_fact_is_looked_at(text):
    assert TELLTALE.search(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(" iteration  5/ 20 | lm loss: 9.1E+00 | number of nan iterations: 0 |", id="training"),
        pytest.param('    raise ValueError("CUDA out of memory")', id="source in a traceback"),
        pytest.param('>       assert ok, f"The following metrics failed: {x}"', id="pytest's source"),
        pytest.param("+ echo 'Training failed. Aborting.'", id="the shell's trace"),
        pytest.param("++ echo 'Running pytest checks against golden values'", id="a deeper trace"),
        pytest.param("echo 'Running pytest checks against golden values'", id="a command"),
        pytest.param("Exact comparison of lm loss: FAILED", id="a line of nobody's log"),
        pytest.param("The following metrics failed: lm loss", id="not pytest's line"),
        pytest.param("║   ✅  PASSED   ║", id="the banner"),
        pytest.param("║   ❌  FAILED  (exit code: 1)   ║", id="the other banner"),
        pytest.param("##[error]❌ gpt_x — FAILED (exit 1)", id="the annotation"),
        pytest.param("##[notice]✅ gpt_x — PASSED", id="the other annotation"),
        pytest.param("E         + 1, 2, 3", id="pytest's difference of lists"),
        pytest.param("======= 1 failed, 1 passed in 0.5s =======", id="not all passed"),
        pytest.param("======= 1 passed, 1 error in 0.5s =======", id="not all passed either"),
        pytest.param("torch.distributed.elastic.multiprocessing.errors.ChildFailedError:", id="an effect"),
        pytest.param("KeyboardInterrupt", id="the runner's interrupt"),
        pytest.param("subprocess.CalledProcessError: Command returned 1", id="another effect"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_only_quotes_or_echoes_states_nothing(text):
    assert stated(text) is None
