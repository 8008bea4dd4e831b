"""The address of a snapshot whose study was deleted says so, in the form to cite and in that of the address bar."""

from app.base.database.engine import Connection
from app.base.web.errors import GoneError
from app.results.snapshots.stored import SnapshotPlace, find_snapshot


def refuse_deleted(place: SnapshotPlace | None) -> None:
    """Do nothing for the snapshot of a study that is there, and for one that never was.

    Raises:
        GoneError: the study was deleted.
    """
    if place and place.slug is None and place.deleted_at is not None:
        day = f"{place.deleted_at.day} {place.deleted_at:%B %Y}"
        raise GoneError(f"The study of this snapshot was deleted on {day}, and its results with it.")


def refuse_deleted_snapshot(db: Connection, token: str) -> None:
    """The same by the snapshot's token; empty for an address without a snapshot."""
    if token:
        refuse_deleted(find_snapshot(db, token))
