"""Seats that are released when raters are inactive; raters who come back in time get them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.database.clock import SLACK_SQL
from app.storage.raters.rating_sessions import record_state

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

# The row of a rater with a request in progress is locked: it is skipped, and the request extends the lease. A lease
# that lies further ahead than its length was given by a clock that has been set back since. It is shortened to its
# length instead of ended, because its rater may be rating now.
LEASE_TO_END = f"""
    o.study_id = :study AND o.state = 'active' AND o.id <> :session AND (o.lease_expires_at < now()
      OR o.lease_expires_at > now() + make_interval(mins => o.lease_minutes) + {SLACK_SQL})
"""
_EXPIRE = text(f"""
    WITH found AS (
      SELECT o.id, o.lease_expires_at < now() AS is_over FROM rating_sessions o
      WHERE {LEASE_TO_END} FOR UPDATE SKIP LOCKED
    ), gone AS (
      SELECT id FROM found WHERE is_over
    ), shortened AS (
      UPDATE rating_sessions SET lease_expires_at = now() + make_interval(mins => lease_minutes)
      WHERE study_id = :study AND id IN (SELECT id FROM found WHERE NOT is_over)
    ), expired AS (
      UPDATE rating_sessions SET state = 'expired' WHERE study_id = :study AND id IN (SELECT id FROM gone)
    ), condition_seats_freed AS (
      UPDATE condition_seats SET rating_session_id = NULL
      WHERE study_id = :study AND rating_session_id IN (SELECT id FROM gone)
    ), admission_seats_freed AS (
      UPDATE admission_seats SET rating_session_id = NULL
      WHERE study_id = :study AND rating_session_id IN (SELECT id FROM gone)
    ), returned AS (
      UPDATE assignments SET state = 'returned'
      WHERE study_id = :study AND state IN ('planned', 'leased') AND rating_session_id IN (SELECT id FROM gone)
      RETURNING id
    )
    UPDATE seats SET assignment_id = NULL WHERE study_id = :study AND assignment_id IN (SELECT id FROM returned)
""")  # noqa: S608 - constants only
_RETURNED = text("""
    SELECT DISTINCT ON (s.trial_id) s.trial_id, s.pool, s.seat, a.id
    FROM assignments a JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
    JOIN seats s ON s.study_id = a.study_id AND s.trial_id = a.trial_id AND s.pool IN ('', coalesce(r.pool, ''))
      AND (s.rater_id IS NULL OR s.rater_id = a.rater_id)
    CROSS JOIN LATERAL (
      SELECT i.retired_because IS NOT NULL AS is_retired FROM trials t
      JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
      WHERE t.study_id = a.study_id AND t.id = a.trial_id
    ) AS item
    WHERE a.study_id = :study AND a.rating_session_id = :session AND a.state = 'returned' AND a.repeat = 0
      AND s.assignment_id IS NULL AND NOT is_retired
      AND NOT EXISTS (SELECT FROM assignments o WHERE o.study_id = a.study_id AND o.rater_id = a.rater_id
                      AND o.trial_id = a.trial_id AND o.repeat = 0 AND NOT o.is_returned)
    ORDER BY s.trial_id, s.seat, a.id DESC
""")
_RETAKE = text("""
    WITH wanted AS (
      SELECT * FROM unnest(CAST(:trials AS bigint[]), CAST(:pools AS text[]), CAST(:seats AS integer[]),
        CAST(:ids AS bigint[])) AS w (trial_id, pool, seat, id)
    ), locked AS (
      SELECT s.trial_id, s.pool, s.seat, w.id FROM seats s JOIN wanted w USING (trial_id, pool, seat)
      WHERE s.study_id = :study AND s.assignment_id IS NULL FOR UPDATE OF s SKIP LOCKED
    ), back AS (
      UPDATE assignments a SET state = CASE WHEN served_at IS NULL THEN 'planned' ELSE 'leased' END
      FROM locked WHERE a.study_id = :study AND a.id = locked.id
    )
    UPDATE seats s SET assignment_id = locked.id FROM locked
    WHERE s.study_id = :study AND s.trial_id = locked.trial_id AND s.pool = locked.pool AND s.seat = locked.seat
""")
# A repeat is retaken together with its trial; if another rater took the trial, the repeat stays returned.
_RETAKE_REPEATS = text("""
    UPDATE assignments a SET state = CASE WHEN served_at IS NULL THEN 'planned' ELSE 'leased' END
    WHERE a.study_id = :study AND a.rating_session_id = :session AND a.state = 'returned' AND a.repeat > 0
      AND EXISTS (SELECT FROM assignments o WHERE o.study_id = a.study_id AND o.rater_id = a.rater_id
                  AND o.trial_id = a.trial_id AND o.repeat = 0 AND o.state IN ('planned', 'leased', 'done'))
      AND NOT EXISTS (SELECT FROM assignments o WHERE o.study_id = a.study_id AND o.rater_id = a.rater_id
                      AND o.trial_id = a.trial_id AND o.repeat = a.repeat AND NOT o.is_returned)
      AND NOT EXISTS (SELECT FROM trials t JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
                      WHERE t.study_id = a.study_id AND t.id = a.trial_id AND i.retired_because IS NOT NULL)
""")

# Raters who have at least one other trial get their gold trials back.
_RETAKE_GOLD = text("""
    UPDATE assignments a SET state = CASE WHEN a.served_at IS NULL THEN 'planned' ELSE 'leased' END
    FROM trials t
    WHERE a.study_id = :study AND a.rating_session_id = :session AND a.state = 'returned'
      AND t.study_id = a.study_id AND t.id = a.trial_id AND t.purpose = 'gold'
      AND EXISTS (SELECT FROM assignments o JOIN trials u ON u.study_id = o.study_id AND u.id = o.trial_id
                  WHERE o.study_id = a.study_id AND o.rating_session_id = a.rating_session_id
                    AND o.state IN ('planned', 'leased', 'done') AND u.purpose = 'rating')
""")


def retake_gold(db: Connection, session: RatingSession) -> int:
    """Reassign gold trials to a rater who has other trials; returns how many."""
    return db.execute(_RETAKE_GOLD, {"study": session.study_id, "session": session.session_id}).rowcount


def return_expired(db: Connection, session: RatingSession) -> int:
    """Release the open seats of rating sessions whose lease has expired; returns how many."""
    return db.execute(_EXPIRE, {"study": session.study_id, "session": session.session_id}).rowcount


def retake_returned(db: Connection, session: RatingSession) -> int:
    """Reassign to a returning rater the open assignments whose trials still have a free seat; returns how many.

    The lease applies again from then on: if the rater leaves again, open assignments are returned again.
    """
    ids = {"study": session.study_id, "session": session.session_id}
    rows = db.execute(_RETURNED, ids).all()
    wanted = {"trials": [r.trial_id for r in rows], "pools": [r.pool for r in rows], "seats": [r.seat for r in rows]}
    n_retaken = 0
    if rows:
        n_retaken += db.execute(_RETAKE, {**ids, **wanted, "ids": [r.id for r in rows]}).rowcount
    n_retaken += db.execute(_RETAKE_REPEATS, ids).rowcount
    n_retaken += retake_gold(db, session)
    if n_retaken:
        record_state(db, session, "active")
    return n_retaken
