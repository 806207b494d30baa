"""Writes several files of a checkout, all of them or none."""

import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bot.checkout.paths import locate, refuse_other_repository
from bot.core.errors import Refused

Replace = Callable[[Path, Path], object]
"""Puts the first file in the place of the second, in one step."""


@dataclass(frozen=True, slots=True)
class _Target:
    """A file to write, `before` being its content and `status` its `stat` as long as it exists."""

    path: str
    file: Path
    content: bytes
    before: bytes | None
    status: os.stat_result | None


def write_files(top: Path, files: Mapping[str, bytes], replace: Replace = Path.replace) -> None:
    """Give each file below the folder `top` its new content; its mode stays.

    Each file changes in one step, so nobody sees half of it. Raises Refused with the path when one
    of them cannot be written, and then none has changed: a file that is read-only (for root too), a
    link, outside of `top` or in another repository, and a folder that is missing or read-only.
    """
    targets = [_target(top, path, content) for path, content in files.items()]
    changed = [target for target in targets if target.content != target.before]
    for target in targets:
        _remove_leftovers(target)
    with ExitStack() as undo:
        staged = [(target, _staged(target, target.content, undo)) for target in changed]
        for target, temporary in staged:
            # Before the step, since an interrupt may come right behind it.
            undo.callback(_put_back, target)
            with _naming(target, "cannot be written"):
                replace(temporary, target.file)
        undo.pop_all()


def _target(top: Path, path: str, content: bytes) -> _Target:
    file = locate(top, path)
    folder = file.parent
    if not folder.is_dir():
        raise Refused("lies in a folder that does not exist", path=path)
    if folder.resolve() != folder:
        raise Refused("lies behind a link", path=path)
    refuse_other_repository(top, file, path)
    if not _is_writable(folder, folder.stat()):
        raise Refused("lies in a folder that is read-only", path=path)
    if file.is_symlink():
        raise Refused("is a link", path=path)
    if not file.exists():
        return _Target(path, file, content, None, None)
    status = file.stat()
    if not stat.S_ISREG(status.st_mode):
        raise Refused("is not a file", path=path)
    if not _is_writable(file, status):
        raise Refused("is read-only", path=path, hint=f"`chmod u+w {path}` if it is meant to change")
    return _Target(path, file, content, file.read_bytes(), status)


def _is_writable(file: Path, status: os.stat_result) -> bool:
    # The mode is asked as well, since root may write what its owner protected.
    return bool(status.st_mode & 0o222) and os.access(file, os.W_OK)


_TEMPORARY = re.compile(r"\.bump-[0-9a-f]{16}\.tmp")


def _remove_leftovers(target: _Target) -> None:
    """Remove what a run that was killed left beside a file: by its name, its owner, and its bytes.

    The bytes are the beginning of what is to be written, or of what was there: nothing is lost with them.
    """
    own = [content for content in (target.content, target.before) if content is not None]
    for file in target.file.parent.iterdir():
        if _TEMPORARY.fullmatch(file.name) and not file.is_symlink() and file.is_file():
            with suppress(OSError):
                mine = file.stat().st_uid in {os.getuid(), target.status.st_uid if target.status else -1}
                if mine and any(content.startswith(file.read_bytes()) for content in own):
                    file.unlink()


def _staged(target: _Target, content: bytes, undo: ExitStack) -> Path:
    """Write `content` to a new file beside the target, safely on disk; `undo` deletes it."""
    temporary = target.file.with_name(f".bump-{secrets.token_hex(8)}.tmp")
    undo.callback(temporary.unlink, missing_ok=True)
    with _naming(target, "cannot be written"), temporary.open("xb") as opened:
        opened.write(content)
        opened.flush()
        if target.status:
            _like(opened.fileno(), target.status)
        os.fsync(opened.fileno())
    return temporary


def _like(descriptor: int, status: os.stat_result) -> None:
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
    # Only root may give a file away, and only root writes a clone of somebody else.
    with suppress(PermissionError):
        os.fchown(descriptor, status.st_uid, status.st_gid)


def _put_back(target: _Target) -> None:
    with _naming(target, "was changed and cannot be put back"), ExitStack() as undo:
        if target.before is None:
            target.file.unlink(missing_ok=True)
        elif target.file.read_bytes() != target.before:
            _staged(target, target.before, undo).replace(target.file)


@contextmanager
def _naming(target: _Target, problem: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Refused(f"{problem}: {error.strerror or error}", path=target.path) from error
