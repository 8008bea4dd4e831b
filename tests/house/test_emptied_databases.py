"""Databases that tests commit to are emptied and used again, unless a test has left something behind."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager

import psycopg
import pytest
from sqlalchemy import Engine, text

from tests.kit.builder import build_study, protocol_of
from tests.kit.database import EmptiedDatabases, rows
from tests.kit.postgres_fixture import libpq_url

Left = Callable[[Engine], AbstractContextManager[object]]


@contextmanager
def filled(engine: Engine) -> Iterator[None]:
    with engine.begin() as db:
        build_study(db, protocol_of())
    yield


@contextmanager
def other_schema(engine: Engine) -> Iterator[None]:
    with engine.begin() as db:
        db.execute(text("ALTER TABLE ratings ALTER COLUMN number DROP NOT NULL, ADD COLUMN more integer"))
    yield


@contextmanager
def connected(engine: Engine) -> Iterator[None]:
    with engine.connect() as db:
        yield
        db.invalidate()  # its pool is gone


def connected_elsewhere(engine: Engine) -> AbstractContextManager[object]:
    return closing(psycopg.connect(libpq_url(engine.url.render_as_string(hide_password=False))))


@pytest.mark.parametrize(
    ("left", "is_used_again"), [(filled, True), (other_schema, False), (connected, False), (connected_elsewhere, False)]
)
def test_database_is_used_again_only_if_it_can_be_emptied(
    emptied_databases: EmptiedDatabases,
    left: Callable[[Engine], AbstractContextManager[object]],
    *,
    is_used_again: bool,
) -> None:
    with emptied_databases.one() as engine:
        rest = left(engine)
        rest.__enter__()
    with emptied_databases.one() as other:
        assert (other.url == engine.url) is is_used_again
        assert rows(other, "SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM studies)") == [(0, 0)]
        with filled(other):
            assert rows(other, "SELECT id FROM studies") == [(1,)]
    rest.__exit__(None, None, None)
