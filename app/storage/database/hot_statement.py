"""Statements of the rating path, run by libpq without what SQLAlchemy and psycopg add to each execution.

SQLAlchemy describes the columns of every text statement anew, and psycopg's cursor writes the statement, asks for the
types of its values and waits in Python: together several times the work of sending a prepared statement and reading
one row. Errors are SQLAlchemy's, so that callers see no difference.
"""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import pq
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg.pq.abc import PGconn, PGresult
    from sqlalchemy import Connection

_NAME = re.compile(r"(?<!:):([a-z_]+)\b")
_numbers = count(1)
_PREPARED, _CHECKED = "hot_statements", "hot_transaction"
_ALL_PREPARED = b"SELECT name FROM pg_prepared_statements"
_BAD = frozenset({pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE, pq.ExecStatus.EMPTY_QUERY})


class HotStatement:
    """One statement with `:names`, which gives at most one row that is used. It is prepared once per connection."""

    def __init__(self, sql: str) -> None:
        """Number its parameters as PostgreSQL does. A literal with a colon before a letter is not allowed in it."""
        line = " ".join(sql.split())
        self.names = tuple(dict.fromkeys(_NAME.findall(line)))
        numbers = {name: f"${number}" for number, name in enumerate(self.names, start=1)}
        self.sql = _NAME.sub(lambda found: numbers[found[1]], line)
        self._columns: tuple[str, ...] = ()

    def one_or_none(self, db: Connection, values: Mapping[str, object]) -> dict[str, Any] | None:
        """The row, by the names of its columns."""
        connection: Any = db.connection.dbapi_connection
        try:
            result = self._run(db, connection.pgconn, [_as_text(values[name]) for name in self.names])
            return self._row(connection, result)
        except psycopg.Error as error:
            broken: Any = error
            if db.dialect.is_disconnect(broken, connection, None):
                db.invalidate(error)
            raise DBAPIError.instance(
                self.sql, None, error, psycopg.Error, hide_parameters=True, dialect=db.dialect
            ) from error

    def _run(self, db: Connection, pgconn: PGconn, values: list[Any]) -> PGresult:
        """Begin where nothing has begun, as psycopg would, and run; prepared again where it was deallocated."""
        if pgconn.transaction_status != pq.TransactionStatus.IDLE:
            _forget_deallocated(db, pgconn)
            return _good(pgconn, pgconn.exec_prepared(self._prepared(db, pgconn), values))
        _good(pgconn, pgconn.exec_(b"BEGIN"))
        db.connection.info[_CHECKED] = db.get_transaction()
        try:
            return _good(pgconn, pgconn.exec_prepared(self._prepared(db, pgconn), values))
        except psycopg.errors.InvalidSqlStatementName:
            db.connection.info.pop(_PREPARED)
            _good(pgconn, pgconn.exec_(b"ROLLBACK"))
            return self._run(db, pgconn, values)

    def _prepared(self, db: Connection, pgconn: PGconn) -> bytes:
        """The name of the statement on this connection, where it is prepared now if need be."""
        prepared: dict[HotStatement, bytes] = db.connection.info.setdefault(_PREPARED, {})
        if self not in prepared:
            name = f"attune_{next(_numbers)}".encode()
            _good(pgconn, pgconn.prepare(name, self.sql.encode()))
            prepared[self] = name
        return prepared[self]

    def _row(self, connection: psycopg.Connection[Any], result: PGresult) -> dict[str, Any] | None:
        if not result.ntuples:
            return None
        if not self._columns:
            names = (result.fname(n) or b"" for n in range(result.nfields))
            self._columns = tuple(name.decode() for name in names)
        loads = Transformer(connection)
        loads.set_pgresult(result)
        row = loads.load_row(0, tuple)
        return dict(zip(self._columns, row or (), strict=True))


def _forget_deallocated(db: Connection, pgconn: PGconn) -> None:
    """Once in a transaction that began otherwise: which statements are still prepared.

    psycopg deallocates all statements of a connection after a DROP, an ALTER or a rollback to a savepoint.
    """
    info = db.connection.info
    if info.get(_CHECKED) is db.get_transaction() or not info.get(_PREPARED):
        return
    result = _good(pgconn, pgconn.exec_(_ALL_PREPARED))
    names = {result.get_value(row, 0) for row in range(result.ntuples)}
    info[_PREPARED] = {statement: name for statement, name in info[_PREPARED].items() if name in names}
    info[_CHECKED] = db.get_transaction()


def _good(pgconn: PGconn, result: PGresult) -> PGresult:
    """The result.

    Raises:
        psycopg.Error: it is an error, of the class that a cursor would raise.
    """
    if result.status not in _BAD:
        return result
    if pgconn.status == pq.ConnStatus.BAD:
        raise psycopg.OperationalError(result.get_error_message())
    raise error_from_result(result)


def _as_text(value: object) -> bytes | None:
    """A value as PostgreSQL reads it.

    Raises:
        psycopg.DataError: a text with a NUL, at which libpq would end it.
    """
    if value is None:
        return None
    if isinstance(value, bytes):
        return b"\\x" + value.hex().encode()
    text = str(value).encode()
    if b"\0" in text:
        raise psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
    return text
