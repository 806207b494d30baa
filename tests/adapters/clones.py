"""Real repositories for tests, out of reach of the configuration of the person who runs them."""

import os
import subprocess
from pathlib import Path

ENVIRON = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}
_AUTHOR = (
    "-c",
    "user.name=A Person",
    "-c",
    "user.email=person@example.com",
    "-c",
    "protocol.file.allow=always",
)


def git(folder: Path, *arguments: str) -> str:
    command = ["git", *_AUTHOR, *arguments]
    return subprocess.run(command, cwd=folder, env=ENVIRON, check=True, capture_output=True, text=True).stdout


def make_clone(folder: Path, files: dict[str, bytes]) -> Path:
    """Make a repository in `folder` with one commit that holds `files`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    put(folder, files)
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=start")
    return folder


def put(folder: Path, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return mode, time of change and content of everything below `folder`."""
    found = {}
    for file in sorted(folder.rglob("*")):
        status = file.lstat()
        content = file.read_bytes() if file.is_file() and not file.is_symlink() else b""
        found[str(file.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, content)
    return found
