"""Runs a program in a container as a job of a Slurm cluster with pyxis, and follows it to its end.

A job is submitted once: its number is written beside its log, and its name is made from all that it is, so a
bot that was killed finds it again. The job ends with the bot wherever the bot can still say so.
"""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.builders.followed_log import FollowedLog
from bot.builders.slurm_programs import Programs
from bot.core.errors import BotError, ServiceError, UsageError
from bot.core.slurm import STEP_SCRIPT, ClusterJob, log_path, sbatch_arguments, step_arguments
from bot.core.slurm_states import (
    SACCT_FORMAT,
    SINFO_FORMAT,
    SQUEUE_FORMAT,
    JobReport,
    JobStatus,
    accounted_status,
    controlled_status,
    listed,
    partitions,
    queued_status,
    refused_partition,
    refused_submission,
    submitted,
)

OnLine = Callable[[str], None]
OnNumber = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds: between two looks, for an answer of Slurm, while Slurm is away, and until a job has ended.

    The last holds from the moment in which it was cancelled.
    """

    poll: float = 5.0
    answer: float = 60.0
    outage: float = 600.0
    ending: float = 120.0


class SlurmCluster:
    """The cluster that the environment names; `folder` is one that its nodes see, for logs and numbers."""

    def __init__(self, folder: Path, environ: Mapping[str, str], patience: Patience | None = None) -> None:
        self._folder = folder.absolute()
        self._patience = patience or Patience()
        self._slurm = Programs(environ, self._patience.answer)
        self._stop = threading.Event()

    def check(self, job: ClusterJob) -> None:
        """Raise what the job would stumble over: no Slurm, no such partition, one that is down."""
        known = partitions(self._slurm.ask("sinfo", "--noheader", f"--format={SINFO_FORMAT}"))
        if refusal := refused_partition(known, job.partition):
            raise refusal

    def run(self, job: ClusterJob, on_line: OnLine, on_number: OnNumber = lambda _number: None) -> JobReport:
        """Run a job to its end, and return how it ended; one that runs already is followed.

        `on_line` gets each line of its log. Raises Refused or ServiceError for a job that Slurm does not
        take, or forgets. Whatever ends this call before the job has ended cancels the job.
        """
        self._stop.clear()
        number = self._begun(job) or self._submit(job)
        log = FollowedLog(Path(log_path(job, str(self._folder), number)), on_line)
        try:
            on_number(number)
            report = self._follow(job, number, log)
        except BaseException:
            with suppress(BotError):
                self._cancel(number)
                self._record(job).unlink(missing_ok=True)
            raise
        self._record(job).unlink(missing_ok=True)
        return report

    def cancel(self) -> None:
        """Cancel the job that runs, from any thread; it ends as cancelled."""
        self._stop.set()

    def status(self, number: int) -> JobStatus | None:
        """Return how a job stands, None where no part of Slurm remembers it."""
        text = self._slurm.ask(
            "squeue", "--noheader", "--states=all", f"--jobs={number}", f"--format={SQUEUE_FORMAT}"
        )
        queued = queued_status(text, number)
        if queued and not queued.is_over:
            return queued
        # The queue does not show exit statuses, and forgets a job soon after its end.
        shown = controlled_status(
            self._slurm.ask("scontrol", "show", "job", "--oneliner", str(number)), number
        )
        if shown:
            return shown
        options = ("--noheader", "--allocations", "--parsable2", f"--format={SACCT_FORMAT}")
        return accounted_status(self._slurm.ask("sacct", *options, f"--jobs={number}"), number) or queued

    def _begun(self, job: ClusterJob) -> int | None:
        """Return the number of this very job where it was begun before and its end was not yet told."""
        with suppress(OSError, ValueError):
            number = int(self._record(job).read_text(encoding="ascii"))
            if self.status(number):
                return number
        listing = self._slurm.ask("squeue", "--noheader", "--me", f"--name={job.name}", "--format=%i")
        return next(iter(listed(listing)), None)

    def _submit(self, job: ClusterJob) -> int:
        command, step = sbatch_arguments(job, str(self._folder)), step_arguments(job)
        self.check(job)
        script = self._folder / "step.sh"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _replace(script, STEP_SCRIPT)
        except OSError as error:
            raise UsageError(f"`{self._folder}` cannot be written: {error.strerror}") from error
        answer = self._slurm.call((*command, str(script), *step))
        if answer.status:
            raise refused_submission(answer.complaint)
        number = submitted(answer.printed)
        _replace(self._record(job), f"{number}\n")
        return number

    def _follow(self, job: ClusterJob, number: int, log: FollowedLog) -> JobReport:
        while not (status := self._seen(number)).is_over:
            log.read()
            if hint := status.hopeless:
                self._cancel(number)
                raise ServiceError(f"job {number} waits in vain: {status.reason}", hint=hint)
            if self._stop.wait(self._patience.poll):
                self._cancel(number)
                self._stop.clear()
        # A shared file system shows the last lines a little later than Slurm says that they are written.
        while log.read():
            time.sleep(min(self._patience.poll, 1.0))
        log.close()
        return JobReport(number, status, log_path(job, str(self._folder), number))

    def _seen(self, number: int) -> JobStatus:
        """Return how a job stands, with patience for a controller that is away."""
        until = time.monotonic() + self._patience.outage
        while True:
            try:
                status = self.status(number)
            except ServiceError:
                if time.monotonic() > until or self._stop.is_set():
                    raise
                time.sleep(self._patience.poll)
                continue
            if status is None:
                raise ServiceError(
                    f"Slurm has forgotten job {number}, and keeps no accounts of its end", hint="see its log"
                )
            return status

    def _cancel(self, number: int) -> None:
        """Cancel a job and wait for its end."""
        self._slurm.ask("scancel", str(number))
        until = time.monotonic() + self._patience.ending
        while (status := self.status(number)) and not status.is_over:
            if time.monotonic() > until:
                raise ServiceError(f"job {number} was cancelled and does not end", hint=f"scancel {number}")
            time.sleep(min(self._patience.poll, 1.0))

    def _record(self, job: ClusterJob) -> Path:
        return self._folder / f"{job.name}.job"


def _replace(path: Path, text: str) -> None:
    """Write a file as a whole: who reads it at the same time sees all of it or none."""
    made = path.with_name(f".{path.name}.{threading.get_ident()}")
    made.write_text(text, encoding="ascii")
    made.replace(path)
