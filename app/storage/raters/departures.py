"""Raters who do not consent: no data about them are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

# A rater whom the lead listed existed before the rating session and is kept. Personal links can be used again.
IS_NEW = """
    EXISTS (SELECT FROM raters r JOIN rating_sessions s ON s.study_id = r.study_id AND s.rater_id = r.id
            WHERE r.study_id = :study AND r.id = :rater AND s.id = :session AND r.created_at = s.arrived_at)
"""
_REFUSE = (
    text(f"UPDATE invites SET rater_id = NULL WHERE study_id = :study AND rater_id = :rater AND {IS_NEW}"),  # noqa: S608 - constants only
    text("DELETE FROM platform_ids WHERE study_id = :study AND rater_id = :rater"),
    text(f"DELETE FROM raters WHERE study_id = :study AND id = :rater AND {IS_NEW}"),  # noqa: S608 - constants only
    text("DELETE FROM rating_sessions WHERE study_id = :study AND id = :session"),
    text("UPDATE studies SET n_refused = n_refused + 1 WHERE id = :study"),
)


def record_refusal(db: Connection, session: RatingSession) -> None:
    """Delete the rater, and count one more refusal of consent."""
    who = {"study": session.study_id, "rater": session.rater_id, "session": session.session_id}
    for statement in _REFUSE:
        db.execute(statement, who)
