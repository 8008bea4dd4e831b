"""The engine: which database, how many connections, and how a transaction begins and ends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from sqlalchemy import Connection, create_engine, text

from app.postgres import EmbeddedPostgres, default_data_dir
from app.storage.database.address import parse_address
from app.storage.database.idle_connections import ask_idle_connections

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Engine

# The layers above name Connection and know nothing else of the database library.
__all__ = ["TO_SPARE", "Begin", "Connection", "database_url", "is_alive", "make_engine", "transactions"]


# Connections beyond one for each thread, for handlers that begin and end transactions by themselves.
TO_SPARE = 4
# How long to wait for a connection, in seconds.
CONNECT_S = 5


def database_url(named: str | None, data_dir: Path | None) -> str:
    """The database that the settings name; unset, the embedded PostgreSQL, started if need be.

    Args:
        named: DATABASE_URL, any `postgres://` or `postgresql://` address.
        data_dir: the folder of the embedded store; None for the usual one.

    Raises:
        app.storage.database.address.DatabaseAddressError: DATABASE_URL is not the address of a PostgreSQL database.
        app.postgres.EmbeddedError: the embedded PostgreSQL cannot be started.
    """
    if named:
        return parse_address(named)
    return EmbeddedPostgres(data_dir or default_data_dir()).start()


def make_engine(url: str, *, n_connections: int = 16, statement_s: int = 0) -> Engine:
    """An engine whose pool has a connection for each thread that may ask for one.

    Generic plans: planning the rating path's joins anew costs more than running them.

    Args:
        url: of the database.
        n_connections: how many are kept.
        statement_s: how long a statement may take, and a third of it how long it may wait for a lock; 0 for any time.
    """
    limits = f" -c statement_timeout={statement_s}s -c lock_timeout={statement_s * 1000 // 3}ms" if statement_s else ""
    engine = create_engine(
        url,
        pool_size=n_connections,
        max_overflow=TO_SPARE,
        pool_recycle=1800,
        pool_timeout=CONNECT_S,
        # What a statement was given, such as an answer or a platform's id, must not reach a log.
        hide_parameters=True,
        connect_args={
            "options": "-c plan_cache_mode=force_generic_plan -c timezone=UTC"
            " -c idle_in_transaction_session_timeout=60s" + limits,
            "prepare_threshold": 1,
            "application_name": "attune",
            "connect_timeout": CONNECT_S,
        },
    )
    ask_idle_connections(engine)
    return engine


Begin = Callable[[], AbstractContextManager[Connection]]


def transactions(engine: Engine) -> Begin:
    """What the web layer needs of the store: `with begin() as db:` commits at the end, or rolls back on an error."""
    return engine.begin


def is_alive(db: Connection) -> bool:
    """Whether the database answers."""
    return bool(db.execute(text("SELECT 1")).scalar_one())
