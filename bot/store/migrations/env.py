"""Alembic runs this file for each of its commands; the connection comes from `bot.store.migrations`."""

from alembic import context

from bot.store.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
