"""The jobs of a GitLab pipeline and the names in their artifacts → where each new golden is found.

Megatron-LM's own script goes the same way: the trigger job names environment and platform, stage and name of
the job are model and test, and of several restarts the last one counts
(https://github.com/NVIDIA/Megatron-LM/blob/main/tests/test_utils/python_scripts/download_golden_values.py).
It compares the numbers of restarts as texts, by which the ninth is newer than the tenth; that is not copied.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.core.ci import Artifact, Job
from bot.core.goldens.coverage import FileReason
from bot.core.recipe_results import Goldens, PipelineResults

_NAME = re.compile(r"(?!\.{1,2}\Z)[\w.-]+", re.ASCII)
"""What may become a folder of the repository."""


@dataclass(frozen=True, slots=True)
class PipelineTest:
    """A functional test as a job's name tells it."""

    model: str
    test: str
    environment: str
    platform: str


@dataclass(frozen=True, slots=True)
class GoldenSource:
    """A job that left an artifact in which the new golden of its test is to be found.

    `file` is the golden's path in the repository.
    """

    file: str
    test: PipelineTest
    job: Job
    artifact: Artifact


def pipeline_test(name: str, results: PipelineResults, goldens: Goldens) -> PipelineTest | None:
    """Return the functional test whose job has this name, or None if it is not one."""
    found = re.fullmatch(results.functional, name)
    if found is None:
        return None
    named = found.groupdict()
    test = PipelineTest(
        named["model"], named["test"], named.get("environment") or goldens.environment, named["platform"]
    )
    parts = (test.model, test.test, test.environment, test.platform)
    return test if all(part and _NAME.fullmatch(part) for part in parts) else None


def golden_file(test: PipelineTest, goldens: Goldens) -> str:
    """Return the path of a test's golden in the repository."""
    path = goldens.file
    for name in PipelineTest.__dataclass_fields__:
        path = path.replace(f"{{{name}}}", getattr(test, name))
    return path


def golden_sources(
    jobs: Iterable[Job],
    artifacts: Iterable[Artifact],
    results: PipelineResults,
    goldens: Goldens,
    known: Collection[str] = (),
) -> tuple[tuple[GoldenSource, ...], tuple[FileReason, ...]]:
    """Return where new goldens are to be found, and which goldens the pipeline does not renew; both by path.

    Of each job only the newest attempt counts. `known` are the goldens of the repository.
    """
    left = {artifact.job: artifact for artifact in artifacts}
    sources: list[GoldenSource] = []
    not_covered: list[FileReason] = []
    by_file = _by_file(jobs, results, goldens)
    for file, found in sorted(by_file.items()):
        (test, job), artifact = found[0], left.get(found[0][1].id)
        reason = _why_not([job for _, job in found], artifact)
        if reason or artifact is None:
            not_covered.append(FileReason(file, reason))
        else:
            sources.append(GoldenSource(file, test, job, artifact))
    unseen = (
        FileReason(file, "no job of the pipeline is of this test") for file in set(known) - by_file.keys()
    )
    return tuple(sources), tuple(sorted((*not_covered, *unseen), key=lambda it: it.file))


def may_hold_golden(source: GoldenSource, name: str, results: PipelineResults) -> bool:
    """Whether an entry of the artifact is the golden of some restart of the job."""
    return any(whole.fullmatch(name) for _, whole in _places(source, results))


def golden_entry(source: GoldenSource, names: Sequence[str], results: PipelineResults) -> str | FileReason:
    """Return which entry of the artifact is the golden; `names` are all of its entries.

    Only the last restart counts: what an earlier one left is of a run that was given up.
    """
    has_older = False
    for restarts, whole in _places(source, results):
        newest = max((_numbers(found) for found in map(restarts.match, names) if found), default=())
        goldens = {_numbers(found): found.string for found in map(whole.fullmatch, names) if found}
        if newest in goldens:
            return goldens[newest]
        has_older = has_older or bool(goldens)
    if has_older:
        return FileReason(source.file, "the last restart of its job left none")
    return FileReason(source.file, "the artifact of its job holds none where it is expected")


def _by_file(
    jobs: Iterable[Job], results: PipelineResults, goldens: Goldens
) -> Mapping[str, Sequence[tuple[PipelineTest, Job]]]:
    """Return the newest attempt of the jobs of each golden."""
    newest: dict[str, Job] = {}
    for job in jobs:
        if job.name not in newest or newest[job.name].attempt < job.attempt:
            newest[job.name] = job
    by_file: dict[str, list[tuple[PipelineTest, Job]]] = {}
    for job in newest.values():
        test = pipeline_test(job.name, results, goldens)
        if test:
            by_file.setdefault(golden_file(test, goldens), []).append((test, job))
    return by_file


def _why_not(jobs: Sequence[Job], artifact: Artifact | None) -> str:
    """Return why the artifact holds no new golden, or nothing."""
    if len(jobs) > 1:
        return "several jobs are of this test: " + ", ".join(f"`{job.name}`" for job in jobs)
    (job,) = jobs
    if job.status != "completed":
        return "its job has not ended"
    if job.conclusion == "skipped":
        return "its job did not run"
    if artifact is None:
        return "its job left no artifact"
    return "the artifact of its job has expired" if artifact.expired else ""


def _places(
    source: GoldenSource, results: PipelineResults
) -> Iterator[tuple[re.Pattern[str], re.Pattern[str]]]:
    """Yield for each place a pattern of what lies in any restart, and one of the golden in a restart."""
    words = {
        f"{{{name}}}": getattr(source.test, name).replace("_", "-").lower()
        for name in ("test", "environment", "platform")
    }
    words["{file}"] = source.file.rpartition("/")[2]
    for place in results.golden:
        restart = place[: place.index("/", place.rindex("*")) + 1] if "*" in place else ""
        yield re.compile(_pattern(restart, words)), re.compile(_pattern(place, words))


def _pattern(place: str, words: Mapping[str, str]) -> str:
    parts = re.split(r"(\{\w+\}|\*)", place)
    return "".join("([0-9]{1,9})" if part == "*" else re.escape(words.get(part, part)) for part in parts)


def _numbers(found: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(number) for number in found.groups())
