"""Jobs are rows of procrastinate's table, added in the transaction of what they are for.

Web processes only add rows, so they do not load procrastinate; the worker (`worker.py`) does.
"""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, text

# A job of the same key that is waiting is moved to the earlier time instead of a second one. Its row is locked until
# this transaction ends, so that the job cannot begin before it sees what this transaction has written. Only the
# insertion of a row wakes the worker: for one that is moved, it is done here.
_DEFER = text("""
    WITH deferred AS (
      INSERT INTO procrastinate_jobs AS job (queue_name, task_name, lock, queueing_lock, args, scheduled_at)
      VALUES (:lane, :name, :key, :key, CAST(:args AS jsonb), now() + CAST(:wait AS interval))
      ON CONFLICT (queueing_lock) WHERE status = 'todo' DO UPDATE
        SET scheduled_at = CASE WHEN job.scheduled_at IS NULL OR excluded.scheduled_at IS NULL THEN NULL
                                ELSE least(job.scheduled_at, excluded.scheduled_at) END
      RETURNING id, xmax <> 0 AS was_waiting
    )
    SELECT CASE WHEN was_waiting THEN pg_notify(
             'procrastinate_queue_v1#' || :lane, json_build_object('type', 'job_inserted', 'job_id', id)::text) END
    FROM deferred
""")
_GET = text("""
    SELECT args -> 'said' AS said FROM procrastinate_jobs
    WHERE queueing_lock = :key AND status IN ('todo', 'doing') ORDER BY status DESC LIMIT 1
""")
_SAY = text("""
    UPDATE procrastinate_jobs SET args = jsonb_set(args, '{said}', CAST(:said AS jsonb))
    WHERE queueing_lock = :key AND status = 'doing'
""")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of job. `lane`: the jobs that it shares threads with, see `LANES` in `worker.py`."""

    name: str
    lane: str


def defer(db: Connection, kind: Kind, of: str, *, wait: timedelta | None = None, **args: Any) -> None:  # noqa: ANN401 - JSON
    """Ask for a job once this transaction is committed. Of each kind and `of`, one waits and one runs at a time.

    Args:
        db: the transaction.
        kind: the kind of job.
        of: what it is about, such as an ID.
        wait: how long to wait before it begins.
        args: what it needs beside, as JSON; those of a job that waits already remain.
    """
    values = {"lane": kind.lane, "name": kind.name, "key": key_of(kind, of), "args": json.dumps(args), "wait": wait}
    db.execute(_DEFER, values)


@dataclass(frozen=True, slots=True)
class Job:
    """A job that waits or runs. `said`: what its work has said last, None if nothing."""

    said: Any


def get_job(db: Connection, kind: Kind, of: str) -> Job | None:
    """The job that runs, or waits to; None if there is none."""
    row = db.execute(_GET, {"key": key_of(kind, of)}).one_or_none()
    return None if row is None else Job(row.said)


def say(db: Connection, kind: Kind, of: str, said: Any) -> None:  # noqa: ANN401 - JSON
    """Tell those who wait for the job that runs how far it is; see `Job.said`."""
    db.execute(_SAY, {"key": key_of(kind, of), "said": json.dumps(said)})


def key_of(kind: Kind, of: str) -> str:
    """The key under which one job waits and one runs."""
    return f"{kind.name} {of}"
