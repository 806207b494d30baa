"""CI in memory: runs that a test adds, with their jobs, logs and artifacts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.core.ci import Artifact, Job, Run
from bot.core.errors import Refused

_PIECE = 7


@dataclass
class FakeCiRuns:
    """A `CiRuns` and `BaseRuns`; `retried` names the runs whose failed jobs the bot ran again, in order."""

    retried: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._runs: dict[int, Run] = {}
        self._jobs: dict[int, list[Job]] = {}
        self._artifacts: dict[int, list[Artifact]] = {}
        self._logs: dict[int, bytes] = {}

    def add(
        self,
        run: Run,
        jobs: Sequence[Job] = (),
        artifacts: Sequence[Artifact] = (),
        logs: Mapping[int, bytes] | None = None,
    ) -> None:
        """Add a run, or what is new about it; jobs and artifacts of an id that is there are replaced."""
        self._runs[run.id] = run
        for known, new in ((self._jobs, jobs), (self._artifacts, artifacts)):
            by_id = {it.id: it for it in known.get(run.id, ())} | {it.id: it for it in new}
            known[run.id] = list(by_id.values())
        self._logs |= logs or {}

    def run(self, number: int) -> Run | None:
        return self._runs.get(number)

    def runs(self, branch: str) -> tuple[Run, ...]:
        found = [it for it in self._runs.values() if it.branch == branch]
        return tuple(sorted(found, key=lambda it: it.id, reverse=True))

    def base_runs(self, branch: str) -> tuple[Run, ...]:
        queue = f"gh-readonly-queue/{branch}"
        found = [
            it
            for it in self._runs.values()
            if (it.event == "merge_group" and it.branch.rpartition("/")[0] == queue)
            or (it.event == "workflow_dispatch" and it.branch == branch)
        ]
        return tuple(sorted(found, key=lambda it: it.id, reverse=True))

    def jobs(self, run: int) -> tuple[Job, ...]:
        return tuple(self._jobs.get(run, ()))

    def log(self, job: int) -> Iterator[bytes]:
        text = self._logs.get(job, b"")
        for at in range(0, len(text), _PIECE):
            yield text[at : at + _PIECE]

    def artifacts(self, run: int) -> tuple[Artifact, ...]:
        return tuple(self._artifacts.get(run, ()))

    def retry_failed(self, run: int) -> None:
        found = self._runs[run]
        latest = {(it.name, it.labels): it for it in self._jobs[run]}.values()
        if not found.is_completed or all(it.conclusion == "success" for it in latest):
            raise Refused("there is nothing to run again")
        self._again(found)

    def retry_job(self, job: int) -> None:
        run = next(run for run, jobs in self._jobs.items() if any(it.id == job for it in jobs))
        if not self._runs[run].is_completed:
            raise Refused("it still runs")
        self._again(self._runs[run])

    def _again(self, found: Run) -> None:
        run = found.id
        self.retried.append(run)
        self._runs[run] = replace(found, attempt=found.attempt + 1, status="in_progress", conclusion=None)
