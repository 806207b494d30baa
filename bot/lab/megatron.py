"""A small repository in the shape of NVIDIA/Megatron-LM: its pins, its decoys, none of its code.

    python -m bot.lab.megatron DIR

makes it as a git checkout in DIR.
"""

import os
import subprocess
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from bot.core.errors import BotError, UsageError

REPOSITORY = "NVIDIA/Megatron-LM"
REMOTE = f"https://github.com/{REPOSITORY}.git"


def megatron_files() -> dict[str, bytes]:
    """Return each file of the tree by its path, with the exact bytes."""
    return dict(_walk(files("bot.lab").joinpath("data", "megatron"), ""))


def _walk(folder: Traversable, prefix: str) -> "list[tuple[str, bytes]]":
    found: list[tuple[str, bytes]] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{prefix}{entry.name}"
        found += _walk(entry, f"{path}/") if entry.is_dir() else [(path, entry.read_bytes())]
    return found


def make_checkout(directory: Path) -> str:
    """Make the repository in `directory` with one commit on `main`, and return the commit's sha.

    The remote `origin` is set and never contacted. Raises UsageError if the directory is not empty.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UsageError(f"`{directory}` is there already and not empty", hint="name a new directory")
    for path, content in megatron_files().items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if path.endswith(".sh") else 0o644)
    _git(directory, "init", "--quiet", "--initial-branch=main")
    _git(directory, "remote", "add", "origin", REMOTE)
    _git(directory, "add", "--all")
    _git(directory, "commit", "--quiet", "--message=Start")
    return _git(directory, "rev-parse", "HEAD")


def _git(directory: Path, *arguments: str) -> str:
    author = {"NAME": "Lab", "EMAIL": "lab@localhost", "DATE": "2026-05-07T12:00:00Z"}
    people = {f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in author.items()}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", "-C", str(directory), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **people, **alone},
    )
    return done.stdout.strip()


def main(arguments: list[str]) -> int:
    """Make the checkout that the command line names, and return the exit status."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m bot.lab.megatron DIR", file=sys.stderr)  # noqa: T201 - this is the command's output
        return UsageError.exit_code
    try:
        make_checkout(Path(arguments[0]))
    except BotError as error:
        print(f"error: {error}\n  hint: {error.hint}", file=sys.stderr)  # noqa: T201 - as above
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
