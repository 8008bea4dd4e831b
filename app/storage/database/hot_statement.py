"""Statements of the rating path, run on psycopg without what SQLAlchemy adds to each execution.

SQLAlchemy describes the columns of every text statement anew: for the twenty columns of a rating page that takes four
times as long as the statement itself. Errors are SQLAlchemy's, so that callers see no difference.
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
    """One statement with `:names`, which gives at most one row that is used."""

    def __init__(self, sql: str) -> None:
        """Write it as psycopg takes it, in one line: it reads what is longer than 4,096 characters anew each time."""
        self.sql = str(text(" ".join(sql.split())).compile(dialect=PGDialect_psycopg()))  # type: ignore[no-untyped-call]

    def one_or_none(self, db: Connection, values: Mapping[str, object]) -> dict[str, Any] | None:
        """The row, by the names of its columns."""
        cursor = db.connection.cursor(row_factory=dict_row)
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
        finally:
            cursor.close()
        return row
