"""The verdicts of a run → what is said first, and what the run as a whole allows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.ci import Job, Run
from bot.core.recipe_results import Results
from bot.core.triage.jobs import Subject
from bot.core.triage.verdict import Verdict, VerdictKind


@dataclass(frozen=True, slots=True)
class Judged:
    """A job that did not succeed, what it is about, and its verdict; `failed_tests` are pytest's nodes."""

    subject: Subject
    job: Job
    verdict: Verdict
    failed_tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Triage:
    """What a run shows: the verdicts, what passed, what has still to end, and notices in words.

    `jobs` are those that count, each with what it is about; `base_platforms` are the platforms on which the
    base branch's own CI ran tests, none where that is not known.
    """

    run: Run
    judged: tuple[Judged, ...]
    passed: tuple[Subject, ...]
    unfinished: tuple[Subject, ...]
    jobs: tuple[tuple[Subject, Job], ...] = ()
    base_platforms: frozenset[str] = frozenset()
    notices: tuple[str, ...] = ()

    @property
    def counts(self) -> tuple[tuple[VerdictKind, int], ...]:
        """How often each verdict was given, the most frequent first."""
        return tuple(Counter(it.verdict.kind for it in self.judged).most_common())

    @property
    def failing_buckets(self) -> tuple[Judged, ...]:
        """The unit test jobs that did not succeed; while there are any, no functional test is begun."""
        return tuple(it for it in self.judged if it.subject.role == "unit")

    @property
    def ran_functional_tests(self) -> bool:
        """Whether any functional test has run or is running."""
        others = (*self.passed, *self.unfinished, *(it.subject for it in self.judged))
        return any(subject.role == "functional" for subject in others)


def headline(triage: Triage, bad_image: int | None) -> tuple[str, ...]:
    """Return what a person has to know before any row: sentences, the gravest first.

    `bad_image` is the recipe's number of hanging tests above which the image is at fault.
    """
    said = []
    if not triage.run.is_completed:
        state, still = triage.run.status.replace("_", " "), len(triage.unfinished) or "some"
        said.append(f"the run is not over ({state}); jobs without a verdict: {still}")
    if triage.failing_buckets and not triage.ran_functional_tests:
        said.append("no functional test ran, because unit tests failed")
    said += [_bucket(it) for it in triage.failing_buckets]
    if bad_image is not None and is_bad_image(triage.judged, bad_image):
        said.append(f"{_hangs(triage.judged)} tests hang, more than {bad_image}: the image is at fault")
    return tuple(said)


def _bucket(judged: Judged) -> str:
    tests = ", ".join(judged.failed_tests) or judged.verdict.why
    return (
        f"unit tests `{judged.subject.name}` on {judged.subject.platform or 'an unknown platform'}: {tests}"
    )


def _hangs(judged: Sequence[Judged]) -> int:
    return sum(it.verdict.kind is VerdictKind.HANG for it in judged)


def is_bad_image(judged: Sequence[Judged], more_than: int) -> bool:
    """Return whether so many tests hang that the image is at fault, and none of them is taken out."""
    return _hangs(judged) > more_than


def may_run_again(judged: Sequence[Judged], results: Results) -> bool:
    """Return whether failed jobs may be run again: something transient is among them, and they are few.

    Whether they were already run again, or a commit is due anyway, is not known here.
    """
    failed = [it for it in judged if it.verdict.kind is not VerdictKind.SUPERSEDED]
    return 0 < len(failed) <= results.retry_at_most and any(it.verdict.remedy == "re-run" for it in failed)
