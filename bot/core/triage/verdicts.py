"""What is known of a job that did not succeed → its verdict, by conclusion, time, log and artifact.

How Megatron-LM's harness fails: https://github.com/NVIDIA/Megatron-LM/tree/main/tests/functional_tests.
A job over its limit is `cancelled`, not `timed_out`, and may show `PASSED`
(https://github.com/NVIDIA/Megatron-LM/issues/4657).
"""

import re
from collections.abc import Iterable

from bot.core.ci import Job
from bot.core.recipe_results import Results
from bot.core.triage.clock import Silence
from bot.core.triage.comparison import CHECKS, compared
from bot.core.triage.harness import Kind
from bot.core.triage.log import Attempt, LogFacts
from bot.core.triage.verdict import Evidence, Observed, Verdict, VerdictKind, lines

_STOPPED = frozenset({"cancelled", "timed_out"})
_SHOWN = 3
"""Lines of several logs that are shown as evidence of one death."""
_TOGETHER = 2
"""Other jobs cancelled early in one moment that show a newer push, and not a person or a lost runner."""

_DEATHS = frozenset({Kind.OOM, Kind.CRASH, Kind.NCCL, Kind.INFRA, Kind.TRAINING_FAILED})
_CAUSES = (
    (Kind.OOM, VerdictKind.OOM, "out of memory"),
    (Kind.CRASH, VerdictKind.CRASH, "a process died"),
    (Kind.NCCL, VerdictKind.NCCL, "a collective operation failed or timed out"),
    (Kind.INFRA, VerdictKind.INFRA, "a known transient of machines and networks"),
    (Kind.TRAINING_FAILED, VerdictKind.CRASH, "the training failed; no line that was read says why"),
)

# The steps before the test, as a log shows them (the first line of their script) and as the API names them:
# https://github.com/NVIDIA/Megatron-LM/blob/main/.github/actions/action.yml
_SETUP = re.compile(
    r"actions/(?!upload)|for i in 1 2 3; do|echo \"::group::Pull container|docker (?:pull|login)|sudo chown"
    r"|set up |setup |checkout|change ownership|install |pull container|initialize containers",
    re.IGNORECASE,
)


def was_stopped(job: Job) -> bool:
    """Return whether a job was cancelled, by its time limit or by somebody."""
    return job.conclusion in _STOPPED


def is_at_limit(job: Job, results: Results) -> bool:
    """Return whether a job ran for as long as the workflow lets it."""
    return job.conclusion == "timed_out" or (job.seconds or 0) >= results.job_limit * 60


def is_superseded(job: Job, stopped_together: int, results: Results) -> bool:
    """Return whether a job was cancelled early, with others; its log is not needed then."""
    return was_stopped(job) and not is_at_limit(job, results) and stopped_together >= _TOGETHER


def judge(seen: Observed, results: Results) -> Verdict:
    """Return the verdict on a job that did not succeed; `unknown` where no rule fits, never a guess."""
    if is_superseded(seen.job, seen.stopped_together, results):
        why = f"cancelled together with {seen.stopped_together} other jobs, as a newer push does it"
        return Verdict(VerdictKind.SUPERSEDED, why, (_of_job(seen.job),))
    found = _judged(seen, results)
    if seen.broken_on is None:
        return found
    why = f"fails on the base branch as well, in {seen.broken_on}; here: {found.kind}"
    return Verdict(VerdictKind.BROKEN_ON_BASE, why, found.evidence)


def asks_ranks(seen: Observed, results: Results) -> bool:
    """Return whether the logs of ranks may say more than the job's own log, which shows rank 0.

    That a collective timed out there, or that nothing was said any more, is the effect of what another did.
    """
    if was_stopped(seen.job):
        return judge(seen, results).kind is VerdictKind.HANG
    own = {fact.kind for fact in _deciding(seen.log)}
    return not own & (CHECKS | {Kind.OOM, Kind.CRASH}) and not _setup(seen)


def _judged(seen: Observed, results: Results) -> Verdict:
    if not seen.log.lines:
        return Verdict(VerdictKind.UNKNOWN, "its log is gone or empty", (_of_job(seen.job),))
    if seen.subject.role == "unit" and (nodes := seen.log.of(Kind.NODE_FAILED)):
        proof = (*lines(seen.log, nodes), *lines(seen.log, seen.log.of(Kind.ASSERTION)))
        return Verdict(VerdictKind.UNIT_TESTS, "unit tests failed", proof)
    if setup := _setup(seen):
        return Verdict(VerdictKind.INFRA, "failed before the test began", setup)
    return _stopped(seen, results) if was_stopped(seen.job) else _failed(seen)


def _failed(seen: Observed) -> Verdict:
    attempt = _deciding(seen.log)
    if any(fact.kind in CHECKS for fact in attempt):
        return compared(seen, attempt)
    if died := _died([(seen.log, attempt), *((log, _deciding(log)) for log in seen.logs[1:])]):
        return died
    proof = (*lines(seen.log, seen.log.of(Kind.ASSERTION)), *lines(seen.log, seen.log.runner[-2:]))
    why = "the container was not built" if seen.subject.role == "build" else "no line of its log says why"
    return Verdict(VerdictKind.UNKNOWN, why, proof or (_of_job(seen.job),))


