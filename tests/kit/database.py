"""Migrated databases for tests: one that most tests roll back, and copies for tests that commit or use a browser."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, text

from app.base.database.engine import make_engine
from app.base.database.migrate import upgrade
from app.base.postgres import EmbeddedPostgres
from app.settings import folder
from tests.kit.postgres_fixture import create_database

TEMPLATE = "attune_template"


@pytest.fixture(scope="session")
def migrated_template(postgres: EmbeddedPostgres) -> str:
    """Return the name of a database migrated to head; it is only copied, never used directly.

    Its first connection writes what the server knows of its tables to a file, which is copied too. Without it, the
    first connection to each copy would take as much processor time as the copy.
    """
    engine = create_engine(create_database(postgres, TEMPLATE))
    upgrade(engine, folder("migrations"))
    engine.dispose()
    engine.connect().close()
    engine.dispose()
    return TEMPLATE


@pytest.fixture(scope="session")
def shared_engine(postgres: EmbeddedPostgres, migrated_template: str) -> Iterator[Engine]:
    """Yield an engine on one database for all tests that roll back."""
    engine = make_engine(create_database(postgres, "attune_shared", migrated_template), n_connections=2)
    yield engine
    engine.dispose()


@contextmanager
def rolled_back(engine: Engine) -> Iterator[Connection]:
    """Yield a connection whose changes are all rolled back at the end."""
    with engine.connect() as connection:
        transaction = connection.begin()
        # The transaction lasts as long as the test, and on a busy machine much time can pass between two statements.
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        yield connection
        transaction.rollback()


@pytest.fixture
def db(shared_engine: Engine) -> Iterator[Connection]:
    """Yield a connection whose changes are all rolled back after the test."""
    with rolled_back(shared_engine) as connection:
        yield connection


@pytest.fixture
def engine(new_database: Callable[[str | None], str], migrated_template: str) -> Iterator[Engine]:
    """Yield an engine on the test's own database, for commits, several connections or a server."""
    own = make_engine(new_database(migrated_template))
    yield own
    own.dispose()


def rows(engine: Engine, sql: str) -> list[Any]:
    """The rows of a query."""
    with engine.connect() as db:
        return list(db.execute(text(sql)))
