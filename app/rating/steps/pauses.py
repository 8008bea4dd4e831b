"""Breaks that a rater takes: recorded as two events each, so that times can exclude them."""

from sqlalchemy import Connection, text

from app.protocol.allocation.rater_plan import pauses
from app.protocol.study import Protocol
from app.rating.seats.assignments import list_blocks
from app.rating.sessions import RatingSession

# The page that the rater sees: an open trial, or a revisit that has not been submitted yet.
_IN_FRONT = """
    (SELECT id FROM assignments
     WHERE study_id = :study AND rating_session_id = :session
       AND (state = 'leased' OR (state = 'done' AND revisit_served_at IS NOT NULL AND revisited_at IS NULL))
     ORDER BY state = 'leased' DESC, position LIMIT 1)
"""
_PAUSE = text(f"""
    WITH begun AS (
      UPDATE rating_sessions SET paused_at = now() WHERE study_id = :study AND id = :session AND paused_at IS NULL
      RETURNING study_id, rater_id
    )
    INSERT INTO events (study_id, rater_id, assignment_id, kind)
    SELECT study_id, rater_id, {_IN_FRONT}, 'pause' FROM begun
""")  # noqa: S608 - constants only
_RESUME = text(f"""
    WITH over AS (
      SELECT study_id, rater_id, paused_at FROM rating_sessions
      WHERE study_id = :study AND id = :session AND paused_at IS NOT NULL
    ), ended AS (
      UPDATE rating_sessions SET paused_at = NULL WHERE study_id = :study AND id = :session
    )
    INSERT INTO events (study_id, rater_id, assignment_id, kind, detail)
    SELECT study_id, rater_id, {_IN_FRONT}, 'resume',
           jsonb_build_object('paused_ms', CAST(extract(epoch FROM now() - paused_at) * 1000 AS bigint))
    FROM over
""")  # noqa: S608 - constants only


def record_pause(db: Connection, session: RatingSession) -> None:
    """Record that a rater pauses; a second call changes nothing."""
    db.execute(_PAUSE, {"study": session.study_id, "session": session.session_id})


def resume(db: Connection, session: RatingSession) -> None:
    """Record that a rater continues, if they had paused."""
    if session.is_paused:
        db.execute(_RESUME, {"study": session.study_id, "session": session.session_id})


# Breaks between the blocks of a rater's trials.


def pause_now(db: Connection, session: RatingSession, protocol: Protocol) -> tuple[int, int] | None:
    """If the rater is at a break: number of trials before it, and of all trials; otherwise None.

    A break is offered once: raters who reload the page or come back later continue with the next trial.
    """
    design = protocol.design.blocks
    if design is None:
        return None
    own = list_blocks(db, session, design.column)
    n_before = next((place for place, (state, _) in enumerate(own) if state in {"planned", "leased"}), len(own))
    is_next_new = n_before < len(own) and own[n_before][0] == "planned"
    if is_next_new and n_before in pauses(protocol, [block for _, block in own]):
        return n_before, len(own)
    return None
