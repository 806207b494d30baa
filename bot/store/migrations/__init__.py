"""Migrations of the ledger, run by alembic; imported only when a database is behind."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def configuration(connection: Connection) -> Config:
    """Return alembic's configuration for these migrations on an open connection."""
    config = Config(attributes={"connection": connection})
    # ConfigParser would take a `%` in the path of an installation for the start of a variable.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def upgrade(connection: Connection) -> None:
    """Bring the database to the newest revision, inside the transaction that the caller began."""
    command.upgrade(configuration(connection), "head")
