"""Where a run or a pipeline left new goldens: finds the artifacts, reads the few files that are wanted."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.core.ci import Contents, Job, Run, Unreadable
from bot.core.errors import Refused, UsageError
from bot.core.goldens.coverage import FileReason
from bot.core.goldens.offer import Offer
from bot.core.pipeline_goldens import (
    GoldenSource,
    golden_entry,
    golden_sources,
    may_hold_golden,
)
from bot.core.recipe_results import Goldens, PipelineResults
from bot.core.triage.jobs import Subject, candidates, golden_name, golden_path
from bot.core.triage.left import own
from bot.core.triage.summary import Triage
from bot.core.triage.verdict import Verdict, VerdictKind
from bot.flows.triage import Reading
from bot.ports import ArtifactReader, CiRuns

Which = Literal["failing", "all"]

ASKS = frozenset({VerdictKind.LARGE_DRIFT, VerdictKind.INFERENCE_DRIFT})
"""The verdicts whose new golden a person may accept."""

DRIFTS = ASKS | {VerdictKind.DRIFT}


@dataclass(frozen=True, slots=True)
class Offered:
    """What a run offers: new goldens, and why some tests offer none.

    `covered` are all goldens that it says anything of, `platforms` those on which its CI runs tests;
    `not_left` are goldens of tests that ran and left nothing to look into, whatever became of them.
    """

    run: Run
    offers: tuple[Offer, ...]
    refused: tuple[FileReason, ...]
    covered: frozenset[str]
    platforms: frozenset[str]
    not_left: tuple[FileReason, ...] = ()


def of_run(reading: Reading, triage: Triage, which: Which) -> Offered:
    """Return what a finished run of GitHub Actions offers.

    Only a test whose verdict is a drift offers its golden, and with `all` one that passed. Raises Refused
    when the run has not ended, or when it was begun again meanwhile.
    """
    goldens, run = _goldens(reading), triage.run
    _ended(run)
    verdicts = {it.job.id: it.verdict for it in triage.judged}
    tests = [
        (subject, job) for subject, job in triage.jobs if subject.role == "functional" and subject.platform
    ]
    wanted = [it for it in tests if _offers(verdicts.get(it[1].id), which)]
    found, unfound = _read(reading, run, wanted, verdicts)
    _still_the_same(reading.ci, run)
    withheld = [
        FileReason(golden_path(subject, goldens), f"{verdict.kind}: {verdict.why}")
        for subject, job in tests
        if (verdict := verdicts.get(job.id)) and verdict.kind not in DRIFTS
    ]
    covered = frozenset(golden_path(subject, goldens) for subject, _ in tests)
    platforms = frozenset(reading.results.runners.values())
    return Offered(run, found, (*unfound, *withheld), covered, platforms)


def _goldens(reading: Reading) -> Goldens:
    if reading.goldens is None:
        raise UsageError("the recipe says nothing of goldens", hint="add a `goldens` section to it")
    return reading.goldens


def _ended(run: Run) -> None:
    if not run.is_completed:
        raise Refused(
            f"run {run.id} is still {run.status.replace('_', ' ')}: {run.url}",
            hint="goldens are taken when it has ended",
        )


def _still_the_same(ci: CiRuns, run: Run) -> None:
    now = ci.run(run.id)
    if now is None or (now.attempt, now.status) != (run.attempt, run.status):
        raise Refused(f"run {run.id} was begun again meanwhile: {run.url}", hint="wait until it has ended")


def _offers(verdict: Verdict | None, which: Which) -> bool:
    return which == "all" if verdict is None else verdict.kind in DRIFTS


def _read(
    reading: Reading, run: Run, tests: Sequence[tuple[Subject, Job]], verdicts: Mapping[int, Verdict]
) -> tuple[tuple[Offer, ...], tuple[FileReason, ...]]:
    goldens = _goldens(reading)
    left = reading.ci.artifacts(run.id) if tests else ()
    found = {job.id: candidates(left, job, subject.test, goldens) for subject, job in tests}
    names = frozenset(golden_name(subject, goldens) for subject, _ in tests)
    artifacts = {it.id: it for candidate in found.values() for it in candidate.artifacts}
    contents = reading.artifacts.read(list(artifacts.values()), lambda _artifact, name: name in names)
    offers: list[Offer] = []
    refused: list[FileReason] = []
    for subject, job in tests:
        file, name = golden_path(subject, goldens), golden_name(subject, goldens)
        mine = own(found[job.id], contents, name)
        if isinstance(mine, str):
            refused.append(FileReason(file, mine))
            continue
        content = _file(contents[mine.artifact.id], name)
        if content is None:
            refused.append(FileReason(file, "its artifact holds no golden"))
            continue
        verdict = verdicts.get(job.id)
        doubt = f"{verdict.kind}: {verdict.why}" if verdict and verdict.kind in ASKS else None
        offers.append(Offer(file, subject.name, subject.platform, content, doubt))
    return tuple(offers), tuple(refused)


def _file(content: Contents | Unreadable, name: str) -> bytes | None:
    return content.files.get(name) if isinstance(content, Contents) else None


@dataclass(frozen=True, slots=True)
class Pipelines:
    """Where pipelines are read, and the recipe's words for them."""

    ci: CiRuns
    artifacts: ArtifactReader
    results: PipelineResults
    goldens: Goldens


def of_pipeline(reading: Pipelines, number: int, which: Which, known: Collection[str]) -> Offered:
    """Return what a finished pipeline of GitLab offers; `known` are the goldens of the repository.

    Raises UsageError when there is no such pipeline, Refused when it has not ended.
    """
    run = reading.ci.run(number)
    if run is None:
        raise UsageError(
            f"there is no pipeline {number}", hint="its number stands in the address of its page"
        )
    _ended(run)
    jobs = reading.ci.jobs(number)
    sources, missing = golden_sources(jobs, reading.ci.artifacts(number), reading.results, reading.goldens)
    asked = [it for it in sources if which == "all" or it.job.conclusion != "success"]
    contents = _contents(reading, asked)
    _still_the_same(reading.ci, run)
    offers: list[Offer] = []
    refused: list[FileReason] = []
    for source in asked:
        found = _offer(source, contents[source.artifact.id], reading.results)
        if isinstance(found, Offer):
            offers.append(found)
        else:
            refused.append(found)
    covered = frozenset(it.file for it in sources)
    platforms = frozenset(it.test.platform for it in sources)
    not_left = tuple(it for it in missing if it.file in known)
    return Offered(run, tuple(offers), tuple(refused), covered, platforms, not_left)


def _contents(reading: Pipelines, sources: Sequence[GoldenSource]) -> Mapping[int, Contents | Unreadable]:
    by_artifact = {it.artifact.id: it for it in sources}
    return reading.artifacts.read(
        [it.artifact for it in sources],
        lambda artifact, name: may_hold_golden(by_artifact[artifact.id], name, reading.results),
    )


def _offer(
    source: GoldenSource, content: Contents | Unreadable, results: PipelineResults
) -> Offer | FileReason:
    if isinstance(content, Unreadable):
        return FileReason(source.file, f"its artifact cannot be read: {content.reason}")
    entry = golden_entry(source, [it.name for it in content.entries], results)
    if isinstance(entry, FileReason):
        return entry
    test = f"{source.test.model}/{source.test.test}"
    return Offer(source.file, test, source.test.platform, content.files[entry])
