"""Queries for studies: one of them, or a list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from sqlalchemy import text

from app.design.roles import Right, may

if TYPE_CHECKING:
    from datetime import date, datetime

    from sqlalchemy import Connection

    from app.design.roles import Role

Status = Literal["draft", "open", "paused", "closed"]
# A study is a draft until it is opened; these are given to it.
GivenStatus = Literal["open", "paused", "closed"]
# From the announcement to the deletion: a clock that is ahead can be set right in this time, and a lead can object.
DELETION_NOTICE = timedelta(days=1)

_STUDIES = """
    SELECT s.id, s.slug, p.title, s.status, s.protocol_version, s.is_demo, s.created_at, s.opened_at,
           s.closed_at, s.archived_at, s.rater_token, s.keep_until, s.deletion_announced_at, m.role
    FROM studies s JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version
    LEFT JOIN study_members m ON m.study_id = s.id AND m.lead_id = :lead
"""
_ONE = text(f"{_STUDIES} WHERE s.slug = :slug")
_ALL = text(f"{_STUDIES} WHERE CAST(:lead AS bigint) IS NULL OR m.role IS NOT NULL ORDER BY s.created_at DESC, s.slug")


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A study, without its texts."""

    id: int
    slug: str
    title: str
    status: Status
    protocol_version: int
    is_demo: bool
    created_at: datetime
    opened_at: datetime | None
    closed_at: datetime | None
    archived_at: datetime | None = None
    rater_token: str = ""
    keep_until: date | None = None
    deletion_announced_at: datetime | None = None
    role: Role | None = None

    @property
    def deleted_from(self) -> datetime | None:
        """When the server deletes the study by itself, if that has been announced."""
        return None if self.deletion_announced_at is None else self.deletion_announced_at + DELETION_NOTICE

    def may(self, right: str) -> bool:
        """Whether the lead for whom it was loaded has this right."""
        return may(self.role, Right(right))


def get_study(db: Connection, slug: str, lead_id: int | None = None) -> StudyRow | None:
    """The study with this slug, or None; with the role that this lead has in it."""
    row = db.execute(_ONE, {"slug": slug, "lead": lead_id}).one_or_none()
    return None if row is None else StudyRow(*row)


def list_studies(db: Connection, lead_id: int | None = None) -> list[StudyRow]:
    """All studies, or those that one lead is a member of, newest first."""
    return [StudyRow(*row) for row in db.execute(_ALL, {"lead": lead_id})]


class StudyMissingError(LookupError):
    """No study has this slug."""
