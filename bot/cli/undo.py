"""`bot undo`: takes a bump back, on its branch or, once it is merged, as a draft pull request."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from bot import wiring
from bot.cli import bump_text
from bot.cli.result import Result
from bot.cli.selection import select
from bot.core.errors import Refused, UsageError
from bot.core.host import Call
from bot.core.undo import ChangedSince
from bot.flows.undo import Undo, UndoOutcome


def run(
    *,
    pr: int | None,
    why: str | None,
    dry_run: bool,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Take the bump of pull request `pr` back, and hand back which files got their old bytes."""
    if pr is None:
        raise UsageError("which pull request is to be undone?", hint="name it with `--pr N`")
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, default=settings.recipe)
    dry_run = dry_run or settings.mode == "dry-run"
    if settings.mode == "stopped" and not dry_run:
        raise Refused("the bot is stopped by `BOT_MODE`", hint="set it to `running`, or say `--dry-run`")
    repository = selection.recipe.repository
    recorder = wiring.dry_run_host(settings, repository) if dry_run else None
    with closing(wiring.ledger(settings)) as ledger:
        undo = Undo(
            selection.recipe,
            pr,
            recorder or wiring.code_host(settings, repository),
            wiring.unwritten(ledger) if dry_run else ledger,
            texts=wiring.texts(),
            now=lambda: datetime.now(UTC),
            why=why or "",
            base=base,
        )
        outcome = undo.run()
    calls = recorder.calls if recorder else ()
    shown = [*map(bump_text.call, calls), _text(outcome, dry_run=dry_run)]
    return Result(_document(outcome, calls, dry_run=dry_run), "\n\n".join(shown))


def refusal(error: Refused) -> Mapping[str, Any]:
    """Return the document of a refused undoing; the error stands beside it."""
    files = error.files if isinstance(error, ChangedSince) else ()
    refused = [{"file": path, "reason": reason} for path, reason in files]
    return {"pull_request": None, "restored": [], "refused": refused, "calls": []}


def _document(outcome: UndoOutcome, calls: Sequence[Call], *, dry_run: bool) -> Mapping[str, Any]:
    return {
        "pull_request": None if dry_run else _pull_request(outcome),
        "restored": list(outcome.restored),
        "refused": [],
        "calls": [{"method": it.method, "path": it.path, "body": it.body} for it in calls],
    }


def _pull_request(outcome: UndoOutcome) -> Mapping[str, Any] | None:
    pull = outcome.pull_request
    if pull is None:
        return None
    return {
        "number": pull.number,
        "url": pull.url,
        "title": pull.title,
        "draft": pull.draft,
        "labels": list(pull.labels),
        "head": outcome.sha,
    }


def _text(outcome: UndoOutcome, *, dry_run: bool) -> str:
    pull = outcome.pull_request
    if pull is None:
        return "nothing to do: the base holds nothing of this bump any more"
    files = "\n".join(f"  {path}" for path in outcome.restored)
    what = (
        f"{'would put back' if dry_run else 'put back'}:\n{files}" if files else "nothing is left to put back"
    )
    if dry_run:
        return f"{what}\ndry run: nothing was written"
    return f"{what}\n{pull.url} at {outcome.sha}" + ("" if outcome.written else "\nall of it was there")
