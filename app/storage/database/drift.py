"""Whether the tables of this program are those of the migrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.storage.tables import metadata

if TYPE_CHECKING:
    from sqlalchemy import Engine


def differences(engine: Engine) -> list[object]:
    """The differences between tables and migrations that `alembic check` would report."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        return list(compare_metadata(context, metadata))
