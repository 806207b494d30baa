"""What each command of a comment does: to a bump, to the repository; the outcome is a sentence or two."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from bot.core.chatops import ChatCommand
from bot.core.errors import Refused, UsageError
from bot.core.markdown import code, defused
from bot.core.recipe import BumpRecipe
from bot.core.rounds import TakeOut, Words
from bot.core.testrecipes.request import QuarantineRequest, Reason, UnquarantineRequest, issue_address
from bot.core.testrecipes.target import parse_platform, parse_target
from bot.core.triage.summary import Triage, headline
from bot.flows.answer import Asked, Postponed
from bot.flows.bump import BumpOutcome
from bot.flows.bumps import Bumps, Wanted
from bot.flows.notebook import Notebook
from bot.flows.triage import Reading, triage_run
from bot.flows.undo import UndoOutcome
from bot.service_ports import CommandLog, Pauses

SHOWN = 10
"""How many rows an answer shows."""

_BY_HAND: Mapping[str, str] = {
    "build": "run `bot build` on a machine with Docker or Slurm",
    "lock": "make `uv.lock` anew inside the image, on a machine with Docker",
}
"""What a person does where the bot cannot do it from a comment."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What orders are carried out with; `reading` is None where the recipe does not say how CI is read.

    `undo` takes the bump of a pull request back, and is told why.
    """

    bumps: Bumps
    undo: Callable[[int, str], UndoOutcome]
    notebook: Notebook
    log: CommandLog
    pauses: Pauses
    reading: Reading | None
    now: Callable[[], datetime]


class Orders:
    """Carries out the commands of one repository."""

    def __init__(self, recipe: BumpRecipe, desk: Desk) -> None:
        self._recipe = recipe
        self._desk = desk

    def __call__(self, command: ChatCommand, asked: Asked) -> str:
        """Return the outcome as Markdown. Raises BotError, and Postponed for what has to wait."""
        word = command.verb.word
        pause = self._desk.pauses.paused(self._recipe.repository)
        if pause is not None and command.verb.level != "anyone" and word not in {"pause", "resume", "triage"}:
            raise Refused(
                f"`{pause.by}` has paused the bot here, in #{pause.number}", hint="`/bot resume` ends that"
            )
        handlers: Mapping[str, Callable[[ChatCommand, Asked], str]] = {
            "bump": self._bump,
            "status": self._status,
            "triage": self._triage,
            "refresh": self._refresh,
            "quarantine": self._quarantine,
            "unquarantine": self._unquarantine,
            "retry": self._retry,
            "undo": self._undo,
            "pause": self._pause,
            "resume": self._resume,
        }
        if word not in handlers:
            raise Refused(f"the bot cannot do `{word}` from a comment yet", hint=_BY_HAND.get(word))
        return handlers[word](command, asked)

    # A bump

    def _bump(self, command: ChatCommand, asked: Asked) -> str:
        track = _text(command, "track") or ("dev" if "dev" in self._recipe.tracks else "")
        track = track or next(iter(self._recipe.tracks))
        tag = _text(command, "tag")
        if self._recipe.track(track).scheme.release(tag) is None:
            pattern = self._recipe.track(track).tag
            raise UsageError(f"`{tag[:80]}` is not a tag of the form `{pattern}`")
        wanted = Wanted(track, tag, self._recipe.base)
        outcome = self._desk.bumps.run(wanted, anyway=bool(command.values.get("anyway")))
        pull = outcome.pull_request
        if pull is None:
            return f"every pin of {code(track)} on {code(wanted.base)} is at {code(tag)} already"
        where = "this pull request" if pull.number == asked.number else f"#{pull.number}, {pull.url}"
        return f"{where}: {_did(outcome)}"

    def _status(self, _command: ChatCommand, asked: Asked) -> str:
        repository = self._recipe.repository
        pause = self._desk.pauses.paused(repository)
        said = [f"paused by {code(pause.by)} in #{pause.number}"] if pause else []
        standing = self._desk.notebook.standing(repository, asked.number)
        if standing is not None:
            said.append(f"{code(standing.track)} to {code(standing.tag)}: {standing.state}")
            said += [defused(it, 400) for it in standing.sentences[:SHOWN]]
            said += [standing.run_url] if standing.run_url else []
        else:
            others = [
                f"{code(it.track)} to {code(it.tag)}: {it.state}, #{it.number}"
                for it in self._desk.notebook.state().bumps
                if it.repository == repository and it.number
            ]
            said += others or ["no bump is open that the bot knows of"]
        return "\n".join(f"- {it}" for it in said)

    def _triage(self, _command: ChatCommand, asked: Asked) -> str:
        wanted, reading = self._here(asked), self._reading()
        runs = [it for it in reading.ci.runs(f"pull-request/{wanted.number}") if it.is_completed]
        run = next((it for it in runs if it.workflow == reading.results.workflow), None)
        if run is None:
            return "no run of this pull request has ended"
        triage = triage_run(reading, run.id, base=self._recipe.base)
        return _verdicts(triage, self._recipe.quarantine.bad_image if self._recipe.quarantine else None)

    def _refresh(self, command: ChatCommand, asked: Asked) -> str:
        test = _text(command, "test")
        return self._with_words(Words(refresh=[test] if test else []), asked)

    def _quarantine(self, command: ChatCommand, asked: Asked) -> str:
        issue = command.values.get("issue")
        request = QuarantineRequest(
            target=parse_target(_text(command, "test")),
            reason=_reason(command),
            issue=issue_address(self._recipe.repository, issue) if isinstance(issue, int) else None,
            platform=_platform(command),
            why=_text(command, "why"),
        )
        return self._with_words(Words(out=(TakeOut(request, file_issue=issue is None),)), asked)

    def _unquarantine(self, command: ChatCommand, asked: Asked) -> str:
        request = UnquarantineRequest(parse_target(_text(command, "test")), _platform(command))
        return self._with_words(Words(back=(request,)), asked)

    def _retry(self, command: ChatCommand, asked: Asked) -> str:
        return self._with_words(Words(retry=True, job=_text(command, "job") or None), asked)

    def _undo(self, command: ChatCommand, asked: Asked) -> str:
        outcome = self._desk.undo(asked.number, _text(command, "why"))
        pull = outcome.pull_request
        if pull is None:
            return "nothing of the bump is left to take back"
        files = f"{len(outcome.restored)} files have their old bytes back"
        return f"{files}: {pull.url}; `/bot bump TAG --anyway` bumps again"

    def _with_words(self, words: Words, asked: Asked) -> str:
        """Look at the newest run once more with what a person says of it; never twice at another run."""
        wanted, reading = self._here(asked), self._reading()
        command = (self._recipe.repository, asked.comment, asked.position)
        runs = reading.ci.runs(f"pull-request/{wanted.number}")
        run = next(
            (it for it in runs if it.sha == wanted.head and it.workflow == reading.results.workflow), None
        )
        if run is None or not run.is_completed:
            if words.retry or self._was_aimed(command, asked):
                return "CI runs" + (f": {run.url}" if run else "")
            raise Postponed("waits for the end of CI" + (f": {run.url}" if run else ""))
        aim = f"run {run.id}, attempt {run.attempt}"
        if self._desk.log.aim_command(*command, aim) != aim:
            return f"done; the newest run is {run.url}"
        outcome = self._desk.bumps.run(wanted, words)
        return _did(outcome)

    def _was_aimed(self, command: tuple[str, int, int], asked: Asked) -> bool:
        state = self._desk.log.command_state(*command) if asked.again else None
        return state is not None and state.aim is not None

    def _here(self, asked: Asked) -> Wanted:
        wanted = self._desk.bumps.of(asked.number)
        if wanted is None:
            raise Refused(
                f"#{asked.number} is no open pull request of the bot's", hint="`/bot bump TAG` opens one"
            )
        return wanted

    def _reading(self) -> Reading:
        if self._desk.reading is None:
            raise Refused(f"recipe `{self._recipe.name}` does not say how CI is read")
        return self._desk.reading

    # The repository

    def _pause(self, _command: ChatCommand, asked: Asked) -> str:
        repository = self._recipe.repository
        self._desk.pauses.pause(repository, asked.author.login, asked.number)
        self._desk.notebook.pause(repository, self._desk.pauses.paused(repository))
        return "paused: the bot does nothing in this repository until somebody says `/bot resume`"

    def _resume(self, _command: ChatCommand, _asked: Asked) -> str:
        repository = self._recipe.repository
        self._desk.pauses.resume(repository)
        self._desk.notebook.pause(repository, None)
        return "the bot goes on"


def _reason(command: ChatCommand) -> Reason | None:
    found = _text(command, "reason")
    return next((it for it in get_args(Reason) if it == found), None)


def _platform(command: ChatCommand) -> str | None:
    named = _text(command, "platform")
    return parse_platform(named) if named else None


def _text(command: ChatCommand, key: str) -> str:
    value = command.values.get(key)
    return value if isinstance(value, str) else ""


def _did(outcome: BumpOutcome) -> str:
    steps = [it for it in outcome.written if it not in {"status", "description"}]
    said = ", ".join(steps) or "nothing to write"
    report = outcome.report
    if report is None:
        return said
    sentences = [defused(it, 400) for it in report.sentences[:SHOWN]]
    return (
        "\n".join([f"{said}; {report.state.value}", *(f"- {it}" for it in sentences)]) if sentences else said
    )


def _verdicts(triage: Triage, bad_image: int | None) -> str:
    said = [
        f"{triage.run.url}: {triage.run.conclusion or triage.run.status}, {len(triage.passed)} jobs passed"
    ]
    said += [f"- {defused(it, 400)}" for it in headline(triage, bad_image)]
    rows = [
        f"- {code(it.subject.name, 150)}"
        f"{f' on {it.subject.platform}' if it.subject.platform else ''}: "
        f"**{it.verdict.kind}**, {defused(it.verdict.why, 300)}"
        for it in triage.judged
    ]
    more = (
        [f"- and {len(rows) - SHOWN} more: `bot triage --run-id {triage.run.id}`"]
        if len(rows) > SHOWN
        else []
    )
    return "\n".join([*said, *rows[:SHOWN], *more])
