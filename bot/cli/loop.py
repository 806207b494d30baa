"""One pass of the loop over a bump on GitHub: look, take the steps that are due, say how it stands."""

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import click

from bot import wiring
from bot.core.errors import Refused
from bot.core.host import Call
from bot.core.rounds import State, Words
from bot.flows.bump import Bump, BumpOutcome, Patience
from bot.flows.request import BumpRequest
from bot.flows.rounds import Rounds
from bot.flows.target import Verify
from bot.ports import ImageRegistry
from bot.settings import Settings

PAUSES = (0.3, 0.7, 2.0, 4.0, 8.0)
"""Seconds before each look for copy-pr-bot's answer: it mostly takes one or two."""


@dataclass(frozen=True, slots=True)
class Passed:
    """What a pass came to; `calls` are those of a dry run, `rounds` knows what CI has led to."""

    outcome: BumpOutcome
    rounds: Rounds | None
    calls: tuple[Call, ...]


def is_dry_run(settings: Settings, *, asked: bool) -> bool:
    """Whether nothing may be written. Raises Refused where the bot is stopped."""
    dry_run = asked or settings.mode == "dry-run"
    if settings.mode == "stopped" and not dry_run:
        raise Refused("the bot is stopped by `BOT_MODE`", hint="set it to `running`, or say `--dry-run`")
    return dry_run


def one_pass(
    request: BumpRequest,
    settings: Settings,
    registry: ImageRegistry | None,
    *,
    words: Words | None = None,
    verify: Verify | None = None,
    dry_run: bool,
) -> Passed:
    """Run one pass; `words` are what a person has said, `verify` asks the registry. Raises as `Bump.run`."""
    recipe = request.recipe
    recorder = wiring.dry_run_host(settings, recipe.repository) if dry_run else None
    host = recorder or wiring.code_host(settings, recipe.repository)
    with closing(wiring.ledger(settings)) as opened:
        ledger = wiring.unwritten(opened) if dry_run else opened
        rounds = wiring.rounds(
            settings,
            recipe,
            request.goal,
            host=host,
            ledger=ledger,
            words=words,
            recorded=recorder.calls if recorder else None,
        )
        bump = Bump(
            request,
            host,
            ledger,
            texts=wiring.texts(),
            registry=registry,
            now=lambda: datetime.now(UTC),
            patience=Patience(0 if dry_run else len(PAUSES), _pausing()),
            rounds=rounds,
            verify=verify,
        )
        outcome = bump.run()
    return Passed(outcome, rounds, tuple(recorder.calls) if recorder else ())


def _pausing() -> Callable[[], None]:
    left = iter(PAUSES)

    def pause() -> None:
        click.echo("waiting for copy-pr-bot …", err=True)
        time.sleep(next(left, PAUSES[-1]))

    return pause


def pull_request_document(outcome: BumpOutcome) -> Mapping[str, Any] | None:
    """Return where a pull request stands, for the JSON; None where none is needed."""
    pull, report = outcome.pull_request, outcome.report
    # A dry run opens none, and numbers it 0.
    if pull is None or pull.number == 0:
        return None
    asks = report is not None and report.state is State.ASKING
    return {
        "number": pull.number,
        "url": pull.url,
        "title": pull.title,
        "draft": pull.draft,
        "labels": list(pull.labels),
        "author": pull.author.login,
        "head": outcome.sha,
        "approval": outcome.approval,
        "written": list(outcome.written),
        "state": report.state.value if report else None,
        "questions": list(report.sentences) if report and asks else [],
        "run": report.run_url if report else None,
        "counts": {kind.value: len(judged) for kind, judged in report.judged} if report else {},
        "passed": report.passed if report else 0,
    }
