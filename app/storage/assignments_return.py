"""Places that come free again: of raters who stayed away, given back to them if they return in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.rating_sessions import RatingSession

# A rater whose request runs at this moment holds the row: skipped, and the lease is longer by then.
_EXPIRE = text("""
    WITH gone AS (
      SELECT id FROM rating_sessions
      WHERE study_id = :study AND state = 'active' AND lease_expires_at < now() AND id <> :session
      FOR UPDATE SKIP LOCKED
    ), expired AS (
      UPDATE rating_sessions SET state = 'expired' WHERE study_id = :study AND id IN (SELECT id FROM gone)
    ), returned AS (
      UPDATE assignments SET state = 'returned'
      WHERE study_id = :study AND state IN ('planned', 'leased') AND rating_session_id IN (SELECT id FROM gone)
      RETURNING id
    )
    UPDATE seats SET assignment_id = NULL WHERE study_id = :study AND assignment_id IN (SELECT id FROM returned)
""")
_RETURNED = text("""
    SELECT DISTINCT ON (s.trial_id) s.trial_id, s.seat, a.id
    FROM assignments a JOIN seats s ON s.study_id = a.study_id AND s.trial_id = a.trial_id
    WHERE a.study_id = :study AND a.rating_session_id = :session AND a.state = 'returned' AND s.assignment_id IS NULL
      AND NOT EXISTS (SELECT FROM assignments o WHERE o.study_id = a.study_id AND o.rater_id = a.rater_id
                      AND o.trial_id = a.trial_id AND o.state <> 'returned')
    ORDER BY s.trial_id, s.seat, a.id DESC
""")
_RETAKE = text("""
    WITH wanted AS (
      SELECT * FROM unnest(CAST(:trials AS bigint[]), CAST(:seats AS integer[]), CAST(:ids AS bigint[]))
        AS w (trial_id, seat, id)
    ), locked AS (
      SELECT s.trial_id, s.seat, w.id FROM seats s JOIN wanted w ON w.trial_id = s.trial_id AND w.seat = s.seat
      WHERE s.study_id = :study AND s.assignment_id IS NULL FOR UPDATE OF s SKIP LOCKED
    ), back AS (
      UPDATE assignments a SET state = CASE WHEN served_at IS NULL THEN 'planned' ELSE 'leased' END
      FROM locked WHERE a.study_id = :study AND a.id = locked.id
    )
    UPDATE seats s SET assignment_id = locked.id FROM locked
    WHERE s.study_id = :study AND s.trial_id = locked.trial_id AND s.seat = locked.seat
""")


def return_expired(db: Connection, session: RatingSession) -> int:
    """Free the open places of sittings whose lease is over; how many."""
    return db.execute(_EXPIRE, {"study": session.study_id, "session": session.session_id}).rowcount


def retake_returned(db: Connection, session: RatingSession) -> int:
    """Give a rater who comes back the open assignments again whose trials still have a free place; how many."""
    rows = db.execute(_RETURNED, {"study": session.study_id, "session": session.session_id}).all()
    if not rows:
        return 0
    wanted = {"trials": [r.trial_id for r in rows], "seats": [r.seat for r in rows], "ids": [r.id for r in rows]}
    return db.execute(_RETAKE, {"study": session.study_id, **wanted}).rowcount
