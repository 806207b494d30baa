"""Docker as a builder: BuildKit through the `docker` command, one build for each platform, side by side."""

import tempfile
import time
import uuid
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.build_ports import OnLine
from bot.builders.docker_daemon import Daemon, PlatformsOf
from bot.builders.docker_preflight import problems
from bot.builders.docker_words import build_words, native_platform, run_words
from bot.builders.files import handed_over, taken
from bot.builders.process import Group, Process
from bot.core.build import BuildOutcome, BuildReport, BuildRequest, PlatformBuild, Problem
from bot.core.buildlog.diagnosis import Diagnosis, Outcome
from bot.core.buildlog.reader import read_build_log
from bot.core.container import RunReport, RunRequest
from bot.core.errors import Refused

_TAIL = 40
"""Lines of a program's output that its report keeps."""
_STOPPED = {"cancelled": BuildOutcome.CANCELLED, "timed out": BuildOutcome.TIMED_OUT}
_NOTHING = Diagnosis(Outcome.UNKNOWN, (), None, None)


@dataclass
class DockerBuilder:
    """Implements `bot.build_ports.Builder` and `Containers` for the context in one folder.

    `environ` is what `docker` sees, secrets included. `network` is what steps and programs get, `timeout`
    the seconds of one platform's build. `platforms_of` asks a registry for the platforms of an image.
    """

    context: Path
    environ: Mapping[str, str]
    platforms_of: PlatformsOf
    network: str = "default"
    timeout: float | None = None
    name: str = "docker"
    _groups: list[Group] = field(default_factory=list)

    @property
    def _daemon(self) -> Daemon:
        return Daemon(self.environ)

    def platform(self) -> str:
        """Return the daemon's own platform."""
        return native_platform(self._daemon.info())

    def has_gpus(self) -> bool:
        """Say whether the daemon hands GPUs to containers."""
        return "nvidia" in (self._daemon.info().get("Runtimes") or {})

    def first_at_hand(self, images: Sequence[str]) -> str:
        """Return the first image that is on the machine. Raises Refused when none is: none is pulled."""
        self._daemon.info()
        for image in images:
            if self._daemon.image_platform(image) is not None:
                return image
        names = " nor ".join(f"`{it}`" for it in images)
        raise Refused(f"neither {names} is on this machine", hint="`bot build` makes the first of them")

    def preflight(self, request: BuildRequest) -> tuple[Problem, ...]:
        """Return what the build would stumble over, from what daemon, registry and folder say."""
        return tuple(problems(request, self.context, self._daemon, self.platforms_of, self.environ))

    def build(self, request: BuildRequest, on_line: OnLine) -> BuildReport:
        """Build every platform. Raises ServiceError when the daemon is not there, or not any more."""
        self._daemon.info()
        _make_folders(self.context, request.folders)
        with self._group() as group, ThreadPoolExecutor(max(1, len(request.platforms))) as pool:
            try:
                started = [pool.submit(self._build, group, request, it, on_line) for it in request.platforms]
                report = BuildReport(tuple(it.result() for it in started))
            except BaseException:
                # The pool waits for its threads: an interrupt has to end what they wait for.
                group.stop()
                raise
        if any(it.outcome is BuildOutcome.FAILED for it in report.builds):
            self._daemon.info(gone="went away during the build")
        return report

    def run(self, request: RunRequest, on_line: OnLine) -> RunReport:
        """Run a program in a container that is removed at its end, also when it is stopped."""
        name, began = f"bot-run-{uuid.uuid4().hex[:12]}", time.monotonic()
        tail: deque[str] = deque(maxlen=_TAIL)
        with self._group() as group, handed_over(request, self.context) as (seen, scratch):
            process = group.start(self._docker(run_words(seen, name, self.network)), self.environ)
            if process is None:
                return RunReport(-1, (), 0.0, "cancelled")
            process.stop_after(request.timeout)
            try:
                for said in self._lines(process, (), request.platform or "", on_line):
                    tail.append(said.decode(errors="replace").rstrip("\r\n"))
                status = process.wait()
            finally:
                # The client's end is not the container's.
                self._daemon.remove(name)
            files = taken(request, scratch)
        return RunReport(status, tuple(tail), time.monotonic() - began, process.why or "", files)

    def cancel(self) -> None:
        """Stop every build and run of this builder."""
        for group in tuple(self._groups):
            group.stop()

    @contextmanager
    def _group(self) -> Iterator[Group]:
        group = Group()
        self._groups.append(group)
        try:
            yield group
        except BaseException:
            group.stop()
            raise
        finally:
            self._groups.remove(group)

    def _build(self, group: Group, request: BuildRequest, platform: str, on_line: OnLine) -> PlatformBuild:
        began, tag = time.monotonic(), request.tag_for(platform)
        with tempfile.TemporaryDirectory(prefix="bot-build-") as scratch:
            image_file = Path(scratch) / "image"
            words = build_words(request, platform, self.context, image_file, self.network)
            process = group.start(self._docker(words), {**self.environ, "DOCKER_BUILDKIT": "1"})
            if process is None:
                return PlatformBuild(platform, BuildOutcome.CANCELLED, 0.0, _NOTHING, tag)
            process.stop_after(self.timeout)
            last: deque[bytes] = deque(maxlen=1)
            try:
                diagnosis = read_build_log(
                    _remembering(self._lines(process, request.secrets, platform, on_line), last)
                )
            except BaseException:
                process.stop("cancelled")
                raise
            finally:
                status = process.wait()
            image = image_file.read_text().strip() if status == 0 and image_file.is_file() else None
        outcome = (
            BuildOutcome.SUCCEEDED if status == 0 else _STOPPED.get(process.why or "", BuildOutcome.FAILED)
        )
        error = "" if status == 0 else b"".join(last).decode(errors="replace").strip()
        return PlatformBuild(platform, outcome, time.monotonic() - began, diagnosis, tag, image, error)

    def _lines(
        self, process: Process, secrets: Sequence[str], platform: str, on_line: OnLine
    ) -> Iterator[bytes]:
        """Yield the lines of a program, without the values of secrets, and tell of each."""
        hidden = [value.encode() for name in secrets if (value := self.environ.get(name, "").strip())]
        for line in process.lines():
            shown = line
            for secret in hidden:
                shown = shown.replace(secret, b"***")
            on_line(platform, shown.decode(errors="replace").rstrip("\r\n"))
            yield shown

    @staticmethod
    def _docker(words: Sequence[str]) -> list[str]:
        return ["docker", *words]


def _remembering(lines: Iterator[bytes], last: deque[bytes]) -> Iterator[bytes]:
    for line in lines:
        if line.strip():
            last.append(line)
        yield line


def _make_folders(context: Path, folders: Sequence[str]) -> None:
    """Make the folders that git does not hold; an empty one is nothing to git."""
    for folder in folders:
        path = context / folder
        if not path.resolve().is_relative_to(context.resolve()):
            raise Refused("leads out of the clone", path=folder, hint="it has to be an ordinary folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(f"cannot be made: {error.strerror}", path=folder) from error
