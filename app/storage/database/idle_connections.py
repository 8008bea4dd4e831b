"""Connections that were idle are asked whether they still live before they are used.

SQLAlchemy's own `pool_pre_ping` asks each time, which is one more round trip for each request of a busy server.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from sqlalchemy import event
from sqlalchemy.exc import DisconnectionError

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

# Whatever breaks within this time is met by a statement, and the request is answered with "try again".
IDLE_S = 1.0


def ask_idle_connections(engine: Engine) -> None:
    """Replace each connection that does not answer when it is taken from the pool after some time."""

    @event.listens_for(engine, "checkin")
    def note_time(_: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
        entry.info["idle_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def ask(connection: DBAPIConnection, entry: ConnectionPoolEntry, _: Any) -> None:  # noqa: ANN401 - private to the pool
        if time.monotonic() - entry.info.get("idle_since", 0.0) < IDLE_S:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error
