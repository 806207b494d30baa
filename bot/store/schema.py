"""The tables of the ledger, and the revision of them that this code writes."""

from datetime import UTC, datetime

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Dialect,
    Integer,
    MetaData,
    String,
    Table,
    TypeDecorator,
    UniqueConstraint,
)

REVISION = "0003"
"""The newest migration; revisions are numbers of four digits, so that old code knows a newer database."""

VERSION_TABLE = "ledger_version"
"""Where the migrations note their revision; a name of our own, since a PostgreSQL database may be shared."""


class UtcDateTime(TypeDecorator[datetime]):
    """A moment, written as UTC and read back with its zone, which SQLite does not keep."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        return value and value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        return value and (value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC))


metadata = MetaData(
    naming_convention={"pk": "pk_%(table_name)s", "uq": "uq_%(table_name)s", "fk": "fk_%(table_name)s"}
)

tags_seen = Table(
    "tags_seen",
    metadata,
    Column("id", Integer, primary_key=True, comment="the order in which digests appeared"),
    Column("name", String, nullable=False),
    Column("tag", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("first_seen", UtcDateTime, nullable=False),
    UniqueConstraint("name", "tag", "digest"),
)

commits = Table(
    "commits",
    metadata,
    Column("repository", String, primary_key=True),
    Column("sha", String, primary_key=True),
    Column("branch", String, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)

comment_cursors = Table(
    "comment_cursors",
    metadata,
    Column("repository", String, primary_key=True),
    Column("read_until", UtcDateTime, nullable=False),
)

commands = Table(
    "commands",
    metadata,
    Column("repository", String, primary_key=True),
    Column("comment", BigInteger, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("verb", String, nullable=False),
    Column("author", BigInteger, nullable=False),
    Column("begun_at", UtcDateTime, nullable=False),
    Column("outcome", String, comment="what the answer says, empty until it is decided"),
    Column("aim", String, comment="on what the command is carried out, such as a run of CI"),
)

answers = Table(
    "answers",
    metadata,
    Column("repository", String, primary_key=True),
    Column("comment", BigInteger, primary_key=True),
    Column("answer", BigInteger, nullable=False),
    Column("answered_at", UtcDateTime, nullable=False),
)

pauses = Table(
    "pauses",
    metadata,
    Column("repository", String, primary_key=True),
    Column("paused_by", String, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("since", UtcDateTime, nullable=False),
)
