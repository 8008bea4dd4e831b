from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DataError, DBAPIError, OperationalError, ProgrammingError

from app.storage.database.hot_statement import HotStatement

if TYPE_CHECKING:
    from sqlalchemy import Engine

ECHO = HotStatement("SELECT CAST(:n AS integer) AS n, CAST(:said AS text) AS said, CAST(:hash AS bytea) AS hash")
VALUES = {"n": 3, "said": "it's 'here'", "hash": b"\x00\xff"}


def test_a_row_comes_back_as_it_was_sent(engine: Engine) -> None:
    with engine.begin() as db:
        assert ECHO.one_or_none(db, VALUES) == VALUES
        assert ECHO.one_or_none(db, {"n": None, "said": None, "hash": None}) == dict.fromkeys(VALUES)


def test_no_row_is_none(engine: Engine) -> None:
    with engine.begin() as db:
        assert HotStatement("SELECT 1 AS n WHERE CAST(:yes AS boolean)").one_or_none(db, {"yes": False}) is None


def test_it_belongs_to_the_transaction(engine: Engine) -> None:
    count = "SELECT count(*) FROM kept"
    with engine.begin() as db:
        db.execute(text("CREATE TABLE kept (n integer)"))
    write = HotStatement("INSERT INTO kept VALUES (:n) RETURNING n")
    with engine.connect() as db, db.begin() as transaction:
        write.one_or_none(db, {"n": 1})
        transaction.rollback()
    with engine.begin() as db:
        assert db.execute(text(count)).scalar_one() == 0
        write.one_or_none(db, {"n": 2})
    with engine.begin() as db:
        assert db.execute(text(count)).scalar_one() == 1


@pytest.mark.parametrize("begins_with_it", [True, False])
def test_it_is_prepared_again_after_psycopg_has_deallocated_everything(engine: Engine, *, begins_with_it: bool) -> None:
    with engine.connect() as db:
        with db.begin():
            ECHO.one_or_none(db, VALUES)
        with db.begin():
            for _ in range(3):
                db.execute(text("SELECT CAST(:n AS integer)"), {"n": 1})
            with db.begin_nested() as savepoint:
                savepoint.rollback()
            db.execute(text("SELECT 1"))
        assert (
            db.exec_driver_sql("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'attune%%'").scalar() == 0
        )
        db.rollback()
        with db.begin():
            if not begins_with_it:
                db.execute(text("SELECT 1"))
            assert ECHO.one_or_none(db, VALUES) == VALUES


def test_errors_are_those_of_other_statements(engine: Engine) -> None:
    with pytest.raises(ProgrammingError), engine.begin() as db:
        HotStatement("SELECT * FROM nowhere").one_or_none(db, {})
    with pytest.raises(DBAPIError) as found, engine.begin() as db:
        HotStatement("SELECT CAST(:said AS integer) AS n").one_or_none(db, {"said": "secret"})
    assert "secret" not in str(found.value).split("[SQL")[1]
    with engine.begin() as db:
        assert ECHO.one_or_none(db, VALUES) == VALUES


def test_a_text_with_a_nul_is_refused(engine: Engine) -> None:
    with pytest.raises(DataError), engine.begin() as db:
        ECHO.one_or_none(db, {**VALUES, "said": "a\0b"})


def test_a_connection_that_is_gone_is_replaced(engine: Engine) -> None:
    with engine.connect() as db:
        db.execute(text("SELECT 1"))
        with engine.connect() as other:
            pid = db.connection.dbapi_connection.info.backend_pid  # type: ignore[union-attr]
            other.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
        with pytest.raises(OperationalError):
            ECHO.one_or_none(db, VALUES)
        assert db.invalidated
    with engine.begin() as db:
        assert ECHO.one_or_none(db, VALUES) == VALUES
