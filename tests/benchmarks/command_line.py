"""How long `bot` takes as a whole process on the real tree, and how much memory."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.real.conftest import Repository

ROUNDS = 7


def measure(command: list[str], *, before: list[str] | None = None) -> tuple[float, int]:
    """Return the median seconds and the peak kilobytes of a command, after one round to warm up."""
    seconds, peak = [], 0
    for _ in range(ROUNDS + 1):
        if before:
            subprocess.run(before, check=True)
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - started)
        peak = max(peak, usage.ru_maxrss)
        if os.waitstatus_to_exitcode(status):
            raise SystemExit(f"{command} failed")
    return statistics.median(seconds[1:]), peak


def main() -> None:
    bot = str(Path(sys.executable).with_name("bot"))
    with tempfile.TemporaryDirectory() as folder:
        tree = str(Repository(Path(os.environ["MEGATRON_LM_GIT"])).work_tree("HEAD", Path(folder) / "tree"))
        undo = ["git", "-C", tree, "checkout", "--quiet", "--", "."]
        bump = [bot, "bump", "27.01-py3", "--no-verify", "--checkout", tree]
        rows = {
            "git status": measure(["git", "-C", tree, "status", "--porcelain"]),
            "python -c pass": measure([sys.executable, "-c", "pass"]),
            "bot --help": measure([bot, "--help"]),
            "bot check --checkout": measure([bot, "check", "--checkout", tree]),
            "bot bump --checkout --no-verify": measure(bump, before=undo),
        }
    reference = rows["git status"][0]
    for name, (seconds, peak) in rows.items():
        print(
            f"{name:34} {seconds:6.3f} s  {seconds / reference:5.1f} x git status  {peak / 1024:6.1f} MB peak"
        )


if __name__ == "__main__":
    main()
