"""`bot goldens refresh`: new golden values of a run take their places in a clone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot import wiring
from bot.cli.loop import is_dry_run
from bot.cli.on_pull_request import Heard, clone_or_pull_request, hear
from bot.cli.result import Result
from bot.cli.selection import Selection, select
from bot.core.errors import Refused, UsageError
from bot.core.goldens.coverage import FileReason
from bot.core.markdown import one_line
from bot.core.rounds import CommitRound, Words
from bot.core.triage.believed import disbelief_by_hand
from bot.flows.golden_offers import Offered, Pipelines, Which, of_pipeline, of_run
from bot.flows.refresh_checkout import CheckoutRefresh, known_goldens, refresh_checkout
from bot.flows.triage import triage_run
from bot.settings import Settings

SHOWN = 20
"""Files of one kind that the text names; the JSON has them all."""


def run(
    *,
    run_id: int | None,
    pipeline_id: int | None,
    only_failing: bool,
    all: bool,  # noqa: A002 - the flag's name
    accept: Sequence[str],
    checkout: str | None,
    pr: int | None,
    dry_run: bool,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Refresh the goldens of a clone from a run of GitHub Actions or a pipeline of GitLab."""
    if (run_id is None) == (pipeline_id is None):
        raise UsageError("name one run", hint="`--run-id N` of GitHub, or `--pipeline-id N` of GitLab")
    if only_failing == all:
        hint = "`--only-failing`, or `--all` for the goldens of passed tests too"
        raise UsageError("say which tests", hint=hint)
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, checkout=checkout, default=settings.recipe)
    clone = clone_or_pull_request(selection, pr)
    dry_run = is_dry_run(settings, asked=dry_run)
    if clone is None:
        if run_id is None:
            raise UsageError("the goldens of a pipeline go into a clone", hint="`--checkout DIR`")
        words = Words(refresh=tuple(accept), run=run_id, every=all)
        return _on_pull_request(hear(selection, settings, pr, words, dry_run=dry_run), dry_run=dry_run)
    goldens = selection.recipe.goldens
    if goldens is None:
        name = selection.recipe.name
        raise UsageError(f"recipe `{name}` says nothing of goldens", hint="add a `goldens` section to it")
    which: Which = "all" if all else "failing"
    if run_id is not None:
        offered = _of_run(settings, selection, run_id, which)
    else:
        offered = _of_pipeline(settings, selection, pipeline_id or 0, which, known_goldens(goldens, clone))
    done = refresh_checkout(selection.recipe, goldens, offered, clone, accept, dry_run=dry_run)
    return Result(_document(done), _text(done, dry_run=dry_run))


def _on_pull_request(heard: Heard, *, dry_run: bool) -> Result:
    looked = heard.passed.rounds.first_look if heard.passed.rounds else None
    offered, refreshed = (looked.offered, looked.seen.refreshed) if looked else (None, None)
    if looked is None or offered is None or refreshed is None:
        raise Refused(
            "the run offers no golden", hint="`bot triage --run-id N` says what became of its tests"
        )
    wrote = heard.step.goldens if isinstance(heard.step, CommitRound) else {}
    refused = sorted((*refreshed.refused, *offered.refused), key=lambda it: it.file)
    refreshed = replace(refreshed, written=wrote)
    done = CheckoutRefresh(offered.run.sha, refreshed, tuple(refused), looked.not_covered)
    return Result(
        {**_document(done), **heard.document},
        heard.text(_text(done, dry_run=dry_run), dry_run=dry_run),
    )


def _of_run(settings: Settings, selection: Selection, number: int, which: Which) -> Offered:
    recipe = selection.recipe
    reading = wiring.ci_reading(settings, recipe)
    triage = triage_run(reading, number, base=selection.base)
    if reason := disbelief_by_hand(triage.run, reading.results):
        raise Refused(f"run {number} is not believed: {reason}", hint="name the run of the pull request")
    return of_run(reading, triage, which)


def _of_pipeline(
    settings: Settings, selection: Selection, number: int, which: Which, known: Sequence[str]
) -> Offered:
    project, goldens = selection.recipe.gitlab, selection.recipe.goldens
    if project is None or project.results is None or goldens is None:
        raise UsageError(
            f"recipe `{selection.recipe.name}` does not say how pipelines are read",
            hint="add `gitlab.results` to it",
        )
    ci = wiring.gitlab_pipelines(settings, project.project)
    reading = Pipelines(ci, wiring.artifact_reader(settings, ci.location), project.results, goldens)
    return of_pipeline(reading, number, which, known)


def _document(done: CheckoutRefresh) -> Mapping[str, Any]:
    refreshed = done.refreshed
    return {
        "sha": done.sha,
        "written": list(refreshed.written),
        "unchanged": list(refreshed.unchanged),
        "refused": [*(_reason(it, ask=True) for it in refreshed.asks), *map(_reason, done.refused)],
        "not_covered": [_reason(it) for it in done.not_covered],
    }


def _reason(found: FileReason, *, ask: bool = False) -> Mapping[str, Any]:
    return {"file": found.file, "reason": found.reason, "person_may_accept": ask}


def _text(done: CheckoutRefresh, *, dry_run: bool) -> str:
    refreshed = done.refreshed
    did = "would write" if dry_run else "wrote"
    lines = [f"goldens of {done.sha[:10]}: {did} {len(refreshed.written)}"]
    lines += [f"  {file}" for file in _some(list(refreshed.written))]
    lines += [f"unchanged: {len(refreshed.unchanged)}"]
    lines += _block("a person may accept, with `--accept TEST`", refreshed.asks)
    lines += _block("refused", done.refused)
    lines += [f"not covered: {len(done.not_covered)}"]
    counts = Counter(it.reason for it in done.not_covered)
    lines += [f"  {count} {one_line(reason)}" for reason, count in counts.most_common()]
    return "\n".join(lines)


def _block(title: str, reasons: Sequence[FileReason]) -> list[str]:
    rows = [f"  {one_line(it.file, 200)}: {one_line(it.reason, 300)}" for it in reasons]
    return [f"{title}: {len(reasons)}", *_some(rows)] if reasons else []


def _some(rows: Sequence[str]) -> list[str]:
    more = [f"  and {len(rows) - SHOWN} more; `--json` has them all"] if len(rows) > SHOWN else []
    return [*rows[:SHOWN], *more]
