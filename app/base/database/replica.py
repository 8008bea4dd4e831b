"""Read results and downloads from a streaming replica, as long as it is close enough behind the primary."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from sqlalchemy import Connection, text

from app.base.database.engine import Begin
from app.base.database.outages import OUTAGES

MAX_LAG_S, CHECK_S = 10.0, 1.0
# A replica that did not respond is left alone for this long: with a silent network, each attempt takes seconds.
AWAY_S = 15.0
_WRITTEN = text("SELECT pg_current_wal_lsn()::text AS position, clock_timestamp() AS now")
# The position of the primary decides: an idle primary has old transactions, and a replica that lost its connection has
# replayed all that it received.
_REPLAYED = text("""
    SELECT pg_is_in_recovery() AS is_replica,
           CASE WHEN pg_last_wal_replay_lsn() >= CAST(:position AS pg_lsn) THEN 0
                ELSE extract(epoch FROM CAST(:now AS timestamptz) - pg_last_xact_replay_timestamp()) END AS lag_s
""")
log = logging.getLogger("attune.store")


class ReplicaReads:
    """Opens transactions that only read: on the replica, or on the primary if the replica is too far behind."""

    def __init__(self, primary: Begin, replica: Begin, *, max_lag_s: float = MAX_LAG_S) -> None:
        """`max_lag_s`: how many seconds of the latest answers may be missing."""
        self._primary, self._replica, self._max_lag_s = primary, replica, max_lag_s
        self._guard = Lock()
        self._next_check_at = -1.0
        self._lag_s: float | None = None
        self._was_usable = True

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Open a transaction."""
        begin = self._replica if self.is_usable() else self._primary
        with begin() as db:
            yield db

    def is_usable(self) -> bool:
        """Whether the replica responds and is close enough; a change is logged."""
        lag_s = self.lag_s()
        is_usable = lag_s is not None and lag_s <= self._max_lag_s
        if is_usable != self._was_usable:
            behind = "does not respond" if lag_s is None else f"is {lag_s:.0f} seconds behind"
            log.warning(
                "results are read from %s: the replica %s", "the replica" if is_usable else "the primary", behind
            )
            self._was_usable = is_usable
        return is_usable

    def address(self, replica: str, primary: str) -> str:
        """The one of these addresses that is to be read from."""
        return replica if self.is_usable() else primary

    def lag_s(self) -> float | None:
        """How far the replica is behind, in seconds, at most one second ago; None if it did not respond lately."""
        with self._guard:
            if time.monotonic() >= self._next_check_at:
                self._lag_s = self._measure()
                self._next_check_at = time.monotonic() + (AWAY_S if self._lag_s is None else CHECK_S)
            return self._lag_s

    def _measure(self) -> float | None:
        with self._primary() as db:
            written = db.execute(_WRITTEN).one()
        try:
            with self._replica() as db:
                found = db.execute(_REPLAYED, {"position": written.position, "now": written.now}).one()
        except OUTAGES:
            return None
        if not found.is_replica or found.lag_s is None:
            return None
        return max(0.0, float(found.lag_s))
