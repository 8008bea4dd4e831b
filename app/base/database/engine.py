"""The engine: address, number of connections, and transactions."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from app.base.database.address import CONNECT_S, SERVER_TIMEOUTS, client_timeouts, parse_address
from app.base.postgres import EmbeddedPostgres, default_data_dir

# Connections that were idle are tested before they are used again.
#
# SQLAlchemy's own `pool_pre_ping` tests them each time, which adds a round trip to each request of a busy server.

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


# Plans that PostgreSQL made while tables were small are made again when they may have grown.
#
# A connection keeps the plan of each statement, and of each check of a foreign key. PostgreSQL makes it for the table's
# size at that time: while a table has up to a page of rows, reading all of it costs as much as any index, and so does
# an index of which only `study_id` can be used. Kept, such a plan reads every rater's answers for each request, until
# autovacuum notices that the table has grown, which takes a minute or two.

# How often a connection was used when its plans are made again for the first time.
FIRST_RENEWAL = 16
DISCARD = "DISCARD PLANS"


def is_renewal_due(n_uses: int) -> bool:
    """Whether a connection that is used for this time discards its plans: each time that `n_uses` has doubled."""
    return n_uses >= FIRST_RENEWAL and not n_uses & (n_uses - 1)


def renew_plans(engine: Engine) -> None:
    """Discard the plans of a connection whenever it was used twice as often as when they were made.

    Tables grow by a few rows per use, so a plan for a small table is gone before the table is large. The plans of all
    statements take about 20 ms, and are made again ten times in 10,000 uses.
    """

    @event.listens_for(engine, "checkout")
    def renew(connection: DBAPIConnection, entry: ConnectionPoolEntry, _: Any) -> None:  # noqa: ANN401 - private to the pool
        n_uses = entry.info["n_uses"] = entry.info.get("n_uses", 0) + 1
        if not is_renewal_due(n_uses):
            return
        driver: Any = connection
        try:
            driver.execute(DISCARD)
            driver.commit()  # a rollback would make psycopg forget its prepared statements
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error


# The layers above use Connection and nothing else from the database library.
__all__ = [
    "SPARE_CONNECTIONS",
    "Begin",
    "Connection",
    "database_url",
    "hot_share",
    "is_alive",
    "make_engine",
    "on_database",
    "transactions",
]


# Connections in addition to one per thread, for handlers that manage their own transactions.
SPARE_CONNECTIONS = 4


def hot_share(n_threads: int) -> int:
    """How many saves and submits are handled at once."""
    return n_threads // 4 or 1


def database_url(named: str | None, data_dir: Path | None) -> str:
    """The URL of the database in the settings or, if unset, of the embedded PostgreSQL, which is started if needed.

    Args:
        named: DATABASE_URL, any `postgres://` or `postgresql://` address.
        data_dir: the folder of the embedded database; None for the default folder.

    Raises:
        app.base.database.address.DatabaseAddressError: DATABASE_URL is not the address of a PostgreSQL database.
        app.base.postgres.EmbeddedError: the embedded PostgreSQL cannot be started.
    """
    if named:
        return parse_address(named)
    return EmbeddedPostgres(data_dir or default_data_dir()).start()


def make_engine(url: str, *, n_connections: int = 16, statement_s: int = 0) -> Engine:
    """Create an engine whose pool has a connection for each thread that may need one.

    Plans are generic, because planning the joins of the rating pages takes longer than running them. Random reads cost
    little, because the tables of raters are in memory: at PostgreSQL's default of 4, a plan made with a hundred raters
    reads all of them for each request, until the plan is made again.

    Args:
        url: URL of the database.
        n_connections: number of connections kept in the pool.
        statement_s: timeout for a statement, in seconds; the timeout for a lock is a third of it. 0 for no limit.
    """
    engine = create_engine(
        url,
        pool_size=n_connections,
        max_overflow=SPARE_CONNECTIONS,
        # The connection used last: each has its own caches in PostgreSQL, and a few busy ones stay in the processor's.
        pool_use_lifo=True,
        pool_recycle=1800,
        pool_timeout=CONNECT_S,
        # Parameters of statements, such as answers or platform IDs, must not appear in logs.
        hide_parameters=True,
        connect_args=_connect_args(url, statement_s),
    )
    ask_idle_connections(engine)
    renew_plans(engine)
    return engine


def _connect_args(url: str, statement_s: int) -> dict[str, Any]:
    limits = f" -c statement_timeout={statement_s}s -c lock_timeout={statement_s * 1000 // 3}ms" if statement_s else ""
    return {
        "options": "-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1 -c timezone=UTC"
        f" -c idle_in_transaction_session_timeout=60s {SERVER_TIMEOUTS}{limits}",
        "prepare_threshold": 1,
        "application_name": "attune",
        **client_timeouts(make_url(url).query),
    }


Begin = Callable[[], AbstractContextManager[Connection]]


def transactions(engine: Engine) -> Begin:
    """The function that opens transactions: `with begin() as db:` commits at the end, or rolls back on an error."""
    return engine.begin


@contextmanager
def on_database(url: str) -> Iterator[Begin]:
    """The function that opens transactions on this database, for one piece of work in a side process."""
    engine = make_engine(url, n_connections=1)
    try:
        yield transactions(engine)
    finally:
        engine.dispose()


def is_alive(db: Connection) -> bool:
    """Whether the database responds."""
    return bool(db.execute(text("SELECT 1")).scalar_one())


# The number of connections that the database allows, compared with what the web processes may open.

# Reserved for commands other than the web processes: backup, export, psql.
FOR_COMMANDS = 4
_AVAILABLE = text("""
    SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0)
""")


def count_connections(db: Connection) -> int:
    """Number of connections that the database allows for ordinary roles, including those of other programs."""
    return int(db.execute(_AVAILABLE).scalar_one())


def connections_needed(workers: int, n_threads: int) -> int:
    """Maximum number of connections that the web processes open, plus a few for commands."""
    return workers * _per_worker(n_threads) + FOR_COMMANDS


def max_workers(n_available: int, n_threads: int) -> int:
    """Maximum number of web processes that the database has connections for; 0 if there are too few for one."""
    return max(0, (n_available - FOR_COMMANDS) // _per_worker(n_threads))


def _per_worker(n_threads: int) -> int:
    return n_threads + SPARE_CONNECTIONS
