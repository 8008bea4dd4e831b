"""Statements that psycopg sends as they are."""

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from app.base.database.hot_statement import HotStatement


def test_parameters_are_numbered_by_name() -> None:
    statement = HotStatement("SELECT :a,\n :b + :a, 'x:y', CAST(:c AS text)")
    assert statement.sql == "SELECT $1, $2 + $1, 'x:y', CAST($3 AS text)"
    assert statement.parameters == ("a", "b", "c")


def test_comments_are_left_out() -> None:
    statement = HotStatement("-- A comment, with :nothing in it.\nSELECT :a -- and another\n, :b")
    assert (statement.sql, statement.parameters) == ("SELECT $1 , $2", ("a", "b"))


def test_long_statement_is_prepared_once(engine: Engine) -> None:
    statement = HotStatement(f"SELECT CAST(:n AS integer) + 1 AS n, '{'x' * 5000}' AS long")
    with engine.begin() as db:
        assert [(statement.one_or_none(db, {"n": n}) or {})["n"] for n in range(5)] == [1, 2, 3, 4, 5]
        found = db.exec_driver_sql("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%%xxxx%%'")
        assert found.scalar_one() == 1


def test_error_is_raised_as_sqlalchemy_does(engine: Engine) -> None:
    with pytest.raises(DBAPIError, match="division by zero"), engine.begin() as db:
        HotStatement("SELECT 1 / CAST(:n AS integer) AS n").one_or_none(db, {"n": 0})
