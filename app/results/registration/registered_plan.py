"""The registration of a study that its results are compared with."""

from __future__ import annotations

from sqlalchemy import Connection

from app.analysis.document.registration import Registration, read_registration
from app.results.registration.registrations import list_registrations
from app.studies.studies import StudyRow


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
