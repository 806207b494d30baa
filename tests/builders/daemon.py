"""A Docker daemon of the tests' own: its data, its socket and its end are theirs."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.components import component_missing

BASE = "nvcr.io/nvidia/pytorch:26.06-py3"
"""The name of the stand-in for the base image: it is on the daemon, and never pulled."""

_BASE_DOCKERFILE = """\
FROM scratch
COPY busybox /bin/busybox
RUN ["/bin/busybox", "--install", "-s", "/bin"]
RUN mkdir -p /root /tmp /usr/bin && ln -s /bin/env /usr/bin/env
ENV PATH=/usr/local/bin:/usr/bin:/bin CUDA_VERSION=13.3.0.008 NCCL_VERSION=2.30.7 NVIDIA_PYTORCH_VERSION=26.06
"""


@dataclass(frozen=True)
class Engine:
    """A running daemon: `environ` is what `docker` needs to reach it, `pid` its process."""

    environ: dict[str, str]
    process: subprocess.Popen[bytes]

    def docker(self, *words: str, folder: Path | None = None) -> str:
        done = subprocess.run(
            ["docker", *words], env=self.environ, cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def running_engine() -> Iterator[Engine]:
    """Yield a daemon with the stand-in base image on it."""
    for program in ("docker", "dockerd", "containerd", "runc", "busybox"):
        if shutil.which(program) is None:
            component_missing("docker", f"there is no `{program}`")
    if os.geteuid() != 0:
        component_missing("docker", "only root starts a daemon")
    folder = Path(tempfile.mkdtemp(prefix="bot-docker-"))
    environ = {**os.environ, "DOCKER_HOST": f"unix://{folder}/socket"}
    environ.pop("DOCKER_CONTEXT", None)
    try:
        with (folder / "log").open("wb") as log:
            engine = Engine(environ, subprocess.Popen(_daemon(folder), stdout=log, stderr=log))
        try:
            _wait(engine, folder / "log")
            _make_base(engine, folder / "base")
            yield engine
        finally:
            engine.stop()
    finally:
        _unmount(folder)
        shutil.rmtree(folder)


def _unmount(folder: Path) -> None:
    """Take away what a daemon leaves mounted below its folder, the innermost first."""
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for place in reversed([it for it in mounts if it.startswith(f"{folder}/")]):
        subprocess.run(["umount", "--lazy", place], capture_output=True, check=False)


def _daemon(folder: Path) -> list[str]:
    # Two daemons with bridges of their own would take them from each other.
    places = [f"--data-root={folder}/data", f"--exec-root={folder}/exec", f"--pidfile={folder}/pid"]
    return ["dockerd", f"--host=unix://{folder}/socket", *places, "--bridge=none", "--iptables=false"]


def _wait(engine: Engine, log: Path) -> None:
    for _ in range(150):
        asked = subprocess.run(["docker", "version"], env=engine.environ, capture_output=True, check=False)
        if asked.returncode == 0:
            break
        if engine.process.poll() is not None:
            component_missing("docker", log.read_text(errors="replace")[-600:])
        time.sleep(0.2)
    else:
        component_missing("docker", "the daemon does not answer")
    if subprocess.run(
        ["docker", "buildx", "version"], env=engine.environ, capture_output=True, check=False
    ).returncode:
        component_missing("docker", "the client has no buildx")


def _make_base(engine: Engine, folder: Path) -> None:
    folder.mkdir()
    busybox = shutil.which("busybox")
    assert busybox
    shutil.copy(busybox, folder / "busybox")
    (folder / "Dockerfile").write_text(_BASE_DOCKERFILE)
    engine.docker("build", "--quiet", "--network=host", f"--tag={BASE}", str(folder))
