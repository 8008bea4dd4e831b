"""Statements of the rating pages, run directly on psycopg without the overhead of SQLAlchemy.

For each execution of a text statement, SQLAlchemy inspects its result columns again; for the twenty columns of a rating
page this takes four times as long as the statement itself. Errors are raised as SQLAlchemy errors, so callers see no
difference.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import psycopg
from psycopg.raw_cursor import RawCursorMixin
from psycopg.rows import dict_row
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, NoResultFound

# `:name`, but not `::type`.
_PARAMETER = re.compile(r"(?<![:\w]):([a-z]\w*)")
# From `--` to the end of its line; no statement has it in a text.
_COMMENT = re.compile(r"--.*")


def sql_file(module: str, name: str) -> str:
    """The SQL of a file beside a module, given as `__file__`; it may have comments, which HotStatement leaves out."""
    return Path(module).with_name(name).read_text(encoding="utf-8")


class HotStatement:
    """One statement with `:name` parameters; it may have comments.

    psycopg sends it as it is: translating placeholders takes a third of the time of a save, and psycopg forgets the
    translation of statements above 4,096 characters.
    """

    def __init__(self, sql: str) -> None:
        """Number the parameters as PostgreSQL does."""
        one_line = " ".join(_COMMENT.sub("", sql).split())
        self.parameters = tuple(dict.fromkeys(_PARAMETER.findall(one_line)))
        self.sql = _PARAMETER.sub(lambda found: f"${self.parameters.index(found[1]) + 1}", one_line)
        self.sent = self.sql.encode()

    def one(self, db: Connection, values: Mapping[str, object]) -> dict[str, Any]:
        """The first row, which must be there."""
        row = self.one_or_none(db, values)
        if row is None:
            raise NoResultFound("No row was found when one was required")
        return row

    def one_or_none(self, db: Connection, values: Mapping[str, object]) -> dict[str, Any] | None:
        """The first row as a dictionary by column name, or None."""
        row: dict[str, Any] | None = self._fetch(db, values, "fetchone")
        return row

    def all(self, db: Connection, values: Mapping[str, object]) -> list[dict[str, Any]]:
        """All rows as dictionaries by column name."""
        rows: list[dict[str, Any]] = self._fetch(db, values, "fetchall")
        return rows

    def _fetch(self, db: Connection, values: Mapping[str, object], fetch: Literal["fetchone", "fetchall"]) -> Any:  # noqa: ANN401 - as psycopg
        """Run the statement.

        Each connection keeps one cursor per statement, which knows how to convert its parameters and columns.
        """
        cursors = db.info
        cursor: Any = cursors.get(self)
        if cursor is None:
            connection: Any = db.connection.dbapi_connection
            cursor = cursors[self] = _raw(connection.cursor_factory)(connection, row_factory=dict_row)
        try:
            cursor.execute(self.sent, [values[name] for name in self.parameters], prepare=True)
            return getattr(cursor, fetch)()
        except psycopg.Error as error:
            broken: Any = error
            if db.dialect.is_disconnect(broken, db.connection.dbapi_connection, cursor):
                db.invalidate(error)
            raise DBAPIError.instance(
                self.sql, None, error, psycopg.Error, hide_parameters=True, dialect=db.dialect
            ) from error


@cache
def _raw(cursor: type[psycopg.Cursor[Any]]) -> type[psycopg.Cursor[Any]]:
    """A connection's kind of cursor, such as one that writes traces, for statements with `$1` parameters."""
    return type(f"Raw{cursor.__name__}", (RawCursorMixin, cursor), {})
