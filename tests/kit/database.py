"""Migrated databases for tests: one that most tests roll back, and some that tests commit to or use a browser with."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError

from app.base.database.engine import make_engine
from app.base.database.migrate import upgrade
from app.base.postgres import EmbeddedPostgres
from app.rating.seats.assignment_view import kept_texts
from app.settings import folder
from tests.kit.postgres_fixture import create_database, drop_database

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


# Changes of the schema, which `_EMPTY` does not undo.
_SCHEMA = text("""
    SELECT (SELECT (count(*), max(xmin::text::bigint)) FROM pg_attribute)::text,
           (SELECT (count(*), max(xmin::text::bigint)) FROM pg_constraint)::text,
           (SELECT (count(*), max(xmin::text::bigint)) FROM pg_trigger)::text,
           (SELECT (count(*), max(xmin::text::bigint)) FROM pg_proc)::text,
           (SELECT count(*) FROM pg_class)
""")
_SESSIONS = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
_TABLES = text("""
    SELECT format('%I', relname) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version'
""")
_RESTART = text("""
    SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) FROM pg_sequences
    WHERE last_value IS NOT NULL
""")
# More deleted rows than this slow down what follows.
_MANY = 20_000


class EmptiedDatabases:
    """Databases that tests may commit to. One that a test leaves as it should is emptied and given to the next.

    With its open connections that takes a third of the processor time of a new copy.
    """

    def __init__(self, create: Callable[[], str], drop: Callable[[str], None]) -> None:
        """`create` makes a migrated database and returns its address; `drop` drops one."""
        self._create, self._drop = create, drop
        self._free: list[Engine] = []
        self._schema: object = None
        self._filled = text("")

    @contextmanager
    def one(self) -> Iterator[Engine]:
        """Yield an engine on an empty database."""
        engine = self._free.pop() if self._free else self._new()
        yield engine
        if self._is_emptied(engine):
            self._free.append(engine)
        else:
            self._end(engine)

    def stop(self) -> None:
        """Drop all."""
        while self._free:
            self._end(self._free.pop())

    def _new(self) -> Engine:
        engine = make_engine(self._create())
        if self._schema is None:
            with engine.begin() as db:
                self._schema = db.execute(_SCHEMA).one()
                names = db.execute(_TABLES).scalars()
                selects = (f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in names)  # noqa: S608 - ours
                self._filled = text(" UNION ALL ".join(selects))
        return engine

    def _is_emptied(self, engine: Engine) -> bool:
        """Empty the database; False if something else is connected to it, or it cannot be as before."""
        if engine.pool.checkedout():  # type: ignore[attr-defined]  # of a queue
            return False
        kept_texts.pop(engine.pool, None)
        n_deleted = 0
        try:
            with engine.begin() as db:
                db.execute(text("SET LOCAL lock_timeout = '1s'"))
                db.execute(text("SET LOCAL session_replication_role = replica"))
                if db.execute(_SESSIONS).scalar_one() != engine.pool.checkedin() + 1:  # type: ignore[attr-defined]
                    return False
                for name in db.execute(self._filled).scalars().all():
                    n_deleted += db.execute(text(f"DELETE FROM {name}")).rowcount  # noqa: S608 - ours
                db.execute(_RESTART)
                return n_deleted < _MANY and db.execute(_SCHEMA).one() == self._schema
        except DBAPIError:
            return False

    def _end(self, engine: Engine) -> None:
        engine.dispose()
        self._drop(str(engine.url.database))


@pytest.fixture(scope="session")
def emptied_databases(postgres: EmbeddedPostgres, migrated_template: str) -> Iterator[EmptiedDatabases]:
    """The databases of `engine`."""
    made = EmptiedDatabases(
        lambda: create_database(postgres, f"test_{uuid.uuid4().hex}", migrated_template),
        lambda name: drop_database(postgres, name),
    )
    yield made
    made.stop()


@pytest.fixture
def engine(emptied_databases: EmptiedDatabases) -> Iterator[Engine]:
    """Yield an engine on the test's own database, for commits, several connections or a server."""
    with emptied_databases.one() as own:
        yield own


@pytest.fixture
def unused_engine(new_database: Callable[[str | None], str], migrated_template: str) -> Iterator[Engine]:
    """Yield an engine on a new copy, for plans of queries: they depend on what the tables held before."""
    own = make_engine(new_database(migrated_template))
    yield own
    own.dispose()


def rows(engine: Engine, sql: str) -> list[Any]:
    """The rows of a query."""
    with engine.connect() as db:
        return list(db.execute(text(sql)))
