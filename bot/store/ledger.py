"""The ledger in a database: tags first seen and commits created, each on disk before a call returns."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Engine, select

from bot.store.database import open_database
from bot.store.schema import commits, tags_seen
from bot.store.statements import add, connected


def open_ledger(url: str, now: Callable[[], datetime]) -> "SqlLedger":
    """Return the ledger in the database at `url`, made or migrated when that is due.

    `now` returns the present moment with its zone. Raises UsageError as `open_database` does.
    """
    return SqlLedger(open_database(url), now)


class SqlLedger:
    """Implements `bot.ports.Ledger`; rows are only ever added.

    Every method raises ServiceError when the database fails. Repository names are kept in lower
    case, as code hosts compare them.
    """

    def __init__(self, engine: Engine, now: Callable[[], datetime]) -> None:
        self._engine = engine
        self._now = now

    def close(self) -> None:
        """Let go of the database; the ledger is of no use afterwards."""
        self._engine.dispose()

    def saw_tag(self, name: str, tag: str, digest: str) -> datetime:
        of_tag = (tags_seen.c.name == name, tags_seen.c.tag == tag)
        with connected(self._engine) as connection:
            known = connection.scalar(select(tags_seen.c.id).where(*of_tag, tags_seen.c.digest == digest))
            if known is None:
                row = {"name": name, "tag": tag, "digest": digest, "first_seen": self._now()}
                add(connection, tags_seen, row)
            oldest = select(tags_seen.c.first_seen).where(*of_tag).order_by(tags_seen.c.id).limit(1)
            first_seen: datetime = connection.execute(oldest).scalar_one()
            return first_seen

    def digests(self, name: str, tag: str) -> tuple[str, ...]:
        query = select(tags_seen.c.digest).where(tags_seen.c.name == name, tags_seen.c.tag == tag)
        with connected(self._engine) as connection:
            return tuple(connection.scalars(query.order_by(tags_seen.c.id)))

    def created_commit(self, repository: str, sha: str, branch: str) -> None:
        row = {"repository": repository.lower(), "sha": sha, "branch": branch, "created_at": self._now()}
        with connected(self._engine) as connection:
            add(connection, commits, row)

    def commits(self, repository: str, branch: str) -> frozenset[str]:
        of_branch = (commits.c.repository == repository.lower(), commits.c.branch == branch)
        query = select(commits.c.sha).where(*of_branch)
        with connected(self._engine) as connection:
            return frozenset(connection.scalars(query))
