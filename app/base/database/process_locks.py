"""Locks between processes. PostgreSQL releases them when the process ends, however it ends."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, text

from app.base.database.outages import OUTAGES

_KEY = "hashtextextended(CAST(:work AS text), CAST(:of AS bigint))"
_LOCK = text(f"SELECT pg_try_advisory_lock({_KEY})")
_UNLOCK = text(f"SELECT pg_advisory_unlock({_KEY})")
_LOCK_UNTIL_COMMIT = text(f"SELECT pg_advisory_xact_lock({_KEY})")
# PostgreSQL shows a lock on one big number as its two halves. The name of a session is known while the session is.
_HOLDER = text(f"""
    SELECT coalesce(a.application_name, '') FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (CAST(l.classid AS bigint) << 32) | CAST(l.objid AS bigint) = {_KEY}
""")  # noqa: S608 - constants only
_NAME = text("SELECT set_config('application_name', :name, false)")


class LockedError(RuntimeError):
    """Another process holds the lock."""


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock that this process holds."""

    _connection: Connection

    def say(self, note: str) -> None:
        """Tell others, in ASCII and at most 50 characters, how far the work is; see `get_note`."""
        with suppress(*OUTAGES):
            if not self._connection.invalidated:
                self._connection.execute(_NAME, {"name": f"attune {note}"})


@contextmanager
def only_process(engine: Engine, work: str, of: int) -> Iterator[HeldLock]:
    """Hold the lock for this kind of work on the row with this ID.

    Raises:
        LockedError: another process holds it.
    """
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if not connection.execute(_LOCK, {"work": work, "of": of}).scalar_one():
            raise LockedError
        try:
            yield HeldLock(connection)
        finally:
            with suppress(*OUTAGES):  # without a connection, there is no lock
                if not connection.invalidated:
                    connection.execute(_UNLOCK, {"work": work, "of": of})


def lock_until_commit(db: Connection, work: str, of: int) -> None:
    """Wait until no other transaction holds the lock, and hold it to the end of this one.

    Statements after this one see what the transactions that held it before have committed.
    """
    db.execute(_LOCK_UNTIL_COMMIT, {"work": work, "of": of})


def get_note(db: Connection, work: str, of: int) -> str | None:
    """What the process that holds the lock says, empty if nothing; None if no process holds it."""
    name: str | None = db.execute(_HOLDER, {"work": work, "of": of}).scalar_one_or_none()
    return None if name is None else name.removeprefix("attune").strip()


def is_locked(db: Connection, work: str, of: int) -> bool:
    """Whether a process holds the lock now."""
    return get_note(db, work, of) is not None
