"""What Slurm's programs print → how a job and a partition stand.

States: https://slurm.schedmd.com/squeue.html#lbAG, reasons:
https://slurm.schedmd.com/job_reason_codes.html. A line of another form is never guessed at.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from bot.core.errors import BotError, Refused, ServiceError

SQUEUE_FORMAT = "%i|%T|%r"
"""What `squeue --format` is to print for `queued_status`."""
SACCT_FORMAT = "JobIDRaw,State,ExitCode"
"""What `sacct --format` is to print for `accounted_status`."""
SINFO_FORMAT = "%P|%a"
"""What `sinfo --format` is to print for `partitions`."""


class Outcome(StrEnum):
    """How a job stands, or how it ended."""

    WAITING = "waiting"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    PREEMPTED = "preempted"
    NODE_FAILED = "node failed"
    OUT_OF_MEMORY = "out of memory"
    NOT_STARTED = "not started"


_OUTCOMES = {
    "PENDING": Outcome.WAITING,
    "CONFIGURING": Outcome.WAITING,
    "REQUEUED": Outcome.WAITING,
    "REQUEUE_FED": Outcome.WAITING,
    "REQUEUE_HOLD": Outcome.WAITING,
    "SPECIAL_EXIT": Outcome.WAITING,
    "RESV_DEL_HOLD": Outcome.WAITING,
    "RUNNING": Outcome.RUNNING,
    "COMPLETING": Outcome.RUNNING,
    "RESIZING": Outcome.RUNNING,
    "SIGNALING": Outcome.RUNNING,
    "STAGE_OUT": Outcome.RUNNING,
    "STOPPED": Outcome.RUNNING,
    "SUSPENDED": Outcome.RUNNING,
    "COMPLETED": Outcome.SUCCEEDED,
    "FAILED": Outcome.FAILED,
    "CANCELLED": Outcome.CANCELLED,
    "REVOKED": Outcome.CANCELLED,
    "TIMEOUT": Outcome.TIMED_OUT,
    "DEADLINE": Outcome.TIMED_OUT,
    "PREEMPTED": Outcome.PREEMPTED,
    "NODE_FAIL": Outcome.NODE_FAILED,
    "BOOT_FAIL": Outcome.NODE_FAILED,
    "OUT_OF_MEMORY": Outcome.OUT_OF_MEMORY,
}

_HOPELESS = (
    (
        r"Partition(?:Down|Inactive)",
        "the partition takes no jobs for now: name another, or ask its operators",
    ),
    (r"Partition(?:Config|NodeLimit|TimeLimit)", "the partition grants no such job: fewer nodes or minutes"),
    (r"BadConstraints|NodeDown", "no node can run it: see nodes and GPUs in the recipe"),
    (
        r"(?:Inactive|Invalid)?(?:Account|QOS)(?:NotAllowed)?",
        "the account may not: see `account` in the recipe",
    ),
    (r"JobHeld(?:Admin|User)", "somebody holds the job back: ask them, or cancel it"),
    (r"DependencyNeverSatisfied|JobLaunchFailure|launch_failed_requeued_held", "ask the cluster's operators"),
)


@dataclass(frozen=True, slots=True)
class JobStatus:
    """How a job stands: Slurm's own state and reason, and the exit status once one is known.

    `exit_code` is that of the program, `signal` the one that ended it, 0 where none did.
    """

    state: str
    reason: str = ""
    exit_code: int | None = None
    signal: int = 0

    @property
    def outcome(self) -> Outcome:
        """The state in the bot's words; a job that never began has not failed."""
        if self.state == "FAILED" and self.reason == "JobLaunchFailure":
            return Outcome.NOT_STARTED
        return _OUTCOMES[self.state]

    @property
    def is_over(self) -> bool:
        """Whether nothing of the job runs any more."""
        return self.outcome not in {Outcome.WAITING, Outcome.RUNNING}

    @property
    def hopeless(self) -> str | None:
        """What to do where the job waits for what does not come by itself, else None."""
        if self.outcome is not Outcome.WAITING:
            return None
        return next((hint for reason, hint in _HOPELESS if re.fullmatch(reason, self.reason)), None)


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition: whether jobs go there unasked, and its availability (`up`, `down`, `drain`, `inact`)."""

    name: str
    is_default: bool
    availability: str


def submitted(text: str) -> int:
    """Return the number of a job, from what `sbatch --parsable` printed. Raises ServiceError otherwise."""
    found = re.fullmatch(r"\s*([1-9][0-9]*)(?:;[^\n]*)?\s*", text, re.ASCII)
    if not found:
        raise ServiceError(
            "Slurm took a job and did not say its number", hint="look for it with `squeue --me`"
        )
    return int(found[1])


def listed(text: str) -> tuple[int, ...]:
    """Return the numbers of the jobs that `squeue --format=%i` printed, in their order."""
    return tuple(int(it) for it in text.split() if it.isdecimal())


def queued_status(text: str, job: int) -> JobStatus | None:
    """Return how a job stands, from `squeue` in `SQUEUE_FORMAT`; None where it is not listed."""
    for line in text.splitlines():
        number, _, rest = line.strip().partition("|")
        state, _, reason = rest.partition("|")
        if number == str(job):
            return JobStatus(_known(state), reason)
    return None


def controlled_status(text: str, job: int) -> JobStatus | None:
    """Return how a job stands, from `scontrol show job --oneliner`; None where it is not shown.

    What people name, such as the command, stands behind what is read here.
    """
    shown: dict[str, str] = {}
    for key, value in re.findall(r"(?<!\S)(\w+)=(\S*)", text):
        shown.setdefault(key, value)
    if shown.get("JobId") != str(job):
        return None
    code, signal = _exit(shown.get("ExitCode", ""))
    return JobStatus(_known(shown.get("JobState", "")), shown.get("Reason", ""), code, signal)


def accounted_status(text: str, job: int) -> JobStatus | None:
    """Return how a job stands, from `sacct` in `SACCT_FORMAT`, parsable and without steps.

    Of a job that was begun several times the last line counts.
    """
    rows = [line.strip().split("|") for line in text.splitlines()]
    found = [row for row in rows if len(row) == SACCT_FORMAT.count(",") + 1 and row[0] == str(job)]
    if not found:
        return None
    _, state, exit_code = found[-1]
    # Accounting adds who cancelled: `CANCELLED by 1000`.
    word, _, reason = state.partition(" ")
    return JobStatus(_known(word), reason, *_exit(exit_code))


def _exit(text: str) -> tuple[int | None, int]:
    found = re.fullmatch(r"([0-9]+):([0-9]+)", text, re.ASCII)
    return (int(found[1]), int(found[2])) if found else (None, 0)


def _known(state: str) -> str:
    if state not in _OUTCOMES:
        raise ServiceError(f"Slurm tells of a job in a state that is not known: `{state[:40]!a}`")
    return state


def partitions(text: str) -> tuple[Partition, ...]:
    """Return the partitions, from `sinfo` in `SINFO_FORMAT`, each once."""
    rows = (line.strip().partition("|") for line in text.splitlines() if "|" in line)
    found = (Partition(name.removesuffix("*"), name.endswith("*"), state) for name, _, state in rows)
    return tuple(dict.fromkeys(found))


def refused_partition(known: tuple[Partition, ...], wanted: str | None) -> BotError | None:
    """Return why a job cannot go to a partition, the cluster's own choice for None; None where it can."""
    found = next((it for it in known if it.name == wanted or (wanted is None and it.is_default)), None)
    names = ", ".join(f"`{it.name}`" for it in known) or "none"
    if found is None:
        text = "the cluster has no default partition" if wanted is None else f"it has no `{wanted}`"
        return Refused(f"no partition for the job: {text}", hint=f"name one of: {names}")
    if found.availability != "up":
        return ServiceError(
            f"partition `{found.name}` is `{found.availability}`",
            hint="name another in the recipe, or wait for its operators",
        )
    return None


