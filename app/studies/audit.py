"""Audit log of what leads did: each entry is written in the transaction of the action and never changed."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from app.accounts.leads import Lead
from app.studies.studies import StudyRow

_RECORD = text("""
    INSERT INTO audit_log (study_id, slug, lead_id, lead_email, action, detail)
    VALUES (:study, :slug, :lead, :email, :action, CAST(:detail AS jsonb)) RETURNING id
""")
_OF_STUDY = text("""
    SELECT id, slug, lead_email, action, detail, happened_at FROM audit_log WHERE study_id = :study ORDER BY id DESC
""")
_ONE = text("""
    SELECT id, slug, lead_email, action, detail, happened_at FROM audit_log
    WHERE id = :id AND lead_id = :lead AND action = 'study deleted'
""")


@dataclass(frozen=True, slots=True)
class Act:
    """One entry of the audit log."""

    id: int
    slug: str | None
    email: str | None
    action: str
    detail: dict[str, Any]
    happened_at: datetime

    @property
    def words(self) -> str:
        """The detail as readable text."""
        return "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in self.detail.items() if value != "")


def record_act(db: Connection, lead: Lead | None, study: StudyRow, action: str, **detail: object) -> int:
    """Record what a lead did with a study, or what was done on the command line; returns the ID of the entry."""
    who = {"lead": lead.id, "email": lead.email} if lead else {"lead": None, "email": None}
    values = {"study": study.id, "slug": study.slug, "action": action, **who}
    detail |= {} if lead else {"by": "command line"}
    row = db.execute(_RECORD, values | {"detail": json.dumps(detail, ensure_ascii=False)})
    return int(row.scalar_one())


def record_automatic_act(db: Connection, study_id: int, slug: str, action: str, **detail: object) -> None:
    """Record what the server did by itself, as a lead had asked."""
    values = {"study": study_id, "slug": slug, "lead": None, "email": None, "action": action}
    db.execute(_RECORD, values | {"detail": json.dumps(detail, ensure_ascii=False)})


def list_acts(db: Connection, study_id: int) -> list[Act]:
    """The audit log of a study, newest entry first."""
    return [Act(*row) for row in db.execute(_OF_STUDY, {"study": study_id})]


def get_receipt(db: Connection, lead_id: int, number: int) -> Act | None:
    """The entry for the deletion of a study by this lead, or None."""
    row = db.execute(_ONE, {"id": number, "lead": lead_id}).one_or_none()
    return None if row is None else Act(*row)
