"""The pauses of repositories in the ledger's database, each on disk before a call returns."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Engine, select

from bot.core.standing import Pause
from bot.store.database import open_database
from bot.store.schema import pauses
from bot.store.statements import add, connected


def open_pauses(url: str, now: Callable[[], datetime]) -> "SqlPauses":
    """Return the pauses in the database at `url`, made or migrated when that is due.

    `now` returns the present moment with its zone. Raises UsageError as `open_database` does.
    """
    return SqlPauses(open_database(url), now)


class SqlPauses:
    """Implements `bot.service_ports.Pauses`."""

    def __init__(self, engine: Engine, now: Callable[[], datetime]) -> None:
        self._engine = engine
        self._now = now

    def close(self) -> None:
        """Let go of the database; the pauses are of no use afterwards."""
        self._engine.dispose()

    def paused(self, repository: str) -> Pause | None:
        of_repository = pauses.c.repository == repository.lower()
        query = select(pauses.c.paused_by, pauses.c.number, pauses.c.since).where(of_repository)
        with connected(self._engine) as connection:
            found = connection.execute(query).one_or_none()
            return None if found is None else Pause(found.paused_by, found.number, found.since)

    def pause(self, repository: str, by: str, number: int) -> None:
        row = {"repository": repository.lower(), "paused_by": by, "number": number, "since": self._now()}
        with connected(self._engine) as connection:
            add(connection, pauses, row)

    def resume(self, repository: str) -> None:
        with connected(self._engine) as connection:
            connection.execute(pauses.delete().where(pauses.c.repository == repository.lower()))
