"""Triage of a run: reads its jobs, the logs of those that did not succeed, and what they left behind."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.core.ci import Contents, Job, Run, Unreadable
from bot.core.errors import UsageError
from bot.core.recipe_results import Goldens, LabelProof, Results
from bot.core.triage.harness import Kind
from bot.core.triage.jobs import Subject, candidates, current, golden_name
from bot.core.triage.label_proof import LabelSeen, label_seen
from bot.core.triage.left import Left, own
from bot.core.triage.log import LogFacts, read_log
from bot.core.triage.summary import Judged, Triage
from bot.core.triage.verdict import GoldenFound, Observed, Verdict
from bot.core.triage.verdicts import asks_ranks, is_at_limit, is_superseded, judge, was_stopped
from bot.ports import ArtifactReader, BaseRuns, CiRuns

LOG = "job log"
"""The name of a job's own log in evidence; that of a rank is its path in the artifact."""

_SUCCESS = frozenset({"success", "neutral", "skipped"})
_ONE_MOMENT = timedelta(minutes=2)

Base = Mapping[Subject, str]
"""For each job that failed on the base branch, the run in which it did, in words."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Where a run is read, and the recipe's words for it.

    `side_by_side` is how many logs are read at once; `ci` has to bear it. Where `base_runs` is None, what is
    broken on the base branch as well is not known.
    """

    ci: CiRuns
    artifacts: ArtifactReader
    results: Results
    goldens: Goldens | None
    side_by_side: int = 1
    base_runs: BaseRuns | None = None


