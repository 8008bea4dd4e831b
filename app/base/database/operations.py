"""Metrics of the whole database: connections, rows written, and what became of the trials shown.

They count every process and host that uses the database, and cost the rating path nothing.
"""

import logging
import time
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.base.database.engine import Begin
from app.base.database.outages import OUTAGES, outage_in_words

_LIMIT = text("SET LOCAL statement_timeout = '10s'")
_CONNECTIONS = text("""
    SELECT coalesce(state, 'other') AS state, count(*) AS n FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'attune' GROUP BY 1 ORDER BY 1
""")
_WRITTEN = text("""
    SELECT coalesce(sum(n_tup_ins + n_tup_upd) FILTER (WHERE relname = 'ratings'), 0) AS n_answers,
           coalesce(sum(n_tup_ins) FILTER (WHERE relname = 'assignments'), 0) AS n_claims
    FROM pg_stat_user_tables WHERE schemaname = 'public'
""")
# Only studies that collect data: others do not change, and may be large.
_TRIALS = text("""
    SELECT count(*) FILTER (WHERE a.served_at IS NOT NULL) AS n_served,
           count(*) FILTER (WHERE a.state = 'done') AS n_answered,
           count(*) FILTER (WHERE a.state = 'skipped') AS n_skipped,
           count(*) FILTER (WHERE a.state = 'returned' AND a.served_at IS NOT NULL) AS n_returned,
           count(*) FILTER (WHERE a.state = 'leased') AS n_open
    FROM assignments a JOIN studies s ON s.id = a.study_id WHERE s.status IN ('open', 'paused')
""")


_OVERDUE = text("""
    SELECT count(*) FROM rating_sessions r
    JOIN assignments a ON a.study_id = r.study_id AND a.rating_session_id = r.id AND a.state IN ('planned', 'leased')
    JOIN studies s ON s.id = r.study_id
    WHERE s.status IN ('open', 'paused') AND r.state = 'active'
      AND r.lease_expires_at < now() - make_interval(hours => :hours)
""")
# Lost: done, but without answers. Double: an answer that is stored twice.
_LOST = text("""
    SELECT count(*) FROM assignments a JOIN studies s ON s.id = a.study_id
    WHERE s.status IN ('open', 'paused') AND a.state = 'done'
      AND NOT EXISTS (SELECT FROM ratings r WHERE r.study_id = a.study_id AND r.assignment_id = a.id)
""")
_DOUBLE = text("""
    SELECT count(*) FROM (
      SELECT FROM ratings r JOIN studies s ON s.id = r.study_id
      WHERE s.status IN ('open', 'paused') AND r.assignment_id IS NOT NULL
      GROUP BY r.study_id, r.assignment_id, r.question, r.response_id, r.turn HAVING count(*) > 1) twice
""")


_REPORTS = text("""
    SELECT count(*) FROM procrastinate_jobs WHERE queue_name IN ('quick', 'large') AND status IN ('todo', 'doing')
""")


class Written(NamedTuple):
    """Rows since the statistics of the database began: answers stored or changed, and seats claimed."""

    n_answers: int
    n_claims: int


class TrialsShown(NamedTuple):
    """What became of the trials shown in studies that collect data."""

    n_served: int
    n_answered: int
    n_skipped: int
    n_returned: int
    n_open: int

    @property
    def n_unaccounted(self) -> int:
        """Trials in none of the states: anything but zero means an error."""
        return self.n_served - self.n_answered - self.n_skipped - self.n_returned - self.n_open


class Operations(NamedTuple):
    """All metrics at one moment."""

    connections: dict[str, int]
    written: Written
    trials: TrialsShown
    n_reports: int


def get_operations(db: Connection) -> Operations:
    """Read the metrics; each statement is limited to 10 seconds."""
    db.execute(_LIMIT)
    return Operations(
        connections={row.state: int(row.n) for row in db.execute(_CONNECTIONS)},
        written=Written(*map(int, db.execute(_WRITTEN).one())),
        trials=get_trials_shown(db),
        n_reports=int(db.execute(_REPORTS).scalar_one()),
    )


def get_trials_shown(db: Connection) -> TrialsShown:
    """What became of the trials shown in all studies that collect data."""
    return TrialsShown(*map(int, db.execute(_TRIALS).one()))


def count_overdue_leases(db: Connection, hours: int) -> int:
    """Number of trials held by raters whose lease ended longer ago than this."""
    return int(db.execute(_OVERDUE, {"hours": hours}).scalar_one())


def count_lost_and_double(db: Connection) -> tuple[int, int]:
    """Number of completed trials without answers, and of answers stored twice, in studies that collect data."""
    return int(db.execute(_LOST).scalar_one()), int(db.execute(_DOUBLE).scalar_one())


def get_time(db: Connection) -> datetime:
    """The clock of the database."""
    found: datetime = db.execute(text("SELECT clock_timestamp()")).scalar_one()
    return found


# Database metrics for monitoring, read at most every 30 seconds.

KEPT_S = 30.0
log = logging.getLogger("attune.web")


class RecentOperations:
    """The latest metrics. They are kept for a while, because reading them counts every trial of the open studies."""

    def __init__(self) -> None:
        """Read nothing yet."""
        self._guard = Lock()
        self._read_at = -KEPT_S
        self._found: Operations | None = None

    def now(self, begin: Begin) -> Operations | None:
        """The metrics, at most 30 seconds old; None if the database does not respond."""
        with self._guard:
            if time.monotonic() - self._read_at >= KEPT_S or self._found is None:
                self._found = self._read(begin)
                self._read_at = time.monotonic()
            return self._found

    def _read(self, begin: Begin) -> Operations | None:
        try:
            with begin() as db:
                return get_operations(db)
        except OUTAGES as error:
            words = outage_in_words(error)
            if words is None:
                raise
            log.warning("/metrics lacks the numbers of the database: %s", words)
            return None
