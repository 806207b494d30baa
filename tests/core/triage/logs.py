"""Logs of CI jobs in the form that GitHub gives them: times, colours, the launcher's prefix, pytest's habits.

A `JobLog` is written line by line on a clock of its own. What it says is ours; the forms are those of
Megatron-LM's harness.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

RED, BOLD, GREEN, BLUE, PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[32m", "\x1b[1;34m", "\x1b[0m"
TASK = f"{GREEN}task-1/0{PLAIN} "

BEGIN = datetime(2026, 8, 22, 10, 0, 0, tzinfo=UTC)

REGULAR = (
    "tests/functional_tests/python_test_utils/test_pretraining_regular_pipeline.py::test_regular_pipeline"
)
RESUME = (
    "tests/functional_tests/python_test_utils/test_pretraining_resume_checkpoint_pipeline.py"
    "::test_resume_checkpoint_pipeline"
)
INFERENCE = (
    "tests/functional_tests/python_test_utils/test_inference_regular_pipeline.py::test_inference_pipeline"
)

# What a traceback shows of the comparison's source: each of these texts is in every log of a failed test.
QUOTED_SOURCE = (
    "    def pipeline(compare, golden, actual, checks):",
    "            if metric not in actual:",
    '                raise MissingTensorboardLogsError(f"Metric {metric} not found in Tensorboard logs!")',
    '            raise MissingTensorboardLogsError("Metric iteration-time has no finite values.")',
    '        return NotApproximateError(f"Approximate comparison of {metric}: FAILED")',
    '    "CUDA out of memory", "Watchdog caught collective operation timeout", "Segmentation fault"',
    '    FileNotFoundError: "golden_values_dev_dgx_h100.json"',
    ">       assert all_test_passed, f\"The following metrics failed: {', '.join(failed)}\"",
)


class JobLog:
    """The log of one job, from the runner's first line on."""

    def __init__(self, begin: datetime = BEGIN) -> None:
        self.now = begin
        self.lines: list[str] = []

    def say(self, *texts: str, every: float = 0.05) -> "JobLog":
        """Write lines, one each few moments."""
        for text in texts:
            self.now += timedelta(seconds=every)
            self.lines.append(f"{self.now:%Y-%m-%dT%H:%M:%S.%f}0Z {text}")
        return self

    def task(self, *texts: str, every: float = 0.05) -> "JobLog":
        """Write lines of the test, as the launcher shows them."""
        return self.say(*(f"{TASK}{text}" for text in texts), every=every)

    def wait(self, minutes: float) -> "JobLog":
        """Write nothing for a while."""
        self.now += timedelta(minutes=minutes)
        return self

    def number(self, part: str) -> int:
        """Return the number of the only line, or of the first one, that holds a text."""
        return next(at for at, line in enumerate(self.lines, 1) if part in line)

    def bytes(self) -> bytes:
        return "".join(f"{line}\n" for line in self.lines).encode()

    def setup(self, *, upto: str | None = None, error: str = "exit status 1") -> "JobLog":
        """Write the steps before the test; `upto` is the one that fails."""
        steps = {
            "checkout": ("actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803", "Syncing repository"),
            "uv": ("for i in 1 2 3; do", "downloading uv 0.7.2"),
            "pull": ('echo "::group::Pull container"', "Pulling from megatron-lm"),
        }
        self.say("Current runner version: '2.330.0'")
        for name, (title, work) in steps.items():
            self.say(f"##[group]Run {title}", "shell: /usr/bin/bash -x -e", "##[endgroup]", work)
            if name == upto:
                return self.say(error, "##[error]Process completed with exit code 1.")
        return self

    def launch(self) -> "JobLog":
        """Begin the step that runs the test; GitHub shows its source first."""
        source = ("{ set +x; } 2>/dev/null", f'echo -e "{BLUE}┌─ launching test ─┐{PLAIN}"', "bash job.sh")
        self.say(f"##[group]Run {source[0]}", *(f"\x1b[36;1m{line}{PLAIN}" for line in source))
        return self.say("##[endgroup]", f"{BLUE}┌─ launching test ───────┐{PLAIN}", "##[group]Logs")

    def train(self, steps: int = 20, seconds: float = 1.0) -> "JobLog":
        """Write the lines of a training."""
        return self.task(
            *(
                f" iteration {step:8d}/ {steps:7d} | elapsed time per iteration (ms): 512.3"
                f" | lm loss: 9.1E+00 | num zeros: 27000000 | number of nan iterations:   0 |"
                for step in range(1, steps + 1)
            ),
            every=seconds,
        )

    def check(self, title: str = "Running pytest checks against golden values") -> "JobLog":
        """Begin a comparison; the shell's trace shows the command as well."""
        return self.task(f"+ echo '{title}'", title, "===== test session starts =====")

    def passed(self, seconds: float = 0.5) -> "JobLog":
        """End a comparison well."""
        counts = f"{BOLD}1 passed{PLAIN}, {GREEN}2 warnings{PLAIN}"
        line = f"{GREEN}========= {counts} in {seconds:.2f}s ========={PLAIN}"
        return self.task(
            f"{GREEN}INFO    {PLAIN} tests.common:common.py:360 APPROXIMATE test for metric lm loss: PASSED",
            line,
        )

    def failed(
        self,
        metrics: Mapping[str, str],
        node: str = REGULAR,
        files: Iterable[str] = QUOTED_SOURCE,
    ) -> "JobLog":
        """End a comparison badly. `metrics`: `exact`, `both` or `fine` for each."""
        live = [line for name, how in metrics.items() for line in _live(name, how)]
        names = [name for name, how in metrics.items() for _ in range({"exact": 1, "both": 2}.get(how, 0))]
        said = f"AssertionError: The following metrics failed: {', '.join(names)}"
        self.task("------------ live log call ------------", *live)
        return self._failure(said, node, files, live)

    def raises(self, said: str, node: str = INFERENCE) -> "JobLog":
        """End a comparison with an error of its own."""
        return self._failure(said, node, QUOTED_SOURCE, [])

    def _failure(self, said: str, node: str, source: Iterable[str], live: Iterable[str]) -> "JobLog":
        short = said if len(said) < 60 else f"{said[:57]}..."
        first, *more = said.split("\n")
        self.task(f"{RED}FAILED{PLAIN}", "========== FAILURES ==========", *source)
        self.task(*(f"{BOLD}{RED}E       {line}{PLAIN}" for line in (first, *more)))
        self.task("------------ Captured log call ------------", *live)
        self.task("===== short test summary info =====")
        return self.task(
            f"{RED}FAILED{PLAIN} {node.replace('::', f'::{BOLD}')}{PLAIN} - {short}",
            f"{RED}========= {RED}{BOLD}1 failed{PLAIN}, {GREEN}1 passed{PLAIN} in 0.52s ========={PLAIN}",
        )

    def restart(self) -> "JobLog":
        """Let the launcher see bad luck, after every attempt, the last one included."""
        return self.say(
            "ERROR:__main__:Job failed with status: FAILED",
            "WARNING:__main__:Detected flaky failure, attempt restart.",
        )

    def dies(self, *texts: str, rank: int = 0) -> "JobLog":
        """Let the training end with a traceback."""
        self.task(
            f"[rank{rank}]: Traceback (most recent call last):",
            f'[rank{rank}]:   File "/opt/megatron-lm/pretrain_gpt.py", line 300, in <module>',
            f'[rank{rank}]:     raise RuntimeError("CUDA out of memory, says the source")',
            *(f"[rank{rank}]: {text}" for text in texts),
        )
        return self.task(
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
            "+ echo 'Training failed. Aborting.'",
            "Training failed. Aborting.",
        )

    def cancel(self) -> "JobLog":
        """Let the runner stop the job: the process has some last words."""
        self.task("^CTraceback (most recent call last):", "KeyboardInterrupt", every=2)
        return self.say("##[error]The operation was canceled.", every=5)

    def result(self, *, passed: bool = False, excerpt: Iterable[str] = ()) -> "JobLog":
        """Write the banner and the annotation, which say nothing."""
        self.say(
            "##[group]Run logs_report=logs-x", '\x1b[36;1mecho "── log excerpt ──"\x1b[0m', "##[endgroup]"
        )
        self.say("\x1b[1;36m", "📋 ── log excerpt ─────", *excerpt)
        if passed:
            return self.say("║   ✅  PASSED   ║", "##[notice]✅ gpt_x — PASSED")
        self.say("║   ❌  FAILED  (exit code: 1)   ║", "##[error]❌ gpt_x — FAILED (exit 1)")
        return self.say("##[error]Process completed with exit code 1.")


def _live(name: str, how: str) -> list[str]:
    where = "tests.functional_tests.python_test_utils.common:common.py:360"
    exact = f"{RED}{BOLD}ERROR   {PLAIN} {where} Exact comparison of {name}: FAILED"
    near = f"{GREEN}INFO    {PLAIN} {where} APPROXIMATE test for metric {name}: PASSED"
    far = f"{RED}{BOLD}ERROR   {PLAIN} {where} Approximate comparison of {name}: FAILED"
    same = f"{GREEN}INFO    {PLAIN} {where} DETERMINISTIC test for metric {name}: PASSED"
    return {"exact": [exact, near], "both": [exact, far], "fine": [same, near]}[how]


def started() -> JobLog:
    """Return the log of a job whose test has just begun."""
    return JobLog().setup().launch()
