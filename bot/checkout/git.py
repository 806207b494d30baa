"""Runs git on a clone that may be hostile: it starts no program that the clone names, and writes nothing."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.core.errors import ServiceError, UsageError

# What `git rev-parse --local-env-vars` lists, without the variables of configuration: inside a hook
# or an alias they would point at another repository than the one that was named.
_OF_ANOTHER_REPOSITORY = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
_OPTIONS = (
    "--no-pager",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    # A partial clone would fetch what it lacks, and write it into `.git`.
    *("-c", "protocol.allow=never"),
)


@dataclass(frozen=True)
class Git:
    """git in one folder. `filters` names the content filters that must not run, none with `=` in its name."""

    folder: Path
    environ: Mapping[str, str]
    filters: frozenset[str] = frozenset()

    def run(self, arguments: Sequence[str], *, feed: bytes = b"", also_fine: Sequence[int] = ()) -> bytes:
        """Return what git prints.

        Raises UsageError where git is not there or the folder is no work tree of this user, and
        ServiceError when git fails otherwise; exit codes in `also_fine` are no failure.
        """
        command = ["git", *_OPTIONS, *self._without_filters(), *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=self._environment(),
                input=feed,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError as error:
            raise UsageError("git was not found", hint="install git, or put it on PATH") from error
        if done.returncode not in {0, *also_fine}:
            raise _explained(self.folder, done.stdout, done.stderr.decode(errors="replace").strip())
        return done.stdout

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in self.environ.items() if name not in _OF_ANOTHER_REPOSITORY}
        return kept | {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}

    def _without_filters(self) -> list[str]:
        return [
            word
            for name in sorted(self.filters)
            for variable in ("clean", "smudge", "process", "required")
            for word in ("-c", f"filter.{name}.{variable}=")
        ]


def _explained(folder: Path, printed: bytes, complaint: str) -> UsageError | ServiceError:
    if "dubious ownership" in complaint:
        # The last line of git's advice is the command that a person may give, with the right path.
        return UsageError(
            f"`{folder}` belongs to another user, so git does not open it",
            hint=f"if you trust it: {complaint.splitlines()[-1].strip()}",
        )
    if "not a git repository" in complaint:
        return UsageError(f"`{folder}` is not in a git repository", hint="name the folder of a clone")
    if "must be run in a work tree" in complaint:
        what = "a bare repository" if printed.startswith(b"true") else "inside `.git`"
        return UsageError(f"`{folder}` is {what}, without files to edit", hint="name the folder of a clone")
    return ServiceError(f"git failed in `{folder}`: {complaint.removeprefix('fatal: ') or 'it says nothing'}")
