"""Spreadsheets that leads have dropped, each kept for a day with what its lead says about it."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text

# A lead's older files are forgotten.
MAX_PER_LEAD = 5

_ADD = text("""
    INSERT INTO sheet_drafts (lead_id, file_name, content, columns, is_repaired, report, made)
    VALUES (:lead, :file, :content, CAST(:columns AS json), true, CAST(:report AS json), '{}') RETURNING token
""")
_OLD = text("DELETE FROM sheet_drafts WHERE uploaded_at < now() - interval '1 day'")
_TOO_MANY = text("""
    DELETE FROM sheet_drafts WHERE lead_id = :lead AND token NOT IN (
      SELECT token FROM sheet_drafts WHERE lead_id = :lead ORDER BY uploaded_at DESC LIMIT :most)
""")
_GET = text("""
    SELECT token, file_name, columns, is_repaired, report, made FROM sheet_drafts
    WHERE token = :token AND lead_id = :lead AND uploaded_at >= now() - interval '1 day'
""")
_LOCK = text("SELECT made FROM sheet_drafts WHERE token = :token FOR UPDATE")
_CONTENT = text("SELECT content FROM sheet_drafts WHERE token = :token")
_DESCRIBE = text("""
    UPDATE sheet_drafts SET columns = CAST(:columns AS json), is_repaired = :repaired, report = CAST(:report AS json),
      made = '{}'
    WHERE token = :token
""")
_MADE = text("UPDATE sheet_drafts SET made = CAST(:made AS json) WHERE token = :token")


@dataclass(frozen=True, slots=True)
class SheetDraft:
    """The file without its content. `made`: from a template to the slug of the study made with it."""

    token: UUID
    file_name: str
    columns: list[dict[str, Any]]
    is_repaired: bool
    report: dict[str, Any]
    made: dict[str, str]


def add_draft(
    db: Connection, lead_id: int, file_name: str, content: bytes, columns: list[dict[str, Any]], report: dict[str, Any]
) -> UUID:
    """Store a file, and forget those that are too old and the lead's oldest."""
    values = {"columns": json.dumps(columns), "report": json.dumps(report)}
    token: UUID = db.execute(_ADD, {"lead": lead_id, "file": file_name, "content": content, **values}).scalar_one()
    forget_old_drafts(db)
    db.execute(_TOO_MANY, {"lead": lead_id, "most": MAX_PER_LEAD})
    return token


def forget_old_drafts(db: Connection) -> None:
    """Delete the files of yesterday."""
    db.execute(_OLD)


def get_draft(db: Connection, token: UUID, lead_id: int) -> SheetDraft | None:
    """A lead's file; None if it was forgotten."""
    row = db.execute(_GET, {"token": token, "lead": lead_id}).one_or_none()
    return None if row is None else SheetDraft(*row)


def get_content(db: Connection, token: UUID) -> bytes:
    """The unchanged bytes of a file."""
    return bytes(db.execute(_CONTENT, {"token": token}).scalar_one())


def describe_draft(db: Connection, draft: SheetDraft) -> None:
    """Store what the lead now says about a file; a study that was made of it before is another one."""
    values = {"columns": json.dumps(draft.columns), "report": json.dumps(draft.report)}
    db.execute(_DESCRIBE, {"token": draft.token, "repaired": draft.is_repaired, **values})


def lock_made(db: Connection, token: UUID) -> dict[str, str]:
    """The studies made of a file; nobody else makes one until the transaction ends."""
    made: dict[str, str] = db.execute(_LOCK, {"token": token}).scalar_one()
    return made


def record_made(db: Connection, token: UUID, made: dict[str, str]) -> None:
    """Record the studies made of a file."""
    db.execute(_MADE, {"token": token, "made": json.dumps(made)})
