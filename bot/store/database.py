"""Opens the database of the ledger: finds or makes the file, and brings its tables up to date."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, column, create_engine, event, inspect, select, table
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from bot.core.errors import UsageError
from bot.store.schema import REVISION, VERSION_TABLE

_BUSY_SECONDS = 30.0


def open_database(url: str) -> Engine:
    """Return an engine on the database at `url`, its tables made or migrated.

    Every statement commits by itself: what a call reported as recorded outlives the process.

    Raises UsageError when the URL or the file cannot be used, when the file holds something else,
    and when a newer version of the bot wrote it.
    """
    file = _sqlite_file(url)
    _make_folder(file)
    engine = create_engine(
        URL.create("sqlite", database=str(file)),
        isolation_level="AUTOCOMMIT",
        connect_args={"timeout": _BUSY_SECONDS},
    )
    event.listen(engine, "connect", _enforce_foreign_keys)
    try:
        with _usable(file), engine.connect() as connection:
            if _revision(connection, file) != REVISION:
                _migrate(connection, file)
            _use_write_ahead_log(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _sqlite_file(url: str) -> Path:
    try:
        parsed = make_url(url)
    except ArgumentError:
        # The URL itself stays out of the message: it may hold a password.
        raise UsageError(
            "the database URL cannot be understood", hint="write it as `sqlite:////folder/ledger.sqlite3`"
        ) from None
    if parsed.drivername not in {"sqlite", "sqlite+pysqlite"}:
        raise UsageError(
            f"a database of the kind `{parsed.drivername}` is not supported",
            hint="use `sqlite:////folder/ledger.sqlite3`",
        )
    file = Path(parsed.database or "")
    if not file.is_absolute():
        # A ledger that changes with the current folder would forget the bot's own commits.
        raise UsageError(
            f"the database `{file}` is not an absolute path",
            hint="use four slashes: `sqlite:////folder/ledger.sqlite3`",
        )
    return file


def _make_folder(file: Path) -> None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the folder of the ledger `{file}` cannot be made: {error.strerror}",
            hint="set BOT_DATABASE_URL to a file in a folder of yours",
        ) from error


@contextmanager
def _usable(file: Path) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise UsageError(
            f"the ledger `{file}` cannot be used: {error.orig}",
            hint="set BOT_DATABASE_URL to a SQLite file that you may write, or to a new one",
        ) from error


def _enforce_foreign_keys(connection: DBAPIConnection, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _use_write_ahead_log(connection: Connection) -> None:
    # The file remembers the mode. SQLite does not wait for a lock here; one process that switches is enough.
    with suppress(OperationalError):
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")


def _revision(connection: Connection, file: Path) -> str | None:
    """Return the revision of the database, None for an empty one."""
    tables = inspect(connection).get_table_names()
    if VERSION_TABLE in tables:
        revision = connection.scalar(select(column("version_num")).select_from(table(VERSION_TABLE)))
        return _known(str(revision), file)
    if tables:
        raise UsageError(
            f"`{file}` is a database of another program: it has no table `{VERSION_TABLE}`",
            hint="set BOT_DATABASE_URL to a file of its own",
        )
    return None


def _known(revision: str, file: Path) -> str:
    if revision > REVISION:
        raise UsageError(
            f"the ledger `{file}` has revision `{revision}`, this version of the bot knows `{REVISION}`",
            hint="a newer bot wrote it: update this one, or give it another BOT_DATABASE_URL",
        )
    return revision


def _migrate(connection: Connection, file: Path) -> None:
    # Imported only when there is something to migrate: alembic takes longer to load than most commands run.
    from bot.store.migrations import upgrade  # noqa: PLC0415 - see above

    # The write lock first, then a second look: of two processes on a new file one migrates, one waits.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        if _revision(connection, file) != REVISION:
            upgrade(connection)
        connection.exec_driver_sql("COMMIT")
    except BaseException:
        # A full disk may have ended the transaction already.
        with suppress(OperationalError):
            connection.exec_driver_sql("ROLLBACK")
        raise
