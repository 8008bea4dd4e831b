"""Bring a database to this version of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import text

from app.storage.tables import metadata

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Engine

# Any number: two processes that start at once must not migrate at once.
_ADVISORY_LOCK = 7_142_063


def upgrade(engine: Engine, migrations: Path) -> None:
    """Run the migrations that the database has not seen yet.

    Args:
        engine: the database.
        migrations: the folder with env.py and versions/.
    """
    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _ADVISORY_LOCK})
        connection.commit()
        try:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        finally:
            connection.rollback()
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _ADVISORY_LOCK})
            connection.commit()


def differences(engine: Engine) -> list[object]:
    """What `alembic check` would find: where tables and migrations disagree."""
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        return list(compare_metadata(context, metadata))
