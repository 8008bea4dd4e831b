"""The number of connections that the database allows, compared with what the web processes may open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.database.engine import TO_SPARE, hot_share

if TYPE_CHECKING:
    from sqlalchemy import Connection

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
    return n_threads + TO_SPARE + hot_share(n_threads)
