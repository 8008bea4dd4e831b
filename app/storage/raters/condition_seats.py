"""Seats of conditions: a rater takes the first free one; raters who leave release theirs.

Claims cannot block each other: a seat that another rater is taking at the moment is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.database.hot_statement import HotStatement

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection

    from app.design.allocation.allocate import CellSeat
    from app.storage.raters.rating_sessions import RatingSession

_CHOSEN = text("""
    SELECT condition, number_in_condition FROM rating_sessions
    WHERE study_id = :study AND id = :session AND condition IS NOT NULL
""")
_ADD = text("""
    INSERT INTO condition_seats (study_id, pool, number, condition, number_in_condition)
    SELECT :study, :pool, * FROM unnest(CAST(:numbers AS integer[]), CAST(:conditions AS text[]),
      CAST(:numbers_in_condition AS integer[]))
    ON CONFLICT DO NOTHING
""")
_CLAIM = HotStatement("""
    WITH free AS (
      SELECT number FROM condition_seats
      WHERE study_id = :study AND pool = :pool AND rating_session_id IS NULL
        AND condition <> ALL (CAST(:without AS text[]))
      ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE condition_seats s SET rating_session_id = :session FROM free
      WHERE s.study_id = :study AND s.pool = :pool AND s.number = free.number
      RETURNING s.condition, s.number_in_condition
    )
    UPDATE rating_sessions r SET condition = taken.condition, number_in_condition = taken.number_in_condition
    FROM taken WHERE r.study_id = :study AND r.id = :session RETURNING r.condition, r.number_in_condition
""")
# The seat must be of the same condition, because the rater's answers so far were given in it.
_CLAIM_AGAIN = text("""
    WITH free AS (
      SELECT c.number FROM condition_seats c
      WHERE c.study_id = :study AND c.pool = :pool AND c.rating_session_id IS NULL
        AND c.condition = (SELECT condition FROM rating_sessions WHERE study_id = :study AND id = :session)
      ORDER BY c.number LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE condition_seats s SET rating_session_id = :session FROM free
    WHERE s.study_id = :study AND s.pool = :pool AND s.number = free.number RETURNING s.number
""")
_HOLDS = text("SELECT EXISTS (SELECT FROM condition_seats WHERE study_id = :study AND rating_session_id = :session)")
_RELEASE = text("""
    UPDATE condition_seats SET rating_session_id = NULL WHERE study_id = :study AND rating_session_id = :session
""")
_FORGET = text("""
    UPDATE rating_sessions SET condition = NULL, number_in_condition = NULL WHERE study_id = :study AND id = :session
""")
_STATE = text("""
    SELECT coalesce(max(s.number) + 1, 0) AS next_number,
           coalesce(array_agg(DISTINCT s.condition) FILTER (WHERE s.rating_session_id IS NULL), '{}') AS free,
           coalesce(bool_or(r.state = 'active'), false) AS is_one_active
    FROM condition_seats s LEFT JOIN rating_sessions r ON r.study_id = s.study_id AND r.id = s.rating_session_id
    WHERE s.study_id = :study AND s.pool = :pool
""")


@dataclass(frozen=True, slots=True)
class SeatState:
    """The seats of a pool: next number to create, conditions with a free seat, and whether a rater may still leave."""

    next_number: int
    free: frozenset[str]
    is_one_active: bool


def get_condition(db: Connection, session: RatingSession) -> tuple[str, int] | None:
    """The condition of a rating session, and the number of earlier seats in it; None if it has no condition yet."""
    row = db.execute(_CHOSEN, _ids(session)).one_or_none()
    return None if row is None else (row.condition, row.number_in_condition)


def record_condition_seats(db: Connection, study_id: int, pool: str, seats: Sequence[CellSeat]) -> None:
    """Create seats; existing ones are not changed."""
    rows = {
        "numbers": [seat.number for seat in seats],
        "conditions": [seat.cell.text for seat in seats],
        "numbers_in_condition": [seat.number_in_cell for seat in seats],
    }
    db.execute(_ADD, {"study": study_id, "pool": pool, **rows})


def claim_condition(
    db: Connection, session: RatingSession, pool: str, without: Collection[str]
) -> tuple[str, int] | None:
    """Take the first free seat; returns its condition and its number in the condition, or None if no seat is free.

    Args:
        db: the transaction.
        session: a rating session without a condition.
        pool: the pool whose seats are claimed.
        without: conditions that this rater cannot have.
    """
    row = _CLAIM.one_or_none(db, {**_ids(session), "pool": pool, "without": list(without)})
    return None if row is None else (row["condition"], row["number_in_condition"])


def claim_condition_again(db: Connection, session: RatingSession, pool: str) -> bool:
    """Give a returning rater a seat of their condition; returns whether they have one now."""
    values = {**_ids(session), "pool": pool}
    return bool(db.execute(_HOLDS, values).scalar_one() or db.execute(_CLAIM_AGAIN, values).one_or_none())


def release_condition(db: Connection, session: RatingSession) -> None:
    """Release the seat of a rater; the rater keeps the condition in which they answered."""
    db.execute(_RELEASE, _ids(session))


def forget_condition(db: Connection, session: RatingSession) -> None:
    """Release the seat and the condition of a rater who has not answered anything in it."""
    release_condition(db, session)
    db.execute(_FORGET, _ids(session))


def get_seat_state(db: Connection, study_id: int, pool: str) -> SeatState:
    """The state of the seats, without a lock."""
    row = db.execute(_STATE, {"study": study_id, "pool": pool}).one()
    return SeatState(row.next_number, frozenset(row.free), row.is_one_active)


def _ids(session: RatingSession) -> dict[str, int]:
    return {"study": session.study_id, "session": session.session_id}
