"""How many connections the database has for us, held against how many the web processes may open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.database.engine import TO_SPARE

if TYPE_CHECKING:
    from sqlalchemy import Connection

# For commands beside the web processes: backup, export, a look with psql.
FOR_COMMANDS = 4
_AVAILABLE = text("""
    SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0)
""")


def count_connections(db: Connection) -> int:
    """How many connections the database allows to ordinary roles, ours and those of others."""
    return int(db.execute(_AVAILABLE).scalar_one())


def connections_needed(workers: int, n_threads: int) -> int:
    """How many connections so many web processes open at most, with a few for commands beside them."""
    return workers * (n_threads + TO_SPARE) + FOR_COMMANDS


def max_workers(n_available: int, n_threads: int) -> int:
    """How many web processes the database has connections for; 0 where not even one."""
    return max(0, (n_available - FOR_COMMANDS) // (n_threads + TO_SPARE))
