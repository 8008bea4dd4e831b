"""The driver's own cursor, and many rows at once by COPY."""

from collections.abc import Iterable, Sequence
from typing import Any

from psycopg import Cursor, sql
from sqlalchemy import Connection


def driver_cursor(db: Connection) -> Cursor[Any]:
    """Return a psycopg cursor on the same connection, inside the same transaction."""
    driver = db.connection.driver_connection
    if driver is None:
        raise RuntimeError("the connection is closed")
    cursor: Cursor[Any] = driver.cursor()
    return cursor


def copy_rows(db: Connection, table: str, rows: Iterable[Sequence[object]]) -> None:
    """Append rows of Python values to the table; each row has a value for every column, in order."""
    statement = sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))
    with driver_cursor(db) as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
