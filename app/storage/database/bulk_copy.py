"""Bulk transfer by COPY: rows of values to a table, and the rows of a query to bytes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from psycopg import sql
from psycopg.generators import copy_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import BinaryIO

    from psycopg import Cursor
    from psycopg.abc import PQGen
    from psycopg.pq.abc import PGconn
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


def copy_query(db: Connection, query: sql.Composable, file: BinaryIO) -> None:
    """Write the rows of a query as CSV with a header; NULL is an empty cell."""
    statement = sql.SQL("COPY ({}) TO STDOUT (FORMAT csv, HEADER)").format(query)
    with driver_cursor(db) as cursor, cursor.copy(statement):
        cursor.connection.wait(_received(cursor.connection.pgconn, file))


def _received(connection: PGconn, file: BinaryIO) -> PQGen[None]:
    """Write what the server sends. One wait for all rows takes half the processor time of a wait for each row."""
    while isinstance(data := (yield from copy_from(connection)), memoryview):
        file.write(data)


def copy_out(db: Connection, query: str, **values: int) -> io.BytesIO:
    """The rows of a query as CSV with a header; NULL is an empty cell.

    Args:
        db: the transaction.
        query: SQL with a `{name}` placeholder for each value.
        values: numbers, which are inserted into the query as literals because COPY takes no parameters.
    """
    literals: Mapping[str, Any] = {name: sql.Literal(value) for name, value in values.items()}
    found = io.BytesIO()
    copy_query(db, sql.SQL(query).format(**literals), found)
    found.seek(0)
    return found
