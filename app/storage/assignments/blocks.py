"""A rater's list by blocks, for the breaks between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

_BLOCKS = text("""
    SELECT a.state, CASE WHEN a.repeat = 0 AND t.purpose = 'rating'
                    THEN coalesce(i.attributes ->> CAST(:column AS text), '') END AS block
    FROM assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE a.study_id = :study AND a.rating_session_id = :session AND a.state <> 'returned' ORDER BY a.position
""")


def list_blocks(db: Connection, session: RatingSession, column: str | None) -> list[tuple[str, str | None]]:
    """State and block of each assignment in the rater's order; the block of repeats and gold trials is None."""
    values = {"study": session.study_id, "session": session.session_id, "column": column}
    return [(row.state, row.block) for row in db.execute(_BLOCKS, values)]
