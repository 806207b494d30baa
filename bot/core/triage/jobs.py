"""Jobs of a run → what each is about, the attempt that counts, and the artifacts that may be its own.

Names come from the recipe's patterns, the platform from the runner's labels and never from the name: one test
has the same job name on every platform
(https://github.com/NVIDIA/Megatron-LM/blob/main/.github/workflows/cicd-main.yml).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from bot.core.ci import Artifact, Job
from bot.core.recipe_results import Goldens, Results

Role = Literal["functional", "unit", "build", "other"]

# An artifact is created while its job runs; the two clocks are GitHub's own.
_CLOCKS = timedelta(minutes=1)

_RETRY = "-retry"


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """What a job is about: a test, a bucket of unit tests, a build, or something else by its name.

    `model` is empty for all but functional tests, `platform` where no label of the runner is known.
    """

    role: Role
    model: str
    test: str
    platform: str

    @property
    def name(self) -> str:
        """What a person calls it: `gpt/gpt3_tp2`, or the bucket."""
        return f"{self.model}/{self.test}" if self.model else self.test


@dataclass(frozen=True, slots=True)
class Candidates:
    """The artifacts that may be a job's, the newest first, and those that would have been but are gone."""

    artifacts: tuple[Artifact, ...]
    expired: tuple[Artifact, ...]


def subject(job: Job, results: Results) -> Subject:
    """Return what a job is about; a name that no pattern of the recipe fits is an `other` job's."""
    platform = next((results.runners[label] for label in job.labels if label in results.runners), "")
    if unit := re.fullmatch(results.unit, job.name):
        return Subject("unit", "", unit["bucket"], platform)
    if re.fullmatch(results.build, job.name):
        return Subject("build", "", job.name, platform)
    if test := re.fullmatch(results.functional, job.name):
        return Subject("functional", test["model"], test["test"], platform)
    return Subject("other", "", job.name, platform)


def current(jobs: Iterable[Job], results: Results) -> tuple[tuple[Subject, Job], ...]:
    """Return, for each subject, its job of the newest attempt in which it ran or still has to end.

    A re-run of the failed jobs leaves the others in the attempt in which they passed. Two jobs of one
    attempt with one subject stay two: a missing label must not hide one behind the other.
    """
    named: dict[Subject, list[Job]] = {}
    for job in jobs:
        if _counts(job):
            named.setdefault(subject(job, results), []).append(job)
    newest = ((about, max(it.attempt for it in group), group) for about, group in named.items())
    return tuple((about, job) for about, attempt, group in newest for job in group if job.attempt == attempt)


def _counts(job: Job) -> bool:
    if job.status != "completed":
        return True
    # A job that was cancelled in the queue has neither a runner nor a time.
    return job.conclusion != "skipped" and job.started_at is not None


def candidates(artifacts: Sequence[Artifact], job: Job, test: str, goldens: Goldens) -> Candidates:
    """Return the artifacts that may be those of a test's job, by name and by the time in which it ran.

    The platform is not in the name: where two jobs fit, the files inside decide.
    """
    fitting = [it for it in artifacts if it.run == job.run and _belongs(it, job, test, goldens)]
    # The second try to upload has the name of the first, whose content nobody vouches for.
    retried = {it.name.removesuffix(_RETRY) for it in fitting if it.name.endswith(_RETRY)}
    kept = sorted(
        (it for it in fitting if it.name not in retried), key=lambda it: (it.created_at, it.id), reverse=True
    )
    return Candidates(tuple(it for it in kept if not it.expired), tuple(it for it in kept if it.expired))


def _belongs(artifact: Artifact, job: Job, test: str, goldens: Goldens) -> bool:
    if artifact.job is not None:
        return artifact.job == job.id
    if not _name_pattern(goldens.artifact, test, job.run).fullmatch(artifact.name):
        return False
    if job.started_at is not None and artifact.created_at < job.started_at - _CLOCKS:
        return False
    return job.completed_at is None or artifact.created_at <= job.completed_at + _CLOCKS


def _name_pattern(template: str, test: str, run: int) -> re.Pattern[str]:
    # What uploads artifacts writes `-` for the two signs that a name may not hold.
    said = {"*": ".*", "{test}": re.escape(re.sub(r"[/*]", "-", test)), "{run_id}": str(run)}
    parts = re.split(r"(\*|\{test\}|\{run_id\})", template)
    return re.compile("".join(said.get(part) or re.escape(part) for part in parts), re.DOTALL)


def golden_path(subject: Subject, goldens: Goldens) -> str:
    """Return the path of a test's golden in the repository."""
    return goldens.file.format(
        model=subject.model,
        test=subject.test,
        environment=goldens.environment,
        platform=subject.platform,
    )


def golden_name(subject: Subject, goldens: Goldens) -> str:
    """Return the base name of a test's golden, by which its artifact is known: at the top of the zip."""
    return golden_path(subject, goldens).rsplit("/", 1)[-1]
