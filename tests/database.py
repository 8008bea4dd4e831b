"""A migrated database for tests: rolled back after most, a copy of its own for those that commit or use a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from app.settings import folder
from app.storage.database.engine import make_engine
from app.storage.database.migrate import upgrade
from tests.postgres_fixture import create_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection, Engine

    from app.postgres import EmbeddedPostgres

TEMPLATE = "attune_template"


@pytest.fixture(scope="session")
def migrated_template(postgres: EmbeddedPostgres) -> str:
    """The name of a database that Alembic brought to head; it is only ever copied."""
    engine = create_engine(create_database(postgres, TEMPLATE))
    upgrade(engine, folder("migrations"))
    engine.dispose()
    return TEMPLATE


@pytest.fixture(scope="session")
def shared_engine(postgres: EmbeddedPostgres, migrated_template: str) -> Iterator[Engine]:
    """One database for all tests that roll back."""
    engine = make_engine(create_database(postgres, "attune_shared", migrated_template), n_connections=2)
    yield engine
    engine.dispose()


@pytest.fixture
def db(shared_engine: Engine) -> Iterator[Connection]:
    """A connection whose every change is undone after the test."""
    with shared_engine.connect() as connection:
        transaction = connection.begin()
        # The transaction lasts as long as the test, and a busy machine may take its time between two statements.
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        yield connection
        transaction.rollback()


@pytest.fixture
def engine(new_database: Callable[[str | None], str], migrated_template: str) -> Iterator[Engine]:
    """A database of the test's own, for commits, several connections or a server."""
    own = make_engine(new_database(migrated_template))
    yield own
    own.dispose()
