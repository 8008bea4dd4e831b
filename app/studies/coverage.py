"""The progress of a study: counted from the rows each time, never stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.studies.studies import list_excluded


class Counts(NamedTuple):
    """The size of a study's data. `n_raters`: people; simulated raters and model judges are counted apart."""

    n_items: int
    n_raters: int
    n_simulated: int
    n_judges: int
    n_ratings: int
    last_rating_at: datetime | None

    @property
    def n_rating(self) -> int:
        """All whose answers are counted in `n_ratings`: people, simulated raters and model judges."""
        return self.n_raters + self.n_simulated + self.n_judges


# One statement per study: each count then reads only that study's part of the index.
_COUNTS = text("""
    SELECT (SELECT count(*) FROM items WHERE study_id = :study_id) AS n_items,
           r.n_raters, r.n_simulated, r.n_judges, count(ratings.id) AS n_ratings, max(rated_at) AS last_rating_at
    FROM (SELECT count(*) FILTER (WHERE kind = 'person' AND NOT is_simulated) AS n_raters,
                 count(*) FILTER (WHERE kind = 'person' AND is_simulated) AS n_simulated,
                 count(*) FILTER (WHERE kind = 'model') AS n_judges
          FROM raters WHERE study_id = :study_id) AS r
    LEFT JOIN ratings ON ratings.study_id = :study_id
    GROUP BY r.n_raters, r.n_simulated, r.n_judges
""")


def get_counts(db: Connection, study_id: int) -> Counts:
    """The current size of the study's data."""
    return Counts(**db.execute(_COUNTS, {"study_id": study_id}).mappings().one())


class SessionCounts(NamedTuple):
    """Number of rating sessions by how far they got."""

    n_arrived: int
    n_active: int
    n_finished: int
    n_simulated: int
    n_refused: int
    n_screened_out: int
    n_failed_checks: int
    n_withdrawn: int
    n_deleted: int
    n_moved: int


class Reconciliation(NamedTuple):
    """What happened to every trial that was shown to a rater."""

    n_served: int
    n_answered: int
    n_skipped: int
    n_returned: int
    n_open: int
    n_lost: int
    n_double: int

    @property
    def n_unaccounted(self) -> int:
        """Trials that were served but are in none of the counted states: anything but zero means an error."""
        return self.n_served - self.n_answered - self.n_skipped - self.n_returned - self.n_open


class RetiredItems(NamedTuple):
    """Retired items, their ratings (kept), and their free seats, which no one can take."""

    n_items: int
    n_rated: int
    n_not_needed: int


class TrialCoverage(NamedTuple):
    """How often one trial was rated, and its number of seats. `words` is the beginning of its item."""

    item: str
    words: str
    condition: str
    responses: list[str]
    sources: list[str]
    n_done: int
    n_open: int
    n_seats: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """All counts on the study page.

    `n_seats` is the number of ratings needed: all seats but the free ones of retired items. `distribution` is (times
    rated, number of trials), of all trials; `skip_reasons` is (reason, number of skips). `n_excluded` counts the
    completed seats of raters who are excluded.
    """

    rating_sessions: SessionCounts
    reconciliation: Reconciliation
    n_trials: int
    n_seats: int
    distribution: Sequence[tuple[int, int]]
    least: Sequence[TrialCoverage]
    skip_reasons: Sequence[tuple[str, int]]
    n_last_day: int
    n_excluded: int
    retired: RetiredItems

    @property
    def n_rated(self) -> int:
        """Number of completed seats. Repeats and gold trials have no seats."""
        return sum(n * times for n, times in self.distribution)


def get_session_counts(db: Connection, study_id: int) -> SessionCounts:
    """How many raters came, and how far they got."""
    return SessionCounts(**db.execute(text(_RATING_SESSIONS), {"study_id": study_id}).mappings().one())


def count_needed(db: Connection, study_id: int) -> int:
    """Number of ratings needed: all seats but the free ones of retired items."""
    return _needed(db, study_id)[0]


def _needed(db: Connection, study_id: int) -> tuple[int, RetiredItems]:
    n_seats = db.execute(text("SELECT count(*) FROM seats WHERE study_id = :study_id"), {"study_id": study_id})
    retired = RetiredItems(**db.execute(text(_RETIRED), {"study_id": study_id}).mappings().one())
    return int(n_seats.scalar_one()) - retired.n_not_needed, retired