_REFUSALS = (
    (r"unrecognized option '--container", "the cluster has no pyxis: `--container-image` is its option"),
    (r"Invalid partition", "see `partition` in the recipe; `sinfo` lists the cluster's"),
    (r"Invalid (?:account|qos)", "see `account` in the recipe"),
    (r"Requested node configuration|gres|GRES", "no node has so much: see nodes and GPUs in the recipe"),
    (r"Requested partition configuration|limit", "ask for fewer nodes, GPUs or minutes"),
)


def refused_submission(complaint: str) -> BotError:
    """Return what is wrong where `sbatch` took no job; `complaint` is what it wrote to standard error."""
    lines = [line.strip().removeprefix("sbatch: ") for line in complaint.splitlines() if line.strip()]
    text = "; ".join(line.removeprefix("error: ") for line in lines)[:300] or "it says nothing"
    for pattern, hint in _REFUSALS:
        if re.search(pattern, text):
            return Refused(f"Slurm does not take the job: {text}", hint=hint)
    return ServiceError(f"Slurm does not take the job: {text}", hint="see the cluster, and try again later")


@dataclass(frozen=True, slots=True)
class JobReport:
    """How a job ended: its number, Slurm's last word, and the path of its log.

    `hint` says what to do where the job itself is not at fault.
    """

    number: int
    status: JobStatus
    log: str
    hint: str = ""

    @property
    def outcome(self) -> Outcome:
        """How it ended, in one word."""
        return self.status.outcome
