"""On what a command is carried out, and the repositories in which the bot does nothing for now."""

import sqlalchemy as sa
from alembic import op

from bot.store.schema import UtcDateTime

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column(
        "commands",
        sa.Column("aim", sa.String, comment="on what the command is carried out, such as a run of CI"),
    )
    op.create_table(
        "pauses",
        sa.Column("repository", sa.String, nullable=False),
        sa.Column("paused_by", sa.String, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("since", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("repository", name="pk_pauses"),
    )
