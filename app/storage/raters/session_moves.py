"""Moves: rating sessions that continue in a browser that has only the platform's participant ID.

An ID can be guessed or shared. Such a browser therefore gets a separate cookie, which continues at the next open trial;
answers given elsewhere cannot be seen, changed or deleted there.
"""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.database.token_hash import token_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

_FIND = text("""
    SELECT EXISTS (SELECT FROM session_moves
                   WHERE study_id = :study AND rating_session_id = :session AND token_hash = :hash)
""")
_RECORD = text("""
    WITH moved AS (
      INSERT INTO session_moves (study_id, rating_session_id, token_hash, parameters)
      VALUES (:study, :session, :hash, CAST(:parameters AS jsonb)) RETURNING study_id
    )
    INSERT INTO events (study_id, rater_id, kind) SELECT study_id, :rater, 'session_moved' FROM moved
""")
_TAKE_OVER = text("""
    UPDATE assignments SET move_id = :move, moved_at = CASE WHEN CAST(:move AS bigint) IS NULL THEN NULL ELSE now() END
    WHERE study_id = :study AND id = :assignment
""")


def record_move(
    db: Connection,
    study_id: int,
    session_id: int,
    rater_id: int,
    *,
    cookie: str | None,
    parameters: Mapping[str, str],
) -> str:
    """Continue a rating session in another browser; returns the token for its cookie, its current one if it has one.

    Args:
        db: the transaction.
        study_id: the study.
        session_id: the rating session.
        rater_id: the rater of the session.
        cookie: the cookie that the browser already has.
        parameters: parameters of its link other than the ID; those of the first browser are not changed.
    """
    values = {"study": study_id, "session": session_id}
    if cookie and db.execute(_FIND, {**values, "hash": token_hash(cookie)}).scalar_one():
        return cookie
    token = secrets.token_urlsafe(32)
    row = {"rater": rater_id, "hash": token_hash(token), "parameters": json.dumps(dict(parameters))}
    db.execute(_RECORD, {**values, **row})
    return token


def take_over(db: Connection, session: RatingSession, assignment_id: int) -> None:
    """Give an assignment to this browser; answers to it from another browser are no longer shown here.

    The first browser has full access, so it shows all answers again.
    """
    values = {"study": session.study_id, "assignment": assignment_id, "move": session.move_id}
    db.execute(_TAKE_OVER, values)
