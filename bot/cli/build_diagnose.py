"""`bot build diagnose`: why a container build broke, from its log, on the command line."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot import wiring
from bot.cli.result import Result
from bot.core.buildlog.diagnosis import BuildCause, Diagnosis, Outcome
from bot.core.buildlog.reader import read_build_log
from bot.core.markdown import one_line

_SAID = {
    Outcome.SUCCEEDED: "the build succeeded",
    Outcome.FAILED: "the build failed, and no line says why",
    Outcome.UNKNOWN: "the log shows neither a failure nor the end of a build",
}


def run(*, log: str, **_repository: str | None) -> Result:
    """Read a log, `-` for standard input; no repository is asked."""
    diagnosis = read_build_log(wiring.pieces(log))
    explained = bool(diagnosis.causes) or diagnosis.outcome is Outcome.SUCCEEDED
    return Result(diagnosis_document(diagnosis), "\n".join(diagnosis_text(diagnosis)), 0 if explained else 1)


def diagnosis_document(diagnosis: Diagnosis) -> Mapping[str, Any]:
    """Return a diagnosis as JSON shows it."""
    return {
        "outcome": diagnosis.outcome.value,
        "causes": [_cause(cause) for cause in diagnosis.causes],
        "failed_stage": diagnosis.failed_stage,
        "failed_step": diagnosis.failed_step,
        "stages": [
            {"stage": it.stage, "platform": it.platform, "steps": it.steps, "seconds": round(it.seconds, 1)}
            for it in diagnosis.stages
        ],
        "lines": diagnosis.line_count,
    }


def _cause(cause: BuildCause) -> Mapping[str, Any]:
    return {
        "cause": cause.cause,
        "role": cause.role,
        "stage": cause.stage,
        "step": cause.step,
        "platform": cause.platform,
        "package": cause.package,
        "subject": cause.subject,
        "hint": cause.hint,
        "lines": [{"n": line.n, "text": line.text} for line in cause.lines],
    }


def diagnosis_text(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield the lines for a person; a log is outside text, no control sequence of it reaches the terminal."""
    for cause in diagnosis.causes:
        about = ", ".join(one_line(it) for it in (cause.package, cause.subject) if it)
        yield f"{cause.role}: {cause.cause}" + (f" ({about})" if about else "")
        if cause.step:
            yield f"  in    {_place(cause.platform, cause.stage, cause.step)}"
        yield from (f"  {line.n:>5}  {one_line(line.text, 300)}" for line in cause.lines)
        yield f"     -> {one_line(cause.hint, 400)}"
    if not diagnosis.causes:
        yield _SAID[diagnosis.outcome]
        if diagnosis.failed_step:
            yield f"  in    {_place(None, diagnosis.failed_stage, diagnosis.failed_step)}"
    for it in diagnosis.stages:
        place = _place(it.platform, it.stage, "")
        yield f"stage {place}: {it.steps} steps done in {it.seconds:.0f} s"


def _place(platform: str | None, stage: str | None, step: str) -> str:
    return one_line(" ".join(filter(None, (platform, stage, step))), 200)
