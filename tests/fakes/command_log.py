"""A log of commands in memory."""

from dataclasses import replace
from datetime import UTC, datetime

from bot.core.command_log import CommandState


class FakeCommandLog:
    """A `CommandLog` whose clock is `now`: move it on to make time pass."""

    def __init__(self, now: datetime = datetime(2026, 7, 1, tzinfo=UTC)) -> None:
        self.now = now
        self._read: dict[str, datetime] = {}
        self._states: dict[tuple[str, int, int], CommandState] = {}
        self._given: list[tuple[str, int, str, datetime]] = []
        self._answers: dict[tuple[str, int], int] = {}

    def comments_read(self, repository: str) -> datetime | None:
        return self._read.get(repository.lower())

    def read_comments(self, repository: str, until: datetime) -> None:
        self._read[repository.lower()] = max(until, self._read.get(repository.lower(), until))

    def command_state(self, repository: str, comment: int, position: int) -> CommandState | None:
        return self._states.get((repository.lower(), comment, position))

    def begin_command(self, repository: str, comment: int, position: int, verb: str, author: int) -> None:
        key = (repository.lower(), comment, position)
        if key not in self._states:
            self._states[key] = CommandState(self.now)
            self._given.append((repository.lower(), author, verb, self.now))

    def decide_command(self, repository: str, comment: int, position: int, outcome: str) -> str:
        key = (repository.lower(), comment, position)
        if self._states[key].outcome is None:
            self._states[key] = replace(self._states[key], outcome=outcome)
        return self._states[key].outcome

    def aim_command(self, repository: str, comment: int, position: int, aim: str) -> str:
        key = (repository.lower(), comment, position)
        if self._states[key].aim is None:
            self._states[key] = replace(self._states[key], aim=aim)
        return self._states[key].aim

    def given_since(self, repository: str, author: int, verb: str, since: datetime) -> tuple[datetime, ...]:
        wanted = (repository.lower(), author, verb)
        return tuple(sorted(at for *given, at in self._given if tuple(given) == wanted and at >= since))

    def answer_of(self, repository: str, comment: int) -> int | None:
        return self._answers.get((repository.lower(), comment))

    def answered(self, repository: str, comment: int, answer: int) -> None:
        self._answers.setdefault((repository.lower(), comment), answer)
