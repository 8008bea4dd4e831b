"""Queries for studies: one of them, or a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlalchemy import text

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

Status = Literal["draft", "open", "paused", "closed"]

_STUDIES = """
    SELECT s.id, s.slug, p.title, s.status, s.lead_id, s.protocol_version, s.is_demo, s.created_at, s.opened_at,
           s.closed_at, s.archived_at, s.rater_token
    FROM studies s JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version
"""
_ONE = text(f"{_STUDIES} WHERE s.slug = :slug")
_ALL = text(f"{_STUDIES} WHERE CAST(:lead AS bigint) IS NULL OR s.lead_id = :lead ORDER BY s.created_at DESC, s.slug")


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A study, without its texts."""

    id: int
    slug: str
    title: str
    status: Status
    lead_id: int | None
    protocol_version: int
    is_demo: bool
    created_at: datetime
    opened_at: datetime | None
    closed_at: datetime | None
    archived_at: datetime | None = None
    rater_token: str = ""


def get_study(db: Connection, slug: str) -> StudyRow | None:
    """The study with this slug, or None."""
    row = db.execute(_ONE, {"slug": slug}).one_or_none()
    return None if row is None else StudyRow(*row)


def list_studies(db: Connection, lead_id: int | None = None) -> list[StudyRow]:
    """All studies, or those of one lead, newest first."""
    return [StudyRow(*row) for row in db.execute(_ALL, {"lead": lead_id})]
