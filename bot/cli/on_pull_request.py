"""A command without a clone: one pass of the loop over the bot's open pull request hears a person's words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot import wiring
from bot.cli import bump_text
from bot.cli.loop import Passed, one_pass, pull_request_document
from bot.cli.selection import Selection
from bot.core.errors import Refused, UsageError
from bot.core.rounds import CommitRound, RetryFailed, State, Words
from bot.flows.open_bumps import open_bumps, the_open_bump
from bot.flows.request import BumpRequest
from bot.flows.target import named_target
from bot.ports import Clone
from bot.settings import Settings

WAIT_HINT = "a command that needs a commit waits for the end of CI on the head: run it again then"


@dataclass(frozen=True, slots=True)
class Heard:
    """A pass that heard a person's words; `step` is what it did about them, if there was anything to do."""

    passed: Passed
    step: CommitRound | RetryFailed | None

    @property
    def document(self) -> Mapping[str, Any]:
        """Return the part of the JSON that every such command has."""
        calls = [{"method": it.method, "path": it.path, "body": it.body} for it in self.passed.calls]
        return {"pull_request": pull_request_document(self.passed.outcome), "calls": calls}

    def text(self, said: str, *, dry_run: bool) -> str:
        """Return what a person reads: what the command came to, the calls of a dry run, where it stands."""
        outcome = self.passed.outcome
        end = bump_text.dry_run(outcome) if dry_run else bump_text.outcome(outcome)
        return "\n\n".join([said, *map(bump_text.call, self.passed.calls), end])


def clone_or_pull_request(selection: Selection, number: int | None) -> Clone | None:
    """Return the clone to work in, None for the pull request. Raises UsageError where both are named."""
    if selection.clone is not None and number is not None:
        raise UsageError("`--checkout` and `--pr` name two places", hint="choose one of them")
    return selection.clone


def hear(
    selection: Selection, settings: Settings, number: int | None, words: Words, *, dry_run: bool
) -> Heard:
    """Run one pass over the bot's open pull request, `number` or the only one.

    Raises Refused where the words cannot be followed now, with the reason and when to come again.
    """
    recipe = selection.recipe
    if recipe.results is None:
        raise UsageError(
            f"recipe `{recipe.name}` does not say how CI is read", hint="name a clone with `--checkout DIR`"
        )
    host = wiring.code_host(settings, recipe.repository)
    found = the_open_bump(open_bumps(host, recipe, selection.base), number, selection.base)
    target = named_target(recipe.track(found.track), found.tag)
    if target is None:
        raise AssertionError("an open bump has a tag")
    request = BumpRequest(recipe, found.track, selection.base, target)
    passed = one_pass(request, settings, wiring.registry(settings), words=words, dry_run=dry_run)
    return _heard(passed, words)


def _heard(passed: Passed, words: Words) -> Heard:
    rounds, report = passed.rounds, passed.outcome.report
    if rounds is None or report is None:
        raise Refused("the base branch has this tag already", hint="there is nothing to bump any more")
    step = next((it for it in rounds.done if isinstance(it, CommitRound | RetryFailed)), None)
    is_done = not rounds.due.asked and not rounds.due.back and bool(words.out or words.back)
    if step is None and not is_done and report.state is State.WAITING:
        raise Refused("; ".join(report.sentences) or "CI has not ended on the head", hint=WAIT_HINT)
    asked = bool(rounds.due.asked or rounds.due.back) or words.retry
    if step is None and asked and report.state is State.ASKING:
        raise Refused("; ".join(report.sentences), hint="that has to be settled first")
    return Heard(passed, step)
