"""Programs that run side by side and are stopped together."""

import os
import sys
import threading
from pathlib import Path

import pytest

from bot.builders.process import Group, Process
from bot.core.errors import ServiceError

STUBBORN = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", code])
print(child.pid, flush=True)
child.wait()
"""


def is_running(pid: int) -> bool:
    """Say whether a process still does something; one that nobody waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_lines_come_as_they_are_written_output_and_errors_alike():
    code = "import sys; print('a'); sys.stdout.flush(); sys.stderr.write('b\\nno end')"
    process = Process([sys.executable, "-c", code], os.environ)

    assert list(process.lines()) == [b"a\n", b"b\n", b"no end"]
    assert (process.wait(), process.why) == (0, None)


def test_a_program_has_no_input():
    process = Process([sys.executable, "-c", "import sys; print(repr(sys.stdin.read()))"], os.environ)

    assert list(process.lines()) == [b"''\n"]
    assert process.wait() == 0


def test_a_program_that_will_not_end_is_ended_with_its_children():
    process = Process([sys.executable, "-c", STUBBORN], os.environ, grace=0.2)
    lines = process.lines()
    child = int(next(lines))

    process.stop("cancelled")
    process.stop("timed out")

    assert list(lines) == []
    assert process.wait() == -9
    assert process.why == "cancelled", "the first reason stays"
    assert not is_running(child)


def test_a_program_that_has_ended_cannot_be_stopped():
    process = Process([sys.executable, "-c", ""], os.environ)
    process.wait()

    process.stop("cancelled")

    assert process.why is None


@pytest.mark.parametrize("command", [["/nonexistent/docker"], ["docker\0"]])
def test_a_program_that_is_not_there_is_said(command):
    with pytest.raises(ServiceError, match="cannot be started"):
        Process(command, os.environ)


def test_a_stopped_group_starts_nothing():
    group = Group()
    process = group.start([sys.executable, "-c", "import time; time.sleep(600)"], os.environ)

    group.stop()

    assert process.wait() != 0
    assert process.why == "cancelled"
    assert group.start([sys.executable, "-c", ""], os.environ) is None
    assert threading.active_count() < 20
