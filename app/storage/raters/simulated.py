"""Listed raters that are simulated, and marked as such."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

_ABSENT = text("""
    SELECT r.id, r.key, r.pool FROM raters r
    WHERE r.study_id = :study AND r.kind = 'person' AND NOT r.is_simulated AND NOT r.is_imported
      AND NOT EXISTS (SELECT FROM platform_ids p WHERE p.study_id = r.study_id AND p.rater_id = r.id)
      AND NOT EXISTS (SELECT FROM rating_sessions s WHERE s.study_id = r.study_id AND s.rater_id = r.id)
      AND NOT EXISTS (SELECT FROM invites i WHERE i.study_id = r.study_id AND i.rater_id = r.id
                      AND i.revoked_at IS NULL)
    ORDER BY r.key
""")
_MARK = text("UPDATE raters SET is_simulated = true WHERE study_id = :study AND id = :rater")


class NamedRater(NamedTuple):
    """A person listed in raters.csv, and their pool."""

    id: int
    key: str
    pool: str | None


def list_named_absent(db: Connection, study_id: int) -> list[NamedRater]:
    """Listed persons who have neither arrived nor been sent a link, ordered by key."""
    return [NamedRater(**row) for row in db.execute(_ABSENT, {"study": study_id}).mappings()]


def mark_simulated(db: Connection, study_id: int, rater_id: int) -> None:
    """Mark a rater as simulated, wherever they appear."""
    db.execute(_MARK, {"study": study_id, "rater": rater_id})
