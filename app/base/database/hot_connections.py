"""Connections for the statements that raters cause most often, sent from the event loop without a thread.

Each statement is a transaction of its own: one message to PostgreSQL and one back, where a transaction of two
statements takes four of each.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.raw_cursor import AsyncRawCursor
from psycopg.rows import dict_row

from app.base.database.hot_statement import DISCARD, HotStatement, is_renewal_due

log = logging.getLogger("attune.store")


class HotConnections:
    """As many connections as statements are run at once, opened when they are first needed."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        """`arguments` are those of psycopg's `connect`."""
        self._arguments = arguments
        # The one used last is used next: its caches in PostgreSQL are still in those of the processor.
        self._idle: list[_Connection] = []
        # Given a statement, what happens around it, such as a trace.
        self.around: Callable[[str], AbstractContextManager[object]] = nullcontext

    async def one_or_none(self, statement: HotStatement, values: Mapping[str, object]) -> dict[str, Any] | None:
        """The first row as a dictionary by column name; None if there is none, or if the statement failed.

        A statement that failed has changed nothing, unless the connection broke before its result arrived. Callers then
        do the same in a transaction, where errors are reported.
        """
        connection = None
        try:
            connection = self._idle.pop() if self._idle else await _Connection.open(self._arguments)
            with self.around(statement.sql):
                return await connection.one_or_none(statement, values)
        except psycopg.Error as error:
            log.info("a statement is done again in a transaction: %s", type(error).__name__)
            return None
        finally:
            if connection is not None:
                self._put_back(connection)

    def _put_back(self, connection: _Connection) -> None:
        """Keep a connection, unless it is broken or still waits for the result of a request that was given up."""
        if connection.is_idle:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Close the connections that are not in use."""
        while self._idle:
            self._idle.pop().close()

    def __del__(self) -> None:
        """Close them when the application is gone."""
        self.close()


class _Connection:
    """A connection, with a cursor per statement, which knows how to convert its parameters and columns."""

    def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
        self._connection = connection
        self._cursors: dict[HotStatement, AsyncRawCursor[dict[str, Any]]] = {}
        self._n_uses = 0

    @classmethod
    async def open(cls, arguments: Mapping[str, Any]) -> _Connection:
        return cls(await psycopg.AsyncConnection.connect(autocommit=True, **arguments))

    async def one_or_none(self, statement: HotStatement, values: Mapping[str, object]) -> dict[str, Any] | None:
        self._n_uses += 1
        if is_renewal_due(self._n_uses):
            await self._connection.execute(DISCARD)
        cursor = self._cursors.get(statement)
        if cursor is None:
            cursor = self._cursors[statement] = AsyncRawCursor(self._connection, row_factory=dict_row)
        await cursor.execute(statement.sent, [values[name] for name in statement.parameters])
        return await cursor.fetchone()

    @property
    def is_idle(self) -> bool:
        return self._connection.pgconn.transaction_status == TransactionStatus.IDLE

    def close(self) -> None:
        self._connection.pgconn.finish()
