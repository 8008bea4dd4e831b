"""The condition of a rating session between raters: chosen once, under a lock, from live counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

_CHOSEN = text("""
    SELECT condition, number_in_condition FROM rating_sessions
    WHERE study_id = :study AND id = :session AND condition IS NOT NULL
""")
_COUNTS = text("""
    SELECT s.condition, count(*) FILTER (WHERE s.state = 'finished') AS n_finished,
           count(*) FILTER (WHERE s.state = 'active') AS n_active, array_agg(s.number_in_condition) AS numbers
    FROM rating_sessions s JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id
    WHERE s.study_id = :study AND s.condition IS NOT NULL AND (:pool = '' OR r.pool = :pool) GROUP BY s.condition
""")
_FREE = text("""
    SELECT DISTINCT t.condition FROM seats s JOIN trials t ON t.study_id = s.study_id AND t.id = s.trial_id
    WHERE s.study_id = :study AND s.pool = :pool AND s.assignment_id IS NULL
      AND (s.rater_id IS NULL OR s.rater_id = :rater)
""")
_RECORD = text("""
    UPDATE rating_sessions SET condition = :condition, number_in_condition = :number
    WHERE study_id = :study AND id = :session
""")


@dataclass(frozen=True, slots=True)
class ConditionCount:
    """How many rating sessions of a condition are finished and in progress, and which numbers are in use."""

    n_finished: int
    n_active: int
    numbers: Sequence[int]

    @property
    def next_number(self) -> int:
        """The smallest number not in use: after a deletion, the next rater takes the deleted rater's number."""
        given = set(self.numbers)
        return next(number for number in range(len(given) + 1) if number not in given)


def get_condition(db: Connection, session: RatingSession) -> tuple[str, int] | None:
    """The condition of a rating session, and how many had it before; None where none is chosen yet."""
    row = db.execute(_CHOSEN, {"study": session.study_id, "session": session.session_id}).one_or_none()
    return None if row is None else (row.condition, row.number_in_condition)


def count_conditions(db: Connection, study_id: int, pool: str = "") -> dict[str, ConditionCount]:
    """Sittings of a pool by condition; exact while the study is locked."""
    rows = db.execute(_COUNTS, {"study": study_id, "pool": pool})
    return {row.condition: ConditionCount(*row[1:]) for row in rows}


def list_free_conditions(db: Connection, session: RatingSession, pool: str = "") -> set[str]:
    """The conditions of trials that have a free seat for this rater."""
    values = {"study": session.study_id, "rater": session.rater_id, "pool": pool}
    return set(db.execute(_FREE, values).scalars())


def record_condition(db: Connection, session: RatingSession, condition: str, number: int) -> None:
    """Keep the condition of a rating session for good."""
    row = {"study": session.study_id, "session": session.session_id, "condition": condition, "number": number}
    db.execute(_RECORD, row)
