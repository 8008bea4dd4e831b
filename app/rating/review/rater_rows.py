"""One row per rater: their progress and the decisions about them. Counted from the rows each time."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.studies.studies import list_excluded

# Which raters are models and which are simulated: neither is compared with people.


_KINDS = text("""
    SELECT id, kind = 'model' AS is_model FROM raters WHERE study_id = :study AND (kind = 'model' OR is_simulated)
""")

_PEOPLE = "FROM raters r WHERE r.study_id = :study AND r.kind <> 'model'"
# Answers that count: not those of a page that is still open, nor of a rater who is excluded.
_HAS_RATED = """r.id <> ALL(:excluded)
  AND EXISTS (SELECT FROM ratings a WHERE a.study_id = r.study_id AND a.rater_id = r.id AND a.exclude IS NULL)"""
# The index of the answers of each rater makes this quick.
_SIMULATED = text(f"""
    SELECT EXISTS (SELECT {_PEOPLE} AND r.is_simulated AND {_HAS_RATED}) AS has_simulated,
           EXISTS (SELECT {_PEOPLE} AND NOT r.is_simulated AND {_HAS_RATED}) AS has_real
""")


class RaterKinds(NamedTuple):
    """The IDs of raters that are models, and of the others that are simulated."""

    models: frozenset[int]
    simulated: frozenset[int]


def list_rater_kinds(db: Connection, study_id: int) -> RaterKinds:
    """The raters of a study who are not people."""
    rows = db.execute(_KINDS, {"study": study_id}).all()
    models = frozenset(row.id for row in rows if row.is_model)
    return RaterKinds(models, frozenset(row.id for row in rows) - models)


def has_only_simulated(db: Connection, study_id: int) -> bool:
    """Whether all people whose answers count are simulated."""
    has_simulated, has_real = _who_rated(db, study_id, list_excluded(db, study_id))
    return has_simulated and not has_real


def list_left_out(db: Connection, study_id: int) -> list[int]:
    """The raters whose answers enter no result: those who are excluded, and simulated ones once a person has rated.

    The same raters as `analysis.data.simulated` and the column `exclude` leave out of reports.
    """
    excluded = set(list_excluded(db, study_id))
    if all(_who_rated(db, study_id, excluded)):
        excluded |= list_rater_kinds(db, study_id).simulated
    return sorted(excluded)


def _who_rated(db: Connection, study_id: int, excluded: Iterable[int]) -> tuple[bool, bool]:
    """Whether simulated raters, and whether real people, have answers that are not excluded."""
    found = db.execute(_SIMULATED, {"study": study_id, "excluded": list(excluded)}).one()
    return found.has_simulated, found.has_real


_ROWS = text("""
    WITH last_session AS (
      SELECT DISTINCT ON (rater_id) rater_id, state, arrived_at, begun_at, finished_at, last_seen_at,
             EXISTS (SELECT FROM session_moves m WHERE m.study_id = rs.study_id AND m.rating_session_id = rs.id)
             AS is_moved
      FROM rating_sessions rs WHERE study_id = :study ORDER BY rater_id, id DESC
    ), work AS (
      SELECT rater_id, count(*) FILTER (WHERE state = 'done') AS n_done,
             count(*) FILTER (WHERE state <> 'returned') AS n_trials,
             count(*) FILTER (WHERE state = 'skipped') AS n_skipped,
             count(*) FILTER (WHERE state IN ('planned', 'leased')) AS n_open, sum(active_ms) AS active_ms
      FROM assignments WHERE study_id = :study GROUP BY rater_id
    ), lost AS (
      SELECT a.rater_id, count(DISTINCT a.trial_id) AS n_released,
             count(DISTINCT a.trial_id) FILTER (WHERE is_full) AS n_taken_over
      FROM assignments a JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
      CROSS JOIN LATERAL (
        SELECT bool_and(s.assignment_id IS NOT NULL) AS is_full FROM seats s
        WHERE s.study_id = a.study_id AND s.trial_id = a.trial_id AND s.pool IN ('', coalesce(r.pool, ''))
      ) AS seats_of_trial
      WHERE a.study_id = :study AND a.state = 'returned' AND NOT EXISTS (
        SELECT FROM assignments b WHERE b.study_id = a.study_id AND b.rater_id = a.rater_id
          AND b.trial_id = a.trial_id AND b.state <> 'returned')
      GROUP BY a.rater_id
    ), checked AS (
      SELECT rater_id, count(*) AS n_checks,
             count(*) FILTER (WHERE NOT CAST(detail->>'is_passed' AS boolean)) AS n_failed
      FROM events WHERE study_id = :study AND kind = 'check' AND detail->>'is_passed' IS NOT NULL
        AND detail->>'check' <> ALL(CAST(:repeated AS text[])) GROUP BY rater_id
    ), decided AS (
      SELECT DISTINCT ON (rater_id) rater_id, is_excluded, reason, decided_at FROM rater_exclusions
      WHERE study_id = :study ORDER BY rater_id, id DESC
    ), invited AS (
      SELECT rater_id, bool_or(revoked_at IS NULL) AS has_link FROM invites WHERE study_id = :study GROUP BY rater_id
    ), in_file AS (
      -- answers that came with a file which leaves them out
      SELECT a.rater_id, count(*) AS n, CASE WHEN min(exclude) = max(exclude) THEN min(exclude) END AS reason
      FROM raters r JOIN ratings a ON a.study_id = r.study_id AND a.rater_id = r.id
      WHERE r.study_id = :study AND a.exclude IS NOT NULL
        AND NOT EXISTS (SELECT FROM rating_sessions z WHERE z.study_id = r.study_id AND z.rater_id = r.id)
      GROUP BY a.rater_id
    ), came AS (
      SELECT rater_id, min(platform) AS platform FROM platform_ids WHERE study_id = :study GROUP BY rater_id
    )
    SELECT r.id, r.key, r.kind, r.pool, r.is_simulated, r.is_imported, came.platform, s.state, s.arrived_at,
           s.begun_at, s.finished_at, s.last_seen_at, coalesce(s.is_moved, false) AS is_moved,
           coalesce(w.n_done, 0) AS n_done, coalesce(w.n_trials, 0) AS n_trials,
           coalesce(l.n_released, 0) AS n_released, coalesce(l.n_taken_over, 0) AS n_taken_over,
           coalesce(w.n_skipped, 0) AS n_skipped, coalesce(w.n_open, 0) AS n_open, w.active_ms,
           coalesce(c.n_failed, 0) AS n_failed, coalesce(c.n_checks, 0) AS n_checks,
           coalesce(d.is_excluded, false) AS is_excluded, d.reason, d.decided_at, i.has_link,
           coalesce(f.n, 0) AS n_left_out, f.reason AS left_out_because
    FROM raters r
    LEFT JOIN last_session s ON s.rater_id = r.id
    LEFT JOIN work w ON w.rater_id = r.id
    LEFT JOIN lost l ON l.rater_id = r.id
    LEFT JOIN checked c ON c.rater_id = r.id
    LEFT JOIN decided d ON d.rater_id = r.id
    LEFT JOIN came ON came.rater_id = r.id
    LEFT JOIN invited i ON i.rater_id = r.id
    LEFT JOIN in_file f ON f.rater_id = r.id
    WHERE r.study_id = :study
      AND (r.kind <> 'model' OR EXISTS (SELECT FROM ratings a WHERE a.study_id = r.study_id AND a.rater_id = r.id))
    ORDER BY r.id
