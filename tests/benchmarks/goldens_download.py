"""What the goldens of a run cost to fetch: read by ranges, and downloaded as Megatron-LM's script does."""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import requests

from bot.artifacts.reader import ZipReader
from bot.core.ci import Artifact, Contents
from tests.benchmarks.artifact_run import ARTIFACTS, GOLDEN, LATENCY, RUN, SIZE, golden, name

SCRIPT = "tests/test_utils/python_scripts/download_golden_values.py"
GITHUB = "https://api.github.com"
ROUNDS = 3


class Cost(NamedTuple):
    """What one way took: seconds as a whole process, bytes of artifacts, and its peak in kilobytes."""

    seconds: float
    sent: int
    peak: int


def ours(url: str) -> None:
    """Fetch all goldens into the current folder, after the same questions about the run as the script has."""
    run = f"{url}/repos/NVIDIA/Megatron-LM/actions/runs/{RUN}"
    session = requests.Session()
    session.mount(url, requests.adapters.HTTPAdapter(pool_maxsize=16))
    listed = [session.get(f"{run}{part}").json() for part in ("", "/jobs", "/artifacts")][-1]["artifacts"]

    def locate(number: int) -> str:
        address = f"{url}/repos/NVIDIA/Megatron-LM/actions/artifacts/{number}/zip"
        return session.get(address, allow_redirects=False).headers["location"]

    now = datetime.now(UTC)
    artifacts = [Artifact(it["id"], RUN, it["name"], it["size_in_bytes"], False, now) for it in listed]
    found = ZipReader(locate, [url]).read(artifacts, lambda _, entry: entry == GOLDEN)
    for number, contents in found.items():
        assert isinstance(contents, Contents), contents
        write(number, contents.files[GOLDEN])


def write(number: int, content: bytes) -> None:
    path = target(Path(), number)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)


def target(folder: Path, number: int) -> Path:
    return folder / "tests/functional_tests/test_cases/gpt" / name(number) / GOLDEN


def script_of(git_directory: str, url: str) -> str:
    """Return the script of the real repository, pointed to this machine and nothing else changed."""
    command = ["git", "--git-dir", git_directory, "show", f"HEAD:{SCRIPT}"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert text.count(GITHUB) == 1
    return text.replace(GITHUB, url)


STAND_IN = """
import io, pathlib, sys, zipfile
import requests
url, run = sys.argv[1:]
for part in ("", "/jobs"):
    requests.get(f"{url}/runs/{run}{part}").raise_for_status()
for artifact in requests.get(f"{url}/runs/{run}/artifacts").json()["artifacts"]:
    answer = requests.get(f"{url}/artifacts/{artifact['id']}/zip", stream=True)
    with open("artifact.zip", "wb") as file:
        for chunk in answer.iter_content(chunk_size=8192):
            file.write(chunk)
    zipfile.ZipFile("artifact.zip").extractall("tmp")
    test = artifact["name"].removeprefix("logs-").split(f"-{run}")[0]
    for golden in pathlib.Path("tmp").glob("golden_values*.json"):
        target = pathlib.Path("tests/functional_tests/test_cases/gpt", test, golden.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        golden.replace(target)
"""


def measured(url: str, command: list[str]) -> Cost:
    """Return what a command costs that leaves the goldens in the folder in which it runs."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "GITHUB_TOKEN": "none"}
    requests.get(f"{url}/sent")
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        assert os.waitstatus_to_exitcode(status) == 0, command
        for number in range(ARTIFACTS):
            assert target(Path(folder), number).read_bytes() == golden(number), number
    return Cost(seconds, requests.get(f"{url}/sent").json(), usage.ru_maxrss)


@contextmanager
def server():
    command = [sys.executable, "-m", "tests.benchmarks.artifact_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def main() -> None:
    git_directory = os.environ.get("MEGATRON_LM_GIT")
    with server() as url, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "download.py"
        if git_directory:
            what, arguments = "Megatron-LM's own script", ["--source", "github", "--pipeline-id", str(RUN)]
            file.write_text(script_of(git_directory, url))
        else:
            what, arguments = "a script of ours that does the same", [f"{url}/actions", str(RUN)]
            file.write_text(STAND_IN)
        ways = {
            what: [sys.executable, str(file), *arguments],
            "by ranges": [sys.executable, "-m", "tests.benchmarks.goldens_download", url],
        }
        rounds = [[measured(url, command) for command in ways.values()] for _ in range(ROUNDS)]
    # Whatever else the machine does only adds: the least disturbed round says most.
    theirs, bot = (min(costs) for costs in zip(*rounds, strict=True))
    print(f"{ARTIFACTS} artifacts of {SIZE / 1e6:.0f} MB, {LATENCY * 1000:.0f} ms for each answer")
    for label, cost in zip(ways, (theirs, bot), strict=True):
        print(f"{label:36} {cost.seconds:6.2f} s  {cost.sent / 1e6:8.2f} MB  {cost.peak / 1024:6.1f} MB peak")
    print(f"{theirs.seconds / bot.seconds:.1f} times as fast, {bot.sent / theirs.sent:.2%} of the bytes")


if __name__ == "__main__":
    ours(sys.argv[1]) if sys.argv[1:] else main()
