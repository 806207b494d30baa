"""Imports images as archives for clusters that want one, each once however many ask for it at a time.

An archive appears under its name only when it is whole. Who imports holds a lock beside it; the lock goes
with the process, so a killed import is begun anew by whoever comes next.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from bot.core.build import Problem
from bot.core.buildlog.reader import read_build_log
from bot.core.enroot import (
    Place,
    Space,
    archive_name,
    credential_problems,
    folders,
    import_arguments,
    space_problems,
)
from bot.core.errors import BotError, Refused, ServiceError, UsageError
from bot.core.image import ImageRef
from bot.core.slurm import environment

OnLine = Callable[[str], None]

_GIGABYTE = 1000**3
_KEPT_LINES = 400
_GRACE = 10.0
_NOT_THERE = frozenset({"image-unknown", "image-name-invalid"})


class EnrootArchives:
    """The archives in a folder that every node of the cluster sees."""

    def __init__(
        self, folder: Path, environ: Mapping[str, str], space: Space | None = None, poll: float = 2.0
    ) -> None:
        self._folder = folder.absolute()
        self._environ = environ
        self._space = space or Space()
        self._poll = poll
        self._stop = threading.Event()

    def preflight(self, image: ImageRef) -> tuple[Problem, ...]:
        """Return what an import would stumble over; nothing is asked of the registry."""
        places = folders(self._environ)
        file = Path(places["config"]) / ".credentials"
        credentials = None
        with suppress(OSError):
            credentials = file.read_text(encoding="utf-8", errors="replace")
        needed = {
            "the layer cache": (places["cache"], self._space.cache),
            "the scratch space": (places["scratch"], self._space.scratch),
            "the archive": (str(self._folder), self._space.archive),
        }
        found = (_place(what, path, gigabytes) for what, (path, gigabytes) in needed.items())
        missing = () if shutil.which("enroot", path=self._environ.get("PATH")) else (_NO_ENROOT,)
        return (*missing, *credential_problems(image, credentials, str(file)), *space_problems(found))

    def archive(self, image: ImageRef, on_line: OnLine) -> Path:
        """Return the archive of an image, imported unless it is there already.

        Raises Refused for an image that is not in its registry and for what the preflight finds fatal, and
        ServiceError where the import fails otherwise or is cancelled.
        """
        self._stop.clear()
        target = self._folder / archive_name(image)
        command = import_arguments(image, str(target.with_name(f".{target.name}.part")))
        with self._alone(target, on_line):
            if not target.exists():
                self._import(image, command, target, on_line)
        return target

    def cancel(self) -> None:
        """End the import or the wait for another's, from any thread."""
        self._stop.set()

    @contextmanager
    def _alone(self, target: Path, on_line: OnLine) -> Iterator[None]:
        """Hold the lock of an archive; it is waited for, with a word."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = target.with_name(f".{target.name}.lock").open("ab")
        except OSError as error:
            raise UsageError(f"`{self._folder}` cannot be written: {error.strerror}") from error
        with lock:
            told = False
            while not _locked(lock.fileno()):
                if not told:
                    on_line(f"`{target.name}` is being imported by another; waiting for it")
                    told = True
                if self._stop.wait(self._poll):
                    raise ServiceError(f"the wait for `{target.name}` was cancelled")
            yield

    def _import(self, image: ImageRef, command: tuple[str, ...], target: Path, on_line: OnLine) -> None:
        if fatal := [it for it in self.preflight(image) if it.fatal]:
            raise Refused(f"`{image}` cannot be imported: {fatal[0].text}", hint=fatal[0].hint)
        part = Path(command[3])
        # What a killed import left would make enroot refuse.
        part.unlink(missing_ok=True)
        try:
            status, said = self._call(command, on_line)
            if self._stop.is_set():
                raise ServiceError(f"the import of `{image}` was cancelled")
            if status:
                raise _failed(image, status, said)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def _call(self, command: tuple[str, ...], on_line: OnLine) -> tuple[int, list[str]]:
        """Run enroot to its end, and return its exit status and last lines."""
        said: deque[str] = deque(maxlen=_KEPT_LINES)
        process = subprocess.Popen(
            command,
            env=environment(self._environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            # enroot runs curl, tar and mksquashfs: all of them end together.
            start_new_session=True,
        )
        watcher = threading.Thread(target=self._end_when_cancelled, args=(process,), daemon=True)
        watcher.start()
        try:
            for line in process.stdout or ():
                said.append(line.rstrip("\n"))
                on_line(said[-1])
            return process.wait(), list(said)
        finally:
            _end(process)
            watcher.join()
            if process.stdout:
                process.stdout.close()

    def _end_when_cancelled(self, process: "subprocess.Popen[str]") -> None:
        while process.poll() is None:
            if self._stop.wait(min(self._poll, 0.2)):
                _end(process)


_NO_ENROOT = Problem(
    "enroot", "`enroot` was not found", "run the bot on a machine of the cluster that has it"
)


def _place(what: str, path: str, gigabytes: int) -> Place:
    existing = next(it for it in (Path(path).absolute(), *Path(path).absolute().parents) if it.exists())
    free = shutil.disk_usage(existing).free / _GIGABYTE
    return Place(what, path, existing.stat().st_dev, free, gigabytes)


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end(process: "subprocess.Popen[str]") -> None:
    """End a process with all that it has begun; nothing is done where it has ended."""
    if process.poll() is not None:
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _failed(image: ImageRef, status: int, said: list[str]) -> BotError:
    causes = read_build_log([("\n".join(said) + "\n").encode()]).causes
    last = next((line for line in reversed(said) if line.strip()), "it says nothing").strip()[:300]
    if not causes:
        return ServiceError(f"`{image}` cannot be imported (exit status {status}): {last}")
    kind = Refused if causes[0].cause in _NOT_THERE else ServiceError
    return kind(f"`{image}` cannot be imported: {causes[0].cause}: {last}", hint=causes[0].hint)
