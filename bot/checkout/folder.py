"""A plain folder on this machine, whose files are only read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.checkout.paths import locate, resolve
from bot.core.errors import Refused, UsageError


@dataclass(frozen=True, slots=True)
class Folder:
    """Implements `bot.ports.Folder`. `top` is absolute; all paths count from there."""

    top: Path

    @classmethod
    def open(cls, path: Path) -> "Folder":
        """Return the folder at a path. Raises UsageError when there is none."""
        if not path.is_dir():
            raise UsageError(f"`{path}` is not a folder", hint="name a folder with golden files in it")
        return cls(path.resolve())

    @property
    def label(self) -> str:
        """The folder's path."""
        return str(self.top)

    def files(self, suffix: str) -> tuple[str, ...]:
        """Return each file whose name ends in `suffix`, folders below included, in order."""
        found = (path for path in self.top.rglob(f"*{suffix}") if path.is_file())
        return tuple(sorted(path.relative_to(self.top).as_posix() for path in found))

    def read(self, paths: Sequence[str]) -> dict[str, bytes | None]:
        """Return the exact bytes of each file, None where there is no file.

        A link that leads out of the folder is no file of it. Raises Refused for a path that leads out and
        for a file that cannot be read.
        """
        return {path: self._read(path) for path in paths}

    def _read(self, path: str) -> bytes | None:
        locate(self.top, path)
        try:
            file = resolve(self.top, path)
        except Refused:
            return None
        try:
            return file.read_bytes() if file else None
        except OSError as error:
            raise Refused(f"cannot be read: {error.strerror}", path=path) from error
