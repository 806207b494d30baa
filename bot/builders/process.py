"""Programs in process groups of their own, whose lines are read as they come and that can be stopped."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Lock, Timer
from typing import Literal

from bot.core.errors import ServiceError

Why = Literal["cancelled", "timed out"]

_GRACE = 10.0
"""Seconds that a program has between being asked to end and being ended."""
_PIECE = 64 * 1024


class Process:
    """One running program: it has no input, and its output and errors are one stream."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], grace: float = _GRACE) -> None:
        self.why: Why | None = None
        self._grace = grace
        self._timers: list[Timer] = []
        try:
            self._process = subprocess.Popen(
                command,
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ServiceError(f"`{command[0]}` cannot be started: {error}") from error

    def lines(self) -> Iterator[bytes]:
        """Yield what the program writes, line by line, a line that is very long in pieces."""
        stream = self._process.stdout
        if stream is not None:
            yield from iter(lambda: stream.readline(_PIECE), b"")

    def stop_after(self, seconds: float | None) -> None:
        """Stop the program when it still runs after so many seconds, None for never."""
        if seconds is not None:
            self._start(Timer(seconds, self.stop, ["timed out"]))

    def stop(self, why: Why) -> None:
        """Ask the program and its children to end, and end them when they do not; the first reason stays."""
        if self._process.poll() is None:
            self.why = self.why or why
            self._signal(signal.SIGTERM)
            self._start(Timer(self._grace, self._signal, [signal.SIGKILL]))

    def wait(self) -> int:
        """Return the exit status, when the program has ended; what it left behind is ended too."""
        status = self._process.wait()
        for timer in self._timers:
            timer.cancel()
        self._signal(signal.SIGKILL)
        if self._process.stdout:
            self._process.stdout.close()
        return status

    def _start(self, timer: Timer) -> None:
        timer.daemon = True
        self._timers.append(timer)
        timer.start()

    def _signal(self, number: signal.Signals) -> None:
        # The group outlives its leader as long as one of its children runs.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


class Group:
    """Programs that are stopped together; once stopped, it starts no more."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: list[Process] = []
        self._stopped = False

    def start(self, command: Sequence[str], environ: Mapping[str, str]) -> Process | None:
        """Return the running program, None when the group has been stopped."""
        with self._lock:
            if self._stopped:
                return None
            process = Process(command, environ)
            self._running.append(process)
            return process

    def stop(self) -> None:
        """Stop every program of the group."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.stop("cancelled")
