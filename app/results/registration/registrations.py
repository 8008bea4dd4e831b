"""Registrations of a study: each is kept as it was made, and none is ever changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, text

from app.analysis.document.registration import Registration, read_registration
from app.studies.studies import StudyRow

# The registration of a study that its results are compared with.


def registration_of(db: Connection, study: StudyRow) -> Registration | None:
    """The plan that a report is compared with, or None."""
    text = registration_text(db, study)
    return read_registration(text) if text else None


def registration_text(db: Connection, study: StudyRow) -> str | None:
    """The text of that plan: of the last one from before the study opened, else of the first one."""
    rows = list_registrations(db, study.id)
    before = [row for row in rows if study.opened_at is None or row.registered_at <= study.opened_at]
    chosen = before[-1] if before else next(iter(rows), None)
    return chosen.document if chosen else None


_RECORD = text("""
    INSERT INTO registrations (study_id, number, protocol_version, sha256, document)
    SELECT :study, coalesce(max(number), 0) + 1, :version, :sha256, :document FROM registrations WHERE study_id = :study
    RETURNING number
""")
_LIST = text("""
    SELECT number, protocol_version, sha256, document, registered_at FROM registrations
    WHERE study_id = :study ORDER BY number
""")


@dataclass(frozen=True, slots=True)
class RegistrationRow:
    """One registration. `document` is the text of preregistration.json."""

    number: int
    protocol_version: int
    sha256: str
    document: str
    registered_at: datetime


def record_registration(db: Connection, study_id: int, *, version: int, sha256: str, document: str) -> int:
    """Store a registration; returns its number, from 1."""
    row = {"study": study_id, "version": version, "sha256": sha256, "document": document}
    return int(db.execute(_RECORD, row).scalar_one())


def list_registrations(db: Connection, study_id: int) -> list[RegistrationRow]:
    """All registrations, the oldest first."""
    return [RegistrationRow(*row) for row in db.execute(_LIST, {"study": study_id})]
