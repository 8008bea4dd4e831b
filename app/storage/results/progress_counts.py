"""Ratings and finished raters per hour, day or week, counted by the database."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.analysis.data.progress import Progress, steps_of, unit_for
from app.storage.results.coverage import count_needed

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

# The same trials as in the coverage: repeats and gold trials have no seats.
_TRIALS = """
    SELECT a.submitted_at AS at FROM assignments a
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    WHERE a.study_id = :study AND a.state = 'done' AND a.repeat = 0 AND t.purpose = 'rating'
"""
_ANSWERS = "SELECT rated_at AS at FROM ratings WHERE study_id = :study AND rated_at IS NOT NULL"
_WITHOUT_TIME = "SELECT count(*) FROM ratings WHERE study_id = :study AND rated_at IS NULL"
_FINISHED = "SELECT finished_at AS at FROM rating_sessions WHERE study_id = :study AND finished_at IS NOT NULL"


def get_progress(db: Connection, study_id: int) -> Progress:
    """The progress of a study over time; of a study without trials, all answers that have a time are counted."""
    n_needed = count_needed(db, study_id)
    counted = _TRIALS if n_needed else _ANSWERS
    unit = unit_for(_length(db, study_id, counted))
    steps = steps_of(unit, _counts(db, study_id, counted, unit), _counts(db, study_id, _FINISHED, unit))
    if n_needed:
        return Progress(unit, steps, n_needed)
    n_without = int(db.execute(text(_WITHOUT_TIME), {"study": study_id}).scalar_one())
    return Progress(unit, steps, None, "answers", n_without)


def _length(db: Connection, study_id: int, rows: str) -> timedelta:
    found = db.execute(text(f"SELECT max(at) - min(at) FROM ({rows}) x"), {"study": study_id}).scalar_one()  # noqa: S608
    return found or timedelta()


def _counts(db: Connection, study_id: int, rows: str, unit: str) -> dict[datetime, int]:
    query = f"SELECT date_trunc(:unit, at, 'UTC') AS start, count(*) AS n FROM ({rows}) x GROUP BY start"  # noqa: S608
    return {row.start: int(row.n) for row in db.execute(text(query), {"study": study_id, "unit": unit})}
