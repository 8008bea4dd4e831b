"""Migrate a database to the schema of this version of the program.

Alembic is imported only where something is migrated: it takes 10 MB and a sixth of a second of each web process.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

if TYPE_CHECKING:
    from alembic.config import Config

# An arbitrary key: two processes that start at the same time must not migrate at the same time.
_ADVISORY_LOCK = 7_142_063


class UnknownSchemaError(Exception):
    """The tables of the database are from another version of Attune."""

    def __init__(self, revision: str) -> None:
        """Say which schema was found, and what to do."""
        super().__init__(
            f"The tables of this database are from another version of Attune (schema {revision}), which this version "
            "cannot upgrade. Use that version, or choose another folder with ATTUNE_DATA_DIR or another DATABASE_URL."
        )


def upgrade(engine: Engine, migrations: Path) -> None:
    """Run the migrations that have not been applied yet.

    Args:
        engine: the database.
        migrations: the folder with env.py and versions/.

    Raises:
        UnknownSchemaError: the tables are from a version of Attune that this one does not know.
    """
    with engine.connect() as connection:
        if has_all_migrations(connection, migrations):
            return
        if unknown := _applied(connection) - _revisions(migrations)["revision"]:
            raise UnknownSchemaError(", ".join(sorted(unknown)))
    from alembic import command

    config = alembic_config(migrations)
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


def alembic_config(migrations: Path) -> Config:
    """Settings of Alembic; the modules that a migration imports are in packages beside it."""
    from alembic.config import Config

    config = Config()
    for name, value in (("script_location", migrations), ("prepend_sys_path", migrations / "versions")):
        config.set_main_option(name, str(value).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    return config


def has_all_migrations(db: Connection, migrations: Path) -> bool:
    """Whether all migrations have been applied."""
    names = _revisions(migrations)
    return _applied(db) == names["revision"] - names["down_revision"]


def _revisions(migrations: Path) -> dict[str, set[str]]:
    """The names of all migrations, and of those that another one follows."""
    names: dict[str, set[str]] = {"revision": set(), "down_revision": set()}
    for path in (migrations / "versions").glob("*.py"):
        for name, value in re.findall(r'^(revision|down_revision) = "([^"]+)"', path.read_text("utf-8"), re.MULTILINE):
            names[name].add(value)
    return names


def _applied(db: Connection) -> set[str]:
    """The last migrations that were applied to this database; empty for a database without tables."""
    if not inspect(db).has_table("alembic_version"):
        return set()
    return set(db.execute(text("SELECT version_num FROM alembic_version")).scalars())
