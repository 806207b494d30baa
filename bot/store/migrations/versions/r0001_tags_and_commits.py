"""The first tables: tags with the moment they were first seen, and the commits that the bot created."""

import sqlalchemy as sa
from alembic import op

from bot.store.schema import UtcDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "tags_seen",
        sa.Column("id", sa.Integer, nullable=False, comment="the order in which digests appeared"),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("tag", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("first_seen", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tags_seen"),
        sa.UniqueConstraint("name", "tag", "digest", name="uq_tags_seen"),
    )
    op.create_table(
        "commits",
        sa.Column("repository", sa.String, nullable=False),
        sa.Column("sha", sa.String, nullable=False),
        sa.Column("branch", sa.String, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("repository", "sha", name="pk_commits"),
    )
