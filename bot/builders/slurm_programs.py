"""Calls Slurm's programs, without a shell and without the bot's tokens in their environment."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.core.errors import ServiceError, UsageError
from bot.core.slurm import environment

_UNKNOWN_JOB = "Invalid job id specified"
_NO_ACCOUNTING = "accounting storage is disabled"
_EXCERPT = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program printed, and its exit status."""

    status: int
    printed: str
    complaint: str


@dataclass(frozen=True)
class Programs:
    """The programs that `PATH` of `environ` finds; one that takes longer than `seconds` is given up."""

    environ: Mapping[str, str]
    seconds: float

    def call(self, command: Sequence[str]) -> Answer:
        """Run a program to its end, whatever its exit status."""
        try:
            done = subprocess.run(
                command,
                env=environment(self.environ),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.seconds,
                check=False,
            )
        except FileNotFoundError as error:
            raise UsageError(
                f"`{command[0]}` was not found", hint="run the bot on a machine from which jobs are submitted"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise ServiceError(f"`{command[0]}` gives no answer for {self.seconds:.0f} seconds") from error
        return Answer(done.returncode, _text(done.stdout), _text(done.stderr))

    def ask(self, *command: str) -> str:
        """Return what a program prints, nothing where it knows no such job or keeps no accounts.

        Raises ServiceError where it fails otherwise.
        """
        answer = self.call(command)
        if answer.status == 0:
            return answer.printed
        if _UNKNOWN_JOB in answer.complaint or _NO_ACCOUNTING in answer.complaint:
            return ""
        said = " ".join(answer.complaint.split())[:_EXCERPT] or "it says nothing"
        raise ServiceError(
            f"`{command[0]}` failed: {said}", hint="see whether the cluster is up, with `sinfo`"
        )


def _text(printed: bytes) -> str:
    return printed.decode(errors="replace")