""")


class RaterRow(NamedTuple):
    """One rater. `reason` is that of the last decision. `state` is None without a rating session.

    `is_moved`: the study was also opened in a browser that only had the rater's ID.
    `has_link`: whether the rater's personal link opens the study; False if it was revoked, None if there never was one.
    `n_released`: trials that were released, such as after a time without activity, and that the rater did not get
    again. `n_taken_over`: those of them that have no free place any more.
    `n_left_out`: imported answers that their file excludes, which no decision here undoes; `left_out_because`: why, if
    all have the same reason.
    """

    id: int
    key: str
    kind: str
    pool: str | None
    is_simulated: bool
    is_imported: bool
    platform: str | None
    state: str | None
    arrived_at: datetime | None
    begun_at: datetime | None
    finished_at: datetime | None
    last_seen_at: datetime | None
    is_moved: bool
    n_done: int
    n_trials: int
    n_released: int
    n_taken_over: int
    n_skipped: int
    n_open: int
    active_ms: int | None
    n_failed: int
    n_checks: int
    is_excluded: bool
    reason: str | None
    decided_at: datetime | None
    has_link: bool | None = None
    n_left_out: int = 0
    left_out_because: str | None = None

    @property
    def minutes(self) -> float | None:
        """Time spent in minutes: the active time, otherwise the time from the first item to the last."""
        if self.active_ms:
            return float(self.active_ms) / 60_000
        end = self.finished_at or self.last_seen_at
        return (end - self.begun_at).total_seconds() / 60 if self.begun_at and end else None


def list_rater_rows(db: Connection, study_id: int, repeated: Collection[str] = ()) -> list[RaterRow]:
    """All raters, in order of arrival; models once they have answered, not those that are only planned.

    Args:
        db: the transaction.
        study_id: the study.
        repeated: the checks that do not count, because they are repeated until they are passed.
    """
    found = db.execute(_ROWS, {"study": study_id, "repeated": list(repeated)})
    return [RaterRow._make(row) for row in found.columns(*RaterRow._fields)]