def triage_run(
    reading: Reading,
    number: int,
    *,
    base: str | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Triage:
    """Return the verdict on each job of a run that ended without success; nothing is written.

    `base` is the branch whose own failures are no fault of this run, `progress` is told how many logs of
    how many were read. Raises UsageError when there is no such run, ServiceError when CI cannot be read.
    """
    run = reading.ci.run(number)
    if run is None:
        raise UsageError(f"there is no run {number}", hint="its number stands in the address of its page")
    every = reading.ci.jobs(number)
    jobs = current(every, reading.results)
    ended = [(subject, job) for subject, job in jobs if job.status == "completed"]
    failed = [(subject, job) for subject, job in ended if job.conclusion not in _SUCCESS]
    failed = [(subject, job) for subject, job in failed if not _is_gate(subject, reading.results)]
    on_base = base_run(reading.base_runs, reading.results, base) if reading.base_runs and base else None
    of_base = current(reading.ci.jobs(on_base.id), reading.results) if on_base else ()
    broken = failed_in(of_base, reading.results, on_base) if on_base else {}
    seen = [_observed(subject, job, every, reading.results, broken) for subject, job in failed]
    looked, notices = _with_artifacts(reading, _with_logs(reading, seen, progress), number)
    return Triage(
        run,
        tuple(sorted((_judged(reading.results, it) for it in looked), key=lambda it: it.subject)),
        tuple(sorted(subject for subject, job in ended if job.conclusion in _SUCCESS)),
        tuple(sorted(subject for subject, job in jobs if job.status != "completed")),
        jobs,
        frozenset(subject.platform for subject, _ in of_base if subject.role == "functional"),
        notices,
    )


def label_in(ci: CiRuns, proof: LabelProof, jobs: Iterable[Job]) -> LabelSeen:
    """Return whether CI saw the labels when a run began, by the `jobs` that count of it.

    It is `silent` while the job that reads the labels has not ended.
    """
    found = next((it for it in jobs if it.name == proof.job), None)
    if found is None or found.conclusion != "success":
        return LabelSeen("silent")
    return label_seen(proof, ci.log(found.id))


def base_run(ci: BaseRuns, results: Results, base: str) -> Run | None:
    """Return the newest run of a base branch that came to its end, if there is one."""
    runs = (it for it in ci.base_runs(base) if it.workflow == results.workflow)
    # A merge queue cancels the runs of what is taken out of it.
    return next((it for it in runs if it.conclusion in {"success", "failure"}), None)


def failed_in(jobs: Iterable[tuple[Subject, Job]], results: Results, run: Run) -> Base:
    """Return what failed, or ran into the limit, of the jobs that count of a run of the base branch."""
    failed = (
        subject
        for subject, job in jobs
        if job.conclusion == "failure" or (was_stopped(job) and is_at_limit(job, results))
    )
    return dict.fromkeys(failed, f"run {run.id} ({run.event})")


def _is_gate(subject: Subject, results: Results) -> bool:
    """Return whether a job only repeats what others have said."""
    return subject.role == "other" and subject.test == results.gate


def _observed(subject: Subject, job: Job, every: Sequence[Job], results: Results, broken: Base) -> Observed:
    together = _stopped_together(job, every, results)
    nothing = read_log(LOG, ())
    return Observed(subject, job, (nothing,), stopped_together=together, broken_on=broken.get(subject))


def _with_logs(
    reading: Reading, seen: Sequence[Observed], progress: Callable[[int, int], None]
) -> list[Observed]:
    """Return the same with the logs of their jobs, but for jobs whose log is not needed."""

    def read(it: Observed) -> Observed:
        if is_superseded(it.job, it.stopped_together, reading.results):
            return it
        log = read_log(LOG, reading.ci.log(it.job.id), it.job.completed_at)
        return replace(it, logs=(log,))

    found: list[Observed] = []
    pool = ThreadPoolExecutor(reading.side_by_side)
    try:
        for it in pool.map(read, seen):
            found.append(it)
            progress(len(found), len(seen))
    finally:
        # After a failure, what has not begun is not begun.
        pool.shutdown(cancel_futures=True)
    return found


def _stopped_together(job: Job, every: Sequence[Job], results: Results) -> int:
    """Return how many other jobs, those in the queue included, were cancelled early in the same moment."""
    ended = job.completed_at
    if ended is None or not was_stopped(job) or is_at_limit(job, results):
        return 0
    return sum(
        it.completed_at is not None and abs(it.completed_at - ended) <= _ONE_MOMENT
        for it in every
        if it.id != job.id and was_stopped(it) and not is_at_limit(it, results)
    )


def judge_job(reading: Reading, subject: Subject, job: Job) -> Verdict:
    """Return the verdict on one job by its log alone."""
    log = read_log(LOG, reading.ci.log(job.id), job.completed_at)
    return judge(Observed(subject, job, (log,)), reading.results)


def _judged(results: Results, seen: Observed) -> Judged:
    nodes = dict.fromkeys(fact.subject for fact in seen.log.of(Kind.NODE_FAILED))
    return Judged(seen.subject, seen.job, judge(seen, results), tuple(nodes))


def _with_artifacts(
    reading: Reading, seen: Sequence[Observed], number: int
) -> tuple[Sequence[Observed], tuple[str, ...]]:
    """Return the same with what the artifacts of the tests hold, and a notice where some have expired."""
    goldens = reading.goldens
    tests = [it for it in seen if _leaves_a_golden(it, reading.results)]
    if goldens is None or not tests:
        return seen, ()
    offered = reading.ci.artifacts(number)
    found = {it.job.id: candidates(offered, it.job, it.subject.test, goldens) for it in tests}
    artifacts = {artifact.id: artifact for own in found.values() for artifact in own.artifacts}
    contents = reading.artifacts.read(list(artifacts.values()), lambda _artifact, _name: False)
    names = {it.job.id: golden_name(it.subject, goldens) for it in tests}
    left = {job: own(found[job], contents, names[job]) for job in found}
    looked = [
        replace(it, golden=_golden(left[it.job.id], names[it.job.id])) if it.job.id in left else it
        for it in seen
    ]
    expired = sum(not own.artifacts and bool(own.expired) for own in found.values())
    notices = (f"the artifacts of {expired} tests have expired",) if expired else ()
    return _with_rank_logs(reading, looked, left), notices


def _leaves_a_golden(seen: Observed, results: Results) -> bool:
    return seen.subject.role == "functional" and not is_superseded(seen.job, seen.stopped_together, results)


def _golden(left: Left | str, name: str) -> GoldenFound | str:
    return left if isinstance(left, str) else left.golden(name)


def _with_rank_logs(
    reading: Reading, seen: Sequence[Observed], left: Mapping[int, Left | str]
) -> list[Observed]:
    """Return the same with the logs of ranks, for each test whose own log does not say why it failed."""
    asked: dict[int, Left] = {}
    for it in seen:
        found = left.get(it.job.id, "")
        if isinstance(found, Left) and asks_ranks(it, reading.results):
            asked[it.job.id] = found
    wanted = {(it.artifact.id, name) for it in asked.values() for name in it.rank_logs()}
    artifacts = [it.artifact for it in asked.values() if it.rank_logs()]
    contents = (
        reading.artifacts.read(artifacts, lambda it, name: (it.id, name) in wanted) if artifacts else {}
    )
    return [
        replace(it, logs=(*it.logs, *_rank_logs(contents.get(asked[it.job.id].artifact.id))))
        if it.job.id in asked
        else it
        for it in seen
    ]


def _rank_logs(content: Contents | Unreadable | None) -> tuple[LogFacts, ...]:
    files = content.files if isinstance(content, Contents) else {}
    return tuple(read_log(name, (text,)) for name, text in sorted(files.items()))
