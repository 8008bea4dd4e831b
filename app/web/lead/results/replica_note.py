"""How old results are that were read from a replica."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.storage.database.replica import ReplicaReads

# Answers of the last second are not missed by anyone.
MIN_LAG_S = 1


def replica_note(replica: ReplicaReads | None) -> str:
    """A sentence for the page; empty if the results are those of this moment, also because the primary was read."""
    lag_s = replica.lag_s() if replica is not None and replica.is_usable() else None
    if lag_s is None or lag_s < MIN_LAG_S:
        return ""
    n = round(lag_s)
    return f"As of {n} second{'s' if n != 1 else ''} ago: these results come from a copy of the database."
