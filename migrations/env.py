"""Alembic's connection to the database: the one that was passed in, or the one in the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alembic import context
from sqlalchemy import create_engine, text

from app.base.database.engine import database_url
from app.schema import is_ours, metadata
from app.settings import settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

# A migration that waits for a lock blocks all raters queued behind it: better to fail and try again.
LOCK_TIMEOUT = "5s"
STATEMENT_TIMEOUT = "10min"


def migrate(connection: Connection) -> None:
    """Run the migrations on this connection, in one transaction."""
    connection.execute(text(f"SET lock_timeout = '{LOCK_TIMEOUT}'"))
    connection.execute(text(f"SET statement_timeout = '{STATEMENT_TIMEOUT}'"))
    connection.commit()
    context.configure(
        connection=connection, target_metadata=metadata, compare_server_default=True, include_name=is_ours
    )
    with context.begin_transaction():
        context.run_migrations()


def _url() -> str:
    return database_url(settings().database_url, settings().data_dir)


handed_over = context.config.attributes.get("connection")
if handed_over is not None:
    migrate(handed_over)
else:
    engine = create_engine(_url())
    with engine.connect() as own:
        migrate(own)
    engine.dispose()
