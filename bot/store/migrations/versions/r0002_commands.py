"""Commands of comments: up to where they were read, how far each one got, and which comment answers them."""

import sqlalchemy as sa
from alembic import op

from bot.store.schema import UtcDateTime

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "comment_cursors",
        sa.Column("repository", sa.String, nullable=False),
        sa.Column("read_until", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("repository", name="pk_comment_cursors"),
    )
    op.create_table(
        "commands",
        sa.Column("repository", sa.String, nullable=False),
        sa.Column("comment", sa.BigInteger, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("verb", sa.String, nullable=False),
        sa.Column("author", sa.BigInteger, nullable=False),
        sa.Column("begun_at", UtcDateTime, nullable=False),
        sa.Column("outcome", sa.String, comment="what the answer says, empty until it is decided"),
        sa.PrimaryKeyConstraint("repository", "comment", "position", name="pk_commands"),
    )
    op.create_table(
        "answers",
        sa.Column("repository", sa.String, nullable=False),
        sa.Column("comment", sa.BigInteger, nullable=False),
        sa.Column("answer", sa.BigInteger, nullable=False),
        sa.Column("answered_at", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("repository", "comment", name="pk_answers"),
    )
