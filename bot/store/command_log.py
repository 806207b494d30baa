"""The log of commands in the ledger's database, each entry on disk before a call returns."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import ColumnElement, Engine, select

from bot.core.command_log import CommandState
from bot.store.database import open_database
from bot.store.schema import answers, commands, comment_cursors
from bot.store.statements import add, connected


def open_command_log(url: str, now: Callable[[], datetime]) -> "SqlCommandLog":
    """Return the log in the database at `url`, made or migrated when that is due.

    `now` returns the present moment with its zone. Raises UsageError as `open_database` does.
    """
    return SqlCommandLog(open_database(url), now)


class SqlCommandLog:
    """Implements `bot.service_ports.CommandLog`. Every method raises ServiceError when the database fails."""

    def __init__(self, engine: Engine, now: Callable[[], datetime]) -> None:
        self._engine = engine
        self._now = now

    def close(self) -> None:
        """Let go of the database; the log is of no use afterwards."""
        self._engine.dispose()

    def comments_read(self, repository: str) -> datetime | None:
        query = select(comment_cursors.c.read_until).where(comment_cursors.c.repository == repository.lower())
        with connected(self._engine) as connection:
            return connection.scalar(query)

    def read_comments(self, repository: str, until: datetime) -> None:
        cursor = comment_cursors.c
        is_behind = (cursor.repository == repository.lower(), cursor.read_until < until)
        with connected(self._engine) as connection:
            add(connection, comment_cursors, {"repository": repository.lower(), "read_until": until})
            connection.execute(comment_cursors.update().where(*is_behind).values(read_until=until))

    def command_state(self, repository: str, comment: int, position: int) -> CommandState | None:
        query = select(commands.c.begun_at, commands.c.outcome, commands.c.aim).where(
            *_is(repository, comment, position)
        )
        with connected(self._engine) as connection:
            known = connection.execute(query).one_or_none()
            return None if known is None else CommandState(known.begun_at, known.outcome, known.aim)

    def begin_command(self, repository: str, comment: int, position: int, verb: str, author: int) -> None:
        row = {
            "repository": repository.lower(),
            "comment": comment,
            "position": position,
            "verb": verb,
            "author": author,
            "begun_at": self._now(),
        }
        with connected(self._engine) as connection:
            add(connection, commands, row)

    def decide_command(self, repository: str, comment: int, position: int, outcome: str) -> str:
        command = _is(repository, comment, position)
        undecided = commands.update().where(*command, commands.c.outcome.is_(None))
        with connected(self._engine) as connection:
            connection.execute(undecided.values(outcome=outcome))
            standing: str = connection.execute(select(commands.c.outcome).where(*command)).scalar_one()
            return standing

    def aim_command(self, repository: str, comment: int, position: int, aim: str) -> str:
        command = _is(repository, comment, position)
        aimless = commands.update().where(*command, commands.c.aim.is_(None))
        with connected(self._engine) as connection:
            connection.execute(aimless.values(aim=aim))
            standing: str = connection.execute(select(commands.c.aim).where(*command)).scalar_one()
            return standing

    def given_since(self, repository: str, author: int, verb: str, since: datetime) -> tuple[datetime, ...]:
        command = commands.c
        given = (command.repository == repository.lower(), command.author == author, command.verb == verb)
        query = select(command.begun_at).where(*given, command.begun_at >= since).order_by(command.begun_at)
        with connected(self._engine) as connection:
            return tuple(connection.scalars(query))

    def answer_of(self, repository: str, comment: int) -> int | None:
        of_comment = (answers.c.repository == repository.lower(), answers.c.comment == comment)
        with connected(self._engine) as connection:
            return connection.scalar(select(answers.c.answer).where(*of_comment))

    def answered(self, repository: str, comment: int, answer: int) -> None:
        row = {
            "repository": repository.lower(),
            "comment": comment,
            "answer": answer,
            "answered_at": self._now(),
        }
        with connected(self._engine) as connection:
            add(connection, answers, row)


def _is(repository: str, comment: int, position: int) -> tuple[ColumnElement[bool], ...]:
    command = commands.c
    return (
        command.repository == repository.lower(),
        command.comment == comment,
        command.position == position,
    )
