"""A study put into the archive, taken out of it, or deleted with everything that belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

_ARCHIVE = text("UPDATE studies SET archived_at = CASE WHEN :archived THEN now() END WHERE id = :study")
_COUNT = text("""
    SELECT (SELECT count(*) FROM items WHERE study_id = :study) AS items,
           (SELECT count(*) FROM responses WHERE study_id = :study) AS responses,
           (SELECT count(*) FROM raters WHERE study_id = :study) AS raters,
           (SELECT count(*) FROM ratings WHERE study_id = :study) AS ratings,
           (SELECT count(*) FROM protocols WHERE study_id = :study) AS versions
""")
# In this order: what refers goes before what it refers to.
_DELETE = tuple(
    text(f"DELETE FROM {table} WHERE study_id = :study")  # noqa: S608 - names of tables
    for table in ("ratings", "events", "seats", "assignments", "rating_sessions", "withdrawals", "trials", "responses")
)
_STUDY = text("DELETE FROM studies WHERE id = :study")
_CHARTS = text("DELETE FROM chart_files")


def record_archived(db: Connection, study_id: int, *, is_archived: bool) -> None:
    """Put a study into the archive or take it out."""
    db.execute(_ARCHIVE, {"study": study_id, "archived": is_archived})


def count_contents(db: Connection, study_id: int) -> dict[str, int]:
    """How much a study holds, by what."""
    counts = db.execute(_COUNT, {"study": study_id}).mappings().one()
    return {name: int(n) for name, n in counts.items()}


def delete_study(db: Connection, study_id: int) -> None:
    """Delete a study with its texts, raters, answers and versions; its slug is free again."""
    for statement in (*_DELETE, _STUDY, _CHARTS):
        db.execute(statement, {"study": study_id})