def get_coverage(db: Connection, study_id: int, *, n_least: int = 8) -> Coverage:
    """The current coverage of the study; `n_least` is the number of least covered trials to list, if seats are free."""
    study = {"study_id": study_id}
    n_needed, retired = _needed(db, study_id)
    distribution = [(int(row.n_done), int(row.n_trials)) for row in db.execute(text(_DISTRIBUTION), study)]
    return Coverage(
        rating_sessions=get_session_counts(db, study_id),
        reconciliation=Reconciliation(**db.execute(text(_RECONCILIATION), study).mappings().one()),
        n_trials=sum(times for _, times in distribution),
        n_seats=n_needed,
        distribution=distribution,
        least=[TrialCoverage(**row) for row in db.execute(text(_LEAST), study | {"n_least": n_least}).mappings()],
        skip_reasons=[(row.skip_reason, int(row.n)) for row in db.execute(text(_SKIPPED), study)],
        n_last_day=int(db.execute(text(_LAST_DAY), study).scalar_one()),
        n_excluded=int(db.execute(text(_EXCLUDED), study | {"raters": list(list_excluded(db, study_id))}).scalar_one()),
        retired=retired,
    )


def count_skipped(db: Connection, study_id: int) -> int:
    """Number of trials that raters skipped."""
    return sum(int(row.n) for row in db.execute(text(_SKIPPED), {"study_id": study_id}))


_RATING_SESSIONS = """
SELECT count(*) + (SELECT count(deleted_at) FROM withdrawals WHERE study_id = :study_id) AS n_arrived,
       count(*) FILTER (WHERE s.state = 'active' AND s.last_seen_at > now() - interval '2 minutes'
                          AND NOT r.is_simulated) AS n_active,
       count(*) FILTER (WHERE s.state = 'finished') AS n_finished,
       count(*) FILTER (WHERE r.is_simulated) AS n_simulated,
       (SELECT n_refused FROM studies WHERE id = :study_id) AS n_refused,
       count(*) FILTER (WHERE s.state = 'screened_out') AS n_screened_out,
       count(*) FILTER (WHERE s.state = 'failed_checks') AS n_failed_checks,
       (SELECT count(*) FROM withdrawals WHERE study_id = :study_id) AS n_withdrawn,
       (SELECT count(deleted_at) FROM withdrawals WHERE study_id = :study_id) AS n_deleted,
       (SELECT count(DISTINCT rating_session_id) FROM session_moves WHERE study_id = :study_id) AS n_moved
FROM rating_sessions s JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id
WHERE s.study_id = :study_id
"""

# Lost: done, but without answers. Double: an answer stored twice, or a trial with more raters than seats.
_RECONCILIATION = """
SELECT count(*) FILTER (WHERE served_at IS NOT NULL) AS n_served,
       count(*) FILTER (WHERE state = 'done') AS n_answered,
       count(*) FILTER (WHERE state = 'skipped') AS n_skipped,
       count(*) FILTER (WHERE state = 'returned' AND served_at IS NOT NULL) AS n_returned,
       count(*) FILTER (WHERE state = 'leased') AS n_open,
       count(*) FILTER (WHERE state = 'done' AND q.assignment_id IS NULL) AS n_lost,
       (SELECT count(*) FROM (
           SELECT FROM ratings WHERE study_id = :study_id AND assignment_id IS NOT NULL
           GROUP BY assignment_id, question, response_id, turn HAVING count(*) > 1) answered_twice)
       + (SELECT count(*) FROM (
           SELECT FROM assignments b
           JOIN trials t ON t.study_id = b.study_id AND t.id = b.trial_id
           WHERE b.study_id = :study_id AND b.state = 'done' AND b.repeat = 0 AND t.purpose = 'rating'
           GROUP BY b.trial_id
           HAVING count(*) > (SELECT count(*) FROM seats s WHERE s.study_id = :study_id AND s.trial_id = b.trial_id)
           ) over_full) AS n_double
FROM assignments a
LEFT JOIN (SELECT DISTINCT assignment_id FROM ratings WHERE study_id = :study_id) q ON q.assignment_id = a.id
WHERE a.study_id = :study_id
"""

