"""The protocol as leads edit it: each save is a row, and the last one is the draft."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

# Number of saves kept, so that a page that was open for a long time can still be saved.
N_KEPT = 200
_LOCK = text("SELECT id FROM studies WHERE id = :study FOR UPDATE")
_GET = text("""
    SELECT e.number, e.yaml, e.lead_id, l.email, e.edited_at FROM protocol_edits e LEFT JOIN leads l ON l.id = e.lead_id
    WHERE e.study_id = :study AND e.number = :number
""")
_LAST = text("SELECT max(number) FROM protocol_edits WHERE study_id = :study")
_RECORD = text("""
    INSERT INTO protocol_edits (study_id, number, yaml, lead_id) VALUES (:study, :number, :yaml, :lead)
""")
_PRUNE = text("DELETE FROM protocol_edits WHERE study_id = :study AND number <= :number")


@dataclass(frozen=True, slots=True)
class EditRow:
    """One save. `email` is None if the lead no longer exists."""

    number: int
    yaml: str
    lead_id: int | None
    email: str | None
    edited_at: datetime


def lock_edits(db: Connection, study_id: int) -> None:
    """Prevent others from saving until this transaction ends."""
    db.execute(_LOCK, {"study": study_id})


def get_last_edit(db: Connection, study_id: int) -> EditRow | None:
    """The last save; None if nothing has been edited yet."""
    number = db.execute(_LAST, {"study": study_id}).scalar_one()
    return get_edit(db, study_id, number) if number is not None else None


def get_edit(db: Connection, study_id: int, number: int) -> EditRow | None:
    """The save with this number, or None."""
    row = db.execute(_GET, {"study": study_id, "number": number}).one_or_none()
    return None if row is None else EditRow(*row)


def record_edit(db: Connection, study_id: int, number: int, yaml: str, lead_id: int) -> None:
    """Store a save; very old ones are deleted."""
    db.execute(_RECORD, {"study": study_id, "number": number, "yaml": yaml, "lead": lead_id})
    db.execute(_PRUNE, {"study": study_id, "number": number - N_KEPT})
