"""A comparison that failed → its verdict: which of pytest's own lines decide, and when a golden may move."""

from collections.abc import Sequence

from bot.core.triage.harness import Kind
from bot.core.triage.log import Attempt, Fact
from bot.core.triage.verdict import Evidence, GoldenFound, Observed, Verdict, VerdictKind, lines

# In the order in which they are asked: the second run is compared only after the golden was.
_ENDS = (
    (Kind.RESUME_FAILED, VerdictKind.RESUME_MISMATCH, "the second run of this job differs from its first"),
    (Kind.OUTPUT_DIFFERS, VerdictKind.INFERENCE_DRIFT, "what the model put out differs from the golden"),
    (Kind.NO_GOLDEN, VerdictKind.MISSING_GOLDEN, "there is no golden, or a metric is missing"),
    (Kind.OUT_OF_BOUNDS, VerdictKind.LARGE_DRIFT, "a metric is outside its tolerance"),
)
CHECKS = frozenset({*(kind for kind, _, _ in _ENDS), Kind.METRICS_FAILED, Kind.NODE_FAILED})
"""What shows that the training went well and a comparison after it failed."""

_RESUME_NODE = "resume_checkpoint_pipeline"


def compared(seen: Observed, attempt: Attempt) -> Verdict:
    """Return the verdict on an attempt that ended in a comparison; it holds a fact of `CHECKS`."""
    log = seen.log
    resumed = [it for it in attempt if it.kind is Kind.NODE_FAILED and _RESUME_NODE in it.subject]
    for kind, verdict, why in _ENDS:
        proof = [it for it in attempt if it.kind is kind]
        if kind is Kind.RESUME_FAILED:
            proof += resumed
        if proof:
            return Verdict(verdict, why, lines(log, proof))
    failed = [it for it in attempt if it.kind is Kind.METRICS_FAILED]
    # An earlier attempt counts too: a metric that was once outside its tolerance is no drift.
    if outside := log.of(Kind.APPROXIMATE_FAILED):
        why = "an approximate comparison failed"
        return Verdict(VerdictKind.LARGE_DRIFT, why, (*lines(log, failed[-1:]), *lines(log, outside)))
    return _exact_only(seen, attempt, failed)


def _exact_only(seen: Observed, attempt: Attempt, failed: Sequence[Fact]) -> Verdict:
    exact = [it for it in attempt if it.kind is Kind.EXACT_FAILED]
    near = [it for it in attempt if it.kind is Kind.APPROXIMATE_PASSED]
    proof = (*lines(seen.log, failed[-1:]), *lines(seen.log, exact), *lines(seen.log, near))
    metrics = {name.strip() for it in failed for name in it.subject.split(",")}
    if not metrics:
        others = [it for it in attempt if it.kind in {Kind.ASSERTION, Kind.NODE_FAILED}]
        return Verdict(VerdictKind.UNKNOWN, "a check failed in a way no rule knows", lines(seen.log, others))
    if unproved := metrics - ({it.subject for it in exact} & {it.subject for it in near}):
        why = f"the log does not show that {min(unproved)} passed its approximate comparison alone"
        return Verdict(VerdictKind.UNKNOWN, why, proof)
    if passed := [it for it in attempt if it.kind is Kind.CHECK_PASSED]:
        why = "the same comparison passed in an earlier repeat of this job"
        return Verdict(VerdictKind.UNKNOWN, why, (*proof, *lines(seen.log, passed[:1])))
    return _by_golden(seen.golden, proof)


def _by_golden(golden: GoldenFound | str | None, proof: tuple[Evidence, ...]) -> Verdict:
    only = "only exact comparisons failed"
    if not isinstance(golden, GoldenFound):
        return Verdict(VerdictKind.UNKNOWN, f"{only}, but {golden or 'it left no artifact'}", proof)
    if golden.second_is_there:
        why = f"{only}, but a second run was recorded, which begins after the golden has passed"
        return Verdict(VerdictKind.UNKNOWN, why, (*proof, Evidence(golden.artifact, None, golden.second)))
    if not golden.is_there:
        why = f"{only}, but the artifact holds no `{golden.golden}`"
        return Verdict(VerdictKind.MISSING_GOLDEN, why, proof)
    return Verdict(
        VerdictKind.DRIFT,
        f"{only}, all approximate ones passed, and the new golden is there",
        (*proof, Evidence(golden.artifact, None, golden.golden)),
    )
