"""The progress of a running study, for the first line of its page."""

import math
from datetime import datetime, timedelta

from sqlalchemy import Connection, text

from app.analysis.data.progress import Progress, steps_of, unit_for
from app.studies.coverage import count_needed

_PERCENT = 100
# No end date is predicted beyond this time.
_FAR = timedelta(days=180)


def progress_words(
    n_rated: int, n_seats: int, *, per_rater: float | None, most_left: int = 0, n_last_day: int, now: datetime
) -> list[str]:
    """Sentences for a lead: progress, number of raters still needed, and when the study ends at today's pace.

    Args:
        n_rated: number of trials rated so far, once for each rater.
        n_seats: number of trials to be rated, once for each rater.
        per_rater: number of trials per rater; None if unknown, or if no more raters can come.
        most_left: number of ratings that one trial still needs, at most; each takes another rater.
        n_last_day: number of trials rated by people within the last 24 hours.
        now: the current time.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    >>> progress_words(10, 585, per_rater=4, n_last_day=115, now=noon)[:2]
    ['10 of 585 trials rated (2%).', 'About 144 more raters needed.']
    >>> progress_words(10, 585, per_rater=4, n_last_day=115, now=noon)[2]
    "At today's pace, complete by Friday, 27 November."
    >>> progress_words(0, 4, per_rater=4, most_left=2, n_last_day=0, now=noon)[1]
    'About 2 more raters needed.'
    >>> progress_words(6, 6, per_rater=2, n_last_day=6, now=noon)
    ['All 6 trials are rated.']
    >>> progress_words(1, 6, per_rater=None, n_last_day=0, now=noon)
    ['1 of 6 trials rated (17%).']
    """
    if not n_seats:
        return []
    left = n_seats - n_rated
    if left <= 0:
        return [f"All {n_seats:,} trials are rated."]
    words = [f"{n_rated:,} of {n_seats:,} trials rated ({_PERCENT * n_rated / n_seats:.0f}%)."]
    if per_rater:
        n_raters = max(math.ceil(left / per_rater), most_left)
        words.append(f"About {n_raters:,} more rater{'' if n_raters == 1 else 's'} needed.")
    if n_last_day and (rest := timedelta(days=left / n_last_day)) < _FAR:
        end = now + rest
        words.append(f"At today's pace, complete by {end:%A}, {end.day} {end:%B}.")
    return words


# Ratings and finished raters per hour, day or week, counted by the database.

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
