"""Statements of the rating pages, run directly on psycopg without the overhead of SQLAlchemy.

For each execution of a text statement, SQLAlchemy inspects its result columns again; for the twenty columns of a rating
page this takes four times as long as the statement itself. Errors are raised as SQLAlchemy errors, so callers see no
difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.rows import dict_row
from sqlalchemy import text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection


class HotStatement:
    """One statement with `:name` parameters, of whose result at most one row is used."""

    def __init__(self, sql: str) -> None:
        """Compile the statement for psycopg, on one line because psycopg caches only up to 4,096 characters."""
        self.sql = str(text(" ".join(sql.split())).compile(dialect=PGDialect_psycopg()))  # type: ignore[no-untyped-call]

    def one_or_none(self, db: Connection, values: Mapping[str, object]) -> dict[str, Any] | None:
        """The first row as a dictionary by column name, or None.

        Each connection keeps one cursor per statement, which knows how to convert its parameters and columns.
        """
        cursors = db.info
        cursor = cursors.get(self)
        if cursor is None:
            cursor = cursors[self] = db.connection.cursor(row_factory=dict_row)
        try:
            cursor.execute(self.sql, values)
            row: dict[str, Any] | None = cursor.fetchone()
        except psycopg.Error as error:
            broken: Any = error
            if db.dialect.is_disconnect(broken, db.connection.dbapi_connection, cursor):
                db.invalidate(error)
            raise DBAPIError.instance(
                self.sql, None, error, psycopg.Error, hide_parameters=True, dialect=db.dialect
            ) from error
        return row