def _stopped(seen: Observed, results: Results) -> Verdict:
    log, at_limit = seen.log, is_at_limit(seen.job, results)
    newest = _until_the_stop(log)
    if full := _died([(it, _only(Kind.OOM, _newest(it))) for it in seen.logs]):
        return full
    if collective := _died([(log, _only(Kind.NCCL, newest))]):
        return collective
    if at_limit and log.silence and log.silence.seconds >= results.silence * 60:
        return _hang(seen, log.silence)
    if decided := _before_the_stop(log):
        is_check = any(fact.kind in CHECKS for fact in decided)
        return compared(seen, decided) if is_check else _died([(log, decided)]) or _unclear(seen, results)
    passed = [fact for fact in newest if fact.kind is Kind.CHECK_PASSED]
    if at_limit and passed:
        why = f"cancelled at the limit while its repeats were passing, {len(passed)} of them so far"
        return Verdict(VerdictKind.OVER_BUDGET, why, (*lines(log, passed[-1:]), _of_job(seen.job)))
    return _died([(log, _only(Kind.INFRA, newest))]) or _unclear(seen, results)


def _newest(log: LogFacts) -> Attempt:
    return log.attempts[-1] if log.attempts else ()


def _until_the_stop(log: LogFacts) -> Attempt:
    """Return what the newest attempt said before it was stopped; what a process says then is an effect."""
    newest = _newest(log)
    return newest if log.silence is None else tuple(it for it in newest if it.line <= log.silence.line)


def _only(kind: Kind, attempt: Attempt) -> Attempt:
    """Return the facts of a kind, and the comparisons that passed: what stands before those is no cause."""
    return tuple(fact for fact in attempt if fact.kind in {kind, Kind.CHECK_PASSED})


def _before_the_stop(log: LogFacts) -> Attempt:
    """Return the newest attempt that was over when the job was stopped, if one had failed."""
    newest = log.attempts[-1:]
    finished = [*log.attempts[:-1], *(it for it in newest if any(fact.kind in CHECKS for fact in it))]
    return next((it for it in reversed(finished) if _decides(it)), ())


def _hang(seen: Observed, silence: Silence) -> Verdict:
    why = f"not a line for {silence.seconds / 60:.0f} min, then cancelled at the limit"
    last = Evidence(seen.log.source, silence.line, silence.text)
    return Verdict(VerdictKind.HANG, why, (last, *lines(seen.log, seen.log.runner[-1:]), _of_job(seen.job)))


def _unclear(seen: Observed, results: Results) -> Verdict:
    when = "at the limit" if is_at_limit(seen.job, results) else "before the limit"
    why = f"cancelled {when}, not silent for {results.silence} min, and no repeat had passed or failed"
    return Verdict(VerdictKind.UNKNOWN, why, (*lines(seen.log, seen.log.runner[-1:]), _of_job(seen.job)))


def _decides(attempt: Attempt) -> bool:
    return any(fact.kind in CHECKS | _DEATHS for fact in attempt)


def _deciding(log: LogFacts) -> Attempt:
    """Return the newest attempt that ended in a failure; what came before it was tried again."""
    return next((attempt for attempt in reversed(log.attempts) if _decides(attempt)), ())


def _died(ends: Iterable[tuple[LogFacts, Attempt]]) -> Verdict | None:
    """Return the verdict on processes that ended, by the worst cause that a log shows first.

    A process that dies leaves the others in a collective that times out, and not the other way round: what
    comes after a collective failed is its effect.
    """
    found = [(log, _first_cause(attempt)) for log, attempt in ends]
    for kind, verdict, why in _CAUSES:
        proof = [line for log, facts in found for line in lines(log, [it for it in facts if it.kind is kind])]
        if proof:
            return Verdict(verdict, why, tuple(proof[:_SHOWN]))
    return None


def _first_cause(attempt: Attempt) -> Attempt:
    passed = max((fact.line for fact in attempt if fact.kind is Kind.CHECK_PASSED), default=0)
    deaths = tuple(fact for fact in attempt if fact.kind in _DEATHS and fact.line > passed)
    collective = min((fact.line for fact in deaths if fact.kind is Kind.NCCL), default=None)
    if collective is None:
        return deaths
    return tuple(it for it in deaths if it.kind is not Kind.CRASH or it.line < collective)


def _setup(seen: Observed) -> tuple[Evidence, ...]:
    """Return the lines by which a job failed before its test began, none where it did begin."""
    log = seen.log
    if log.began or log.of(*CHECKS, *(_DEATHS - {Kind.INFRA})):
        return ()
    steps = [fact for fact in log.runner if fact.kind is Kind.STEP and _SETUP.search(fact.subject)]
    if not steps and not _SETUP.search(seen.job.failed_step or ""):
        return ()
    said = [*log.of(Kind.INFRA)[:1], *log.runner[:2]]
    return lines(log, said) or (_of_job(seen.job),)


def _of_job(job: Job) -> Evidence:
    minutes = "" if job.seconds is None else f" after {job.seconds / 60:.0f} min"
    step = f" in step `{job.failed_step}`" if job.failed_step else ""
    return Evidence("job", None, f"{job.conclusion}{minutes}{step}")