_SKIPPED = """
SELECT skip_reason, count(*) AS n FROM assignments WHERE study_id = :study_id AND state = 'skipped'
GROUP BY skip_reason ORDER BY n DESC, skip_reason
"""

_RETIRED = """
SELECT (SELECT count(*) FROM items WHERE study_id = :study_id AND retired_because IS NOT NULL) AS n_items,
       count(*) FILTER (WHERE a.state = 'done') AS n_rated,
       count(*) FILTER (WHERE s.assignment_id IS NULL) AS n_not_needed
FROM items i
JOIN trials t ON t.study_id = i.study_id AND t.item_id = i.id
JOIN seats s ON s.study_id = t.study_id AND s.trial_id = t.id
LEFT JOIN assignments a ON a.study_id = s.study_id AND a.id = s.assignment_id
WHERE i.study_id = :study_id AND i.retired_because IS NOT NULL
"""

_LAST_DAY = """
SELECT count(*) FROM assignments a
JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
WHERE a.study_id = :study_id AND a.state = 'done' AND a.repeat = 0 AND t.purpose = 'rating'
  AND a.submitted_at > now() - interval '1 day' AND NOT r.is_simulated
"""

_EXCLUDED = """
SELECT count(*) FROM assignments a
JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
WHERE a.study_id = :study_id AND a.rater_id = ANY (CAST(:raters AS bigint[]))
  AND a.state = 'done' AND a.repeat = 0 AND t.purpose = 'rating'
"""

_PER_TRIAL = """
SELECT t.id, t.item_id, t.response_ids, t.condition, count(a.id) FILTER (WHERE a.state = 'done') AS n_done,
       count(a.id) FILTER (WHERE a.state = 'leased') AS n_open
FROM trials t LEFT JOIN assignments a ON a.study_id = t.study_id AND a.trial_id = t.id AND a.repeat = 0
WHERE t.study_id = :study_id AND t.purpose = 'rating' GROUP BY t.study_id, t.id
"""

_DISTRIBUTION = f"SELECT n_done, count(*) AS n_trials FROM ({_PER_TRIAL}) x GROUP BY n_done ORDER BY n_done"  # noqa: S608 - contains no input

_LEAST = f"""
SELECT i.key AS item, left(coalesce(i.text, i.turns -> 0 ->> 'text', ''), 90) AS words, x.condition,
       ARRAY(SELECT r.key FROM responses r
             WHERE r.study_id = :study_id AND r.id = ANY (x.response_ids) ORDER BY r.position) AS responses,
       ARRAY(SELECT s.key FROM responses r JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
             WHERE r.study_id = :study_id AND r.id = ANY (x.response_ids) ORDER BY r.position) AS sources,
       x.n_done, x.n_open, y.n_seats
FROM ({_PER_TRIAL}) x JOIN items i ON i.study_id = :study_id AND i.id = x.item_id AND i.retired_because IS NULL
JOIN (SELECT trial_id, count(*) AS n_seats FROM seats WHERE study_id = :study_id GROUP BY trial_id) y
  ON y.trial_id = x.id AND y.n_seats > x.n_done
ORDER BY x.n_done, x.n_open, i.position, x.id LIMIT :n_least
"""  # noqa: S608 - contains no input


def count_simulated(db: Connection, study_id: int) -> int:
    """Number of simulated raters who have finished."""
    statement = text(
        "SELECT count(*) FROM rating_sessions s JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id"
        " WHERE s.study_id = :study_id AND s.state = 'finished' AND r.is_simulated"
    )
    return int(db.execute(statement, {"study_id": study_id}).scalar_one())


def list_open_demos(db: Connection) -> Sequence[tuple[str, str]]:
    """Slug and title of the demo studies that are open to everyone."""
    rows = db.execute(
        text(
            "SELECT s.slug, p.title FROM studies s JOIN protocols p ON p.study_id = s.id"
            " AND p.version = s.protocol_version WHERE s.is_demo AND s.status = 'open' ORDER BY s.id"
        )
    )
    return [(slug, title) for slug, title in rows]
