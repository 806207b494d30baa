"""A clone of NVIDIA/Megatron-LM, named by `MEGATRON_LM_GIT`; without it these tests are skipped."""

import os
import subprocess
from pathlib import Path

import pytest


class Repository:
    """A git directory, read without a work tree."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def git(self, *arguments: str, given: bytes = b"") -> bytes:
        command = ["git", f"--git-dir={self.directory}", *arguments]
        return subprocess.run(command, input=given, capture_output=True, check=True).stdout

    def files(self, revision: str, paths: list[str]) -> dict[str, bytes | None]:
        """Return each file at a revision, None where there is no such file."""
        wanted = "".join(f"{revision}:{path}\n" for path in paths).encode()
        answer = self.git("cat-file", "--batch", given=wanted)
        found, at = {}, 0
        for path in paths:
            end = answer.index(b"\n", at)
            header = answer[at:end]
            if header.endswith(b" missing"):
                found[path], at = None, end + 1
                continue
            size = int(header.split()[2])
            found[path] = answer[end + 1 : end + 1 + size]
            at = end + 1 + size + 1
        return found

    def heads(self) -> dict[str, str]:
        """Return the head of every branch of upstream; most clones keep them as remote ones."""
        return max(map(self._heads, ("refs/heads/", "refs/remotes/origin/")), key=len)

    def _heads(self, prefix: str) -> dict[str, str]:
        listed = self.git("for-each-ref", "--format=%(refname) %(objectname)", prefix).decode()
        heads = dict(line.removeprefix(prefix).split() for line in listed.splitlines())
        return {name: sha for name, sha in heads.items() if name != "HEAD"}

    def work_tree(self, revision: str, folder: Path) -> Path:
        """Check a revision out into a clone that shares the objects."""
        clone = ["git", "clone", "--quiet", "--shared", "--no-checkout", str(self.directory), str(folder)]
        subprocess.run(clone, check=True)
        subprocess.run(["git", "-C", str(folder), "checkout", "--quiet", "--detach", revision], check=True)
        return folder


@pytest.fixture(scope="session")
def megatron() -> Repository:
    directory = os.environ.get("MEGATRON_LM_GIT")
    if not directory:
        pytest.skip("MEGATRON_LM_GIT names no clone of NVIDIA/Megatron-LM")
    return Repository(Path(directory))
