"""The database for a command: found or started, and brought to this version."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.settings import folder, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine


@contextmanager
def store() -> Iterator[Engine]:
    """An engine on the database that the settings name, migrated; disposed at the end."""
    from app.storage.engine import database_url, make_engine
    from app.storage.migrate import upgrade

    now = settings()
    engine = make_engine(database_url(now.database_url, now.data_dir), n_connections=2)
    try:
        upgrade(engine, folder("migrations"))
        yield engine
    finally:
        engine.dispose()
