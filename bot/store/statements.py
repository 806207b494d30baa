"""What statements share: a connection whose failures are explained, a row that may be there already."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import Connection, Engine, Table
from sqlalchemy.exc import DBAPIError, IntegrityError

from bot.core.errors import ServiceError


@contextmanager
def connected(engine: Engine) -> Iterator[Connection]:
    """Yield a connection; a database that fails meanwhile raises ServiceError."""
    try:
        with engine.connect() as connection:
            yield connection
    except DBAPIError as error:
        raise ServiceError(
            f"the ledger `{engine.url.database}` failed: {error.orig}",
            hint="check that its folder has room and that you may write there, then run it again",
        ) from error


def add(connection: Connection, table: Table, row: dict[str, object]) -> None:
    """Insert a row, unless another process was faster: a row that is there already stays."""
    with suppress(IntegrityError):
        connection.execute(table.insert().values(row))
