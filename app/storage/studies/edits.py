"""The protocol as leads are editing it: each save is a row, and the last one is the draft."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

# So many saves stay, for who has had a page open for long and saves it then.
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
    """One save. `email` is None where the lead is gone."""

    number: int
    yaml: str
    lead_id: int | None
    email: str | None
    edited_at: datetime


def lock_edits(db: Connection, study_id: int) -> None:
    """Let no one else save until this transaction ends."""
    db.execute(_LOCK, {"study": study_id})


def get_last_edit(db: Connection, study_id: int) -> EditRow | None:
    """The last save; None where nothing was edited yet."""
    number = db.execute(_LAST, {"study": study_id}).scalar_one()
    return get_edit(db, study_id, number) if number is not None else None


def get_edit(db: Connection, study_id: int, number: int) -> EditRow | None:
    """The save of this number."""
    row = db.execute(_GET, {"study": study_id, "number": number}).one_or_none()
    return None if row is None else EditRow(*row)


def record_edit(db: Connection, study_id: int, number: int, yaml: str, lead_id: int) -> None:
    """Keep a save; very old ones go."""
    db.execute(_RECORD, {"study": study_id, "number": number, "yaml": yaml, "lead": lead_id})
    db.execute(_PRUNE, {"study": study_id, "number": number - N_KEPT})
