"""Files that are handed to a program in a container and back, through a folder that is gone afterwards."""

import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bot.core.container import Mount, RunRequest

_MOST = 64 * 1024 * 1024


@contextmanager
def handed_over(request: RunRequest, context: Path) -> Iterator[tuple[RunRequest, Path]]:
    """Yield the request with mounts for its files and its context, and the folder that holds the files."""
    scratch = Path(tempfile.mkdtemp(prefix="bot-run-"))
    try:
        mounts = list(request.mounts)
        if request.context_at:
            mounts.append(Mount(str(context), request.context_at))
        for name, read_only in (("given", True), ("taken", False)):
            (scratch / name).mkdir()
            if request.given if read_only else request.takes:
                mounts.append(Mount(str(scratch / name), f"/{name}", read_only))
        # The program may be another user's; the folder above keeps everybody else of the machine out.
        (scratch / "taken").chmod(0o777)
        for name, content in request.given.items():
            (scratch / "given" / name).write_bytes(content)
        yield replace(request, mounts=tuple(mounts)), scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def taken(request: RunRequest, scratch: Path) -> dict[str, bytes]:
    """Return the files that the program handed back: a link could name any file of this machine."""
    found = {}
    for name in request.takes:
        file = scratch / "taken" / name
        status = file.lstat() if file.is_file() else None
        if status and stat.S_ISREG(status.st_mode) and status.st_size <= _MOST:
            found[name] = file.read_bytes()
    return found
