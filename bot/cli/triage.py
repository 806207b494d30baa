"""`bot triage`: what became of each test of a run, with the line that proves it."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import click

from bot import wiring
from bot.cli.result import Result
from bot.cli.selection import Selection, select
from bot.core.errors import UsageError
from bot.core.markdown import one_line
from bot.core.triage.summary import Judged, Triage, headline
from bot.core.triage.verdict import Evidence, VerdictKind
from bot.flows.triage import Reading, triage_run


def run(
    *,
    run_id: int | None,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Read a run of the repository's CI on GitHub."""
    if run_id is None or run_id < 1:
        raise UsageError("no run is named", hint="give its number with `--run-id N`")
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, default=settings.recipe)
    return report(wiring.ci_reading(settings, selection.recipe), selection, run_id)


def report(reading: Reading, selection: Selection, number: int) -> Result:
    """Return the outcome for a run; whatever the verdicts are, it could be read."""
    triage = triage_run(reading, number, base=selection.base, progress=_progress)
    quarantine = selection.recipe.quarantine
    said = headline(triage, quarantine.bad_image if quarantine else None)
    return Result(_document(triage, said), _text(triage, said, selection.recipe.repository))


def _progress(done: int, total: int) -> None:
    if total and sys.stderr.isatty():
        click.echo(f"\rread {done} of {total} logs", nl=done == total, err=True)


def _document(triage: Triage, said: Iterable[str]) -> Mapping[str, Any]:
    run = triage.run
    return {
        "run_id": run.id,
        "sha": run.sha,
        "attempt": run.attempt,
        "status": run.status,
        "conclusion": run.conclusion,
        "headline": list(said),
        "counts": {kind.value: count for kind, count in triage.counts},
        "passed": len(triage.passed),
        "unfinished": [subject.name for subject in triage.unfinished],
        "notices": list(triage.notices),
        "verdicts": [_verdict(it) for it in triage.judged],
    }


def _verdict(judged: Judged) -> Mapping[str, Any]:
    job, subject, verdict = judged.job, judged.subject, judged.verdict
    return {
        "model": subject.model or None,
        "test": subject.test,
        "platform": subject.platform or None,
        "role": subject.role,
        "verdict": verdict.kind.value,
        "remedy": verdict.remedy,
        "why": verdict.why,
        "evidence": [{"source": it.source, "line": it.line, "text": it.text} for it in verdict.evidence],
        "failed_tests": list(judged.failed_tests),
        "job": {
            "id": job.id,
            "attempt": job.attempt,
            "conclusion": job.conclusion,
            "seconds": job.seconds,
            "url": job.url,
        },
    }


def _text(triage: Triage, said: Iterable[str], repository: str) -> str:
    run = triage.run
    state = run.conclusion or run.status.replace("_", " ")
    lines = [one_line(f"run {run.id} of {repository}, {run.branch} at {run.sha[:10]}: {state}", 200)]
    lines += [one_line(sentence, 300) for sentence in said]
    counts = [f"{count} {kind}" for kind, count in triage.counts]
    counts += [f"{len(triage.passed)} passed"]
    counts += [f"{len(triage.unfinished)} unfinished"] if triage.unfinished else []
    lines += [", ".join(counts), *triage.notices]
    return "\n".join([*lines, *_rows(triage.judged)])


def _rows(judged: Iterable[Judged]) -> list[str]:
    order = list(VerdictKind)
    rows = sorted(judged, key=lambda it: order.index(it.verdict.kind))
    width = max((len(it.subject.name) for it in rows), default=0)
    return [line for it in rows for line in _row(it, min(width, 80))]


def _row(judged: Judged, width: int) -> tuple[str, str, str]:
    verdict, subject = judged.verdict, judged.subject
    # A log, a job's name and an address are outside text: no control sequence of them reaches the terminal.
    name, platform = one_line(subject.name, 80), subject.platform or "-"
    what = f"{verdict.kind:<15} {verdict.remedy:<10}"
    proof = _proof(verdict.evidence[0]) if verdict.evidence else "no line"
    why = one_line(verdict.why, 200)
    return f"\n{what} {name:<{width}}  {platform}", f"  {why}", f"  {proof}  ({one_line(judged.job.url)})"


def _proof(evidence: Evidence) -> str:
    where = evidence.source if evidence.line is None else f"{evidence.source}:{evidence.line}"
    return f"{one_line(where, 80)}: {one_line(evidence.text, 200)}"
