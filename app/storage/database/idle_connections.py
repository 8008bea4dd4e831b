"""Connections that were idle are tested before they are used again.

SQLAlchemy's own `pool_pre_ping` tests them each time, which adds a round trip to each request of a busy server.
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

# A connection that fails within this time causes an error in a statement, and the user is asked to try again.
IDLE_S = 1.0


def ask_idle_connections(engine: Engine) -> None:
    """Replace connections that do not respond when they are taken from the pool after being idle."""

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
