"""The database for a command: found or started, and brought to this version."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.cli.output import fail
from app.settings import folder, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine


@contextmanager
def store() -> Iterator[Engine]:
    """An engine on the database that the settings name, migrated; disposed at the end."""
    from app.storage.database.engine import make_engine
    from app.storage.database.migrate import upgrade

    engine = make_engine(named_database(), n_connections=2)
    try:
        upgrade(engine, folder("migrations"))
        yield engine
    finally:
        engine.dispose()


def named_database() -> str:
    """The address of the database that the settings name; the embedded one is started if need be."""
    from app.postgres import EmbeddedError
    from app.storage.database.engine import database_url

    try:
        return database_url(settings().database_url, settings().data_dir)
    except EmbeddedError as error:
        fail(str(error))
