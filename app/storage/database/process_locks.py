"""Locks for work that one process at a time may do. PostgreSQL releases them when the process ends, however it ends."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

_KEY = "hashtextextended(CAST(:work AS text), CAST(:of AS bigint))"
_LOCK = text(f"SELECT pg_try_advisory_lock({_KEY})")
_UNLOCK = text(f"SELECT pg_advisory_unlock({_KEY})")
# PostgreSQL shows a lock on one big number as its two halves.
_IS_LOCKED = text(f"""
    SELECT EXISTS (
      SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (CAST(classid AS bigint) << 32) | CAST(objid AS bigint) = {_KEY})
""")  # noqa: S608 - constants only


class LockedError(RuntimeError):
    """Another process holds the lock."""


@contextmanager
def only_process(engine: Engine, work: str, of: int) -> Iterator[None]:
    """Hold the lock for this kind of work on the row with this ID.

    Raises:
        LockedError: another process holds it.
    """
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as lock:
        if not lock.execute(_LOCK, {"work": work, "of": of}).scalar_one():
            raise LockedError
        try:
            yield
        finally:
            lock.execute(_UNLOCK, {"work": work, "of": of})


def is_locked(db: Connection, work: str, of: int) -> bool:
    """Whether a process holds the lock now."""
    return bool(db.execute(_IS_LOCKED, {"work": work, "of": of}).scalar_one())
