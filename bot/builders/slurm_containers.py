"""Runs programs in containers on a Slurm cluster, as `Containers`: each is a job of its own."""

import math
import time
from collections import deque
from dataclasses import dataclass, replace

from bot.build_ports import OnLine
from bot.builders.slurm import SlurmCluster
from bot.core.buildlog.reader import read_build_log
from bot.core.container import RunReport, RunRequest
from bot.core.errors import ServiceError
from bot.core.image import parse_image
from bot.core.recipe_slurm import SlurmJobs
from bot.core.slurm import ClusterJob, container_image
from bot.core.slurm_states import JobReport, Outcome

_TAIL = 50
_KEPT = 400
_STOPPED = {Outcome.CANCELLED: "cancelled", Outcome.TIMED_OUT: "timed out"}
_NO_CONTAINER = ("pyxis: failed to ", "pyxis: --container-", "pyxis: couldn't ", "srun: unrecognized option")


@dataclass(frozen=True, slots=True)
class SlurmContainers:
    """Implements `bot.build_ports.Containers`; `jobs` is what the recipe says of a job.

    The image is a reference or the absolute path of an archive. The container has the node's network, and
    the platform is the cluster's own.
    """

    cluster: SlurmCluster
    jobs: SlurmJobs

    def run(self, request: RunRequest, on_line: OnLine) -> RunReport:
        """Run a program until it ends; an exit status that is not 0 is a result.

        Raises ServiceError where no container comes up, or the cluster itself ends the job.
        """
        said: deque[str] = deque(maxlen=_KEPT)

        def tell(line: str) -> None:
            said.append(line)
            on_line(request.platform or "", line)

        began = time.monotonic()
        report = self.cluster.run(self._job(request), tell)
        _raise_what_is_no_result(report, list(said))
        # A program that a signal ended has no exit status of its own: shells count from 128.
        signal = report.status.signal
        return RunReport(
            exit_status=128 + signal if signal else report.status.exit_code or 0,
            tail=tuple(said)[-_TAIL:],
            seconds=time.monotonic() - began,
            stopped=_STOPPED.get(report.outcome, ""),
        )

    def _job(self, request: RunRequest) -> ClusterJob:
        image = parse_image(request.image)
        # Slurm would take variables for its own, and commas in them for ends.
        variables = tuple(f"{name}={value}" for name, value in request.environment.items())
        command = ("env", "--", *variables, *request.command) if variables else request.command
        job = self.jobs.job(container_image(image) if image else request.image, command, request.mounts)
        return replace(
            job,
            workdir=request.workdir or job.workdir,
            gpus_per_node=job.gpus_per_node if request.gpus else 0,
            minutes=job.minutes if request.timeout is None else max(1, math.ceil(request.timeout / 60)),
        )


def _raise_what_is_no_result(report: JobReport, said: list[str]) -> None:
    if report.outcome not in {Outcome.SUCCEEDED, Outcome.FAILED, *_STOPPED}:
        raise ServiceError(
            f"job {report.number}: {report.outcome.value}", hint=report.hint or f"see {report.log}"
        )
    if report.outcome is Outcome.FAILED and any(line.startswith(_NO_CONTAINER) for line in map(_bare, said)):
        causes = read_build_log([("\n".join(said) + "\n").encode()]).causes
        why = causes[0].cause if causes else "see its log"
        raise ServiceError(
            f"job {report.number} has no container: {why}", hint=causes[0].hint if causes else report.log
        )


def _bare(line: str) -> str:
    """Return a line without the name of the node's own program before it."""
    return line.partition(": error: ")[2] if line.startswith("slurmstepd") else line
