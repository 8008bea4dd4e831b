"""Runs: a model with its settings, asked about the trials of a study."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, text

from app.base.database.process_locks import LockedError, is_locked, only_process
from app.base.jobs.queue import Kind, defer
from app.llm.outcomes import Purpose

_COLUMNS = """
    id, study_id, purpose, name, protocol_version, rater_id, endpoint, model, settings, limits,
    EXISTS (SELECT FROM procrastinate_jobs j
            WHERE j.queueing_lock = 'model run ' || model_runs.id AND j.status IN ('todo', 'doing')) AS is_queued,
    is_stopped, stop_reason, created_at
"""
_OF_STUDY = f"SELECT {_COLUMNS} FROM model_runs WHERE study_id = :study"  # noqa: S608 - constants only
_ONE = text(f"{_OF_STUDY} AND purpose = :purpose AND name = :name")
_ALL = text(f"{_OF_STUDY} AND purpose = :purpose ORDER BY id")
_NEW = text(f"""
    INSERT INTO model_runs (study_id, purpose, name, protocol_version, rater_id, endpoint, model, settings, lead_id)
    VALUES (:study, :purpose, :name, :protocol_version, :rater_id, :endpoint, :model, CAST(:settings AS jsonb),
            :lead_id)
    RETURNING {_COLUMNS}
""")  # noqa: S608 - constants only
_RATER = text("""
    INSERT INTO raters (study_id, key, kind, attributes) VALUES (:study, :key, 'model', CAST(:attributes AS jsonb))
    ON CONFLICT (study_id, key) DO NOTHING RETURNING id
""")
_ATTRIBUTES = text("""
    UPDATE raters SET attributes = attributes || CAST(:attributes AS jsonb) WHERE study_id = :study AND id = :rater
""")
_STOP = text("UPDATE model_runs SET is_stopped = :stopped, stop_reason = :reason WHERE study_id = :study AND id = :run")
_ONE_BY_ID = text(f"{_OF_STUDY} AND id = :run")
_LIMITS = text("UPDATE model_runs SET limits = CAST(:limits AS jsonb) WHERE study_id = :study AND id = :run")
# Beside the settings, as the key of the run.
_BATCHES = text("""
    UPDATE model_runs SET settings = jsonb_set(settings, '{batches}',
        coalesce(settings -> 'batches', '[]') - CAST(:number AS text) || CAST(:added AS jsonb))
    WHERE study_id = :study AND id = :run
""")
_IS_STOPPED = text("SELECT is_stopped FROM model_runs WHERE study_id = :study AND id = :run")
# Its key is in the columns above too.
RUNNING = Kind("model run", lane="models")
# Two processes that work through one run would ask everything twice.
_WORK = "model run"


class RunNameTakenError(ValueError):
    """A rater of the study already has the name of the run."""


class RunIsBusyError(RuntimeError):
    """Another process works through this run."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run. `settings` are those with which it was created; of them, only `max_tokens` can change."""

    id: int
    study_id: int
    purpose: Purpose
    name: str
    protocol_version: int
    rater_id: int | None
    endpoint: str
    model: str
    settings: dict[str, Any]
    limits: dict[str, Any] | None
    is_queued: bool
    is_stopped: bool
    stop_reason: str | None
    created_at: datetime

    @property
    def in_batches(self) -> bool:
        """Whether its requests are sent in batches."""
        return bool((self.limits or {}).get("batch"))

    @property
    def batches(self) -> tuple[str, ...]:
        """The IDs of the batches that were sent and not read yet."""
        return tuple(self.settings.get("batches", ()))


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to be created; see `RunRow`."""

    purpose: Purpose
    name: str
    protocol_version: int
    rater_id: int | None
    endpoint: str
    model: str
    settings: Mapping[str, Any]
    lead_id: int | None = None


def get_run(db: Connection, study_id: int, purpose: Purpose, name: str) -> RunRow | None:
    """The run of this name, or None."""
    row = db.execute(_ONE, {"study": study_id, "purpose": purpose, "name": name}).mappings().one_or_none()
    return None if row is None else RunRow(**row)


def list_runs(db: Connection, study_id: int, purpose: Purpose) -> list[RunRow]:
    """All runs of a study for this purpose, the oldest first."""
    return [RunRow(**row) for row in db.execute(_ALL, {"study": study_id, "purpose": purpose}).mappings()]


def record_judge(db: Connection, study_id: int, key: str, attributes: Mapping[str, str]) -> int:
    """Add a judge as a rater of kind `model`; return its ID.

    Raises:
        RunNameTakenError: a rater has this key.
    """
    values = {"study": study_id, "key": key, "attributes": json.dumps(dict(attributes))}
    rater_id = db.execute(_RATER, values).scalar_one_or_none()
    if rater_id is None:
        raise RunNameTakenError(f"The study already has a rater {key}. Choose another name with --name.")
    return int(rater_id)


def record_judge_attributes(db: Connection, run: RunRow, attributes: Mapping[str, str]) -> None:
    """Add attributes to the judge of a run."""
    values = {"study": run.study_id, "rater": run.rater_id, "attributes": json.dumps(dict(attributes))}
    db.execute(_ATTRIBUTES, values)


def record_run(db: Connection, study_id: int, new: NewRun) -> RunRow:
    """Create a run."""
    values = asdict(new) | {"study": study_id, "settings": json.dumps(dict(new.settings))}
    return RunRow(**db.execute(_NEW, values).mappings().one())


def get_run_by_id(db: Connection, study_id: int, run_id: int) -> RunRow | None:
    """The run with this ID, or None."""
    row = db.execute(_ONE_BY_ID, {"study": study_id, "run": run_id}).mappings().one_or_none()
    return None if row is None else RunRow(**row)


def record_queued(db: Connection, run: RunRow, server: str, max_tokens: int, *, batch: bool) -> None:
    """Queue a run: a worker works on it until it ends or is stopped. `batch`: its requests are sent in batches."""
    record_server(db, run, server, max_tokens, batch=batch)
    record_stop(db, run, None)
    work_soon(db, run)


def record_server(db: Connection, run: RunRow, server: str, max_tokens: int, *, batch: bool) -> None:
    """Store the server of a run, its budget, and whether its requests are sent in batches."""
    record_limits(db, run, {"server": server, "max_tokens": max_tokens} | ({"batch": True} if batch else {}))


def record_limits(db: Connection, run: RunRow, limits: Mapping[str, Any]) -> None:
    """Store server and budget of a run, whether it is sent in batches, and how often its process ended."""
    db.execute(_LIMITS, {"study": run.study_id, "run": run.id, "limits": json.dumps(dict(limits))})


def work_soon(db: Connection, run: RunRow, *, wait: timedelta | None = None) -> None:
    """Ask for the job that works on a run."""
    defer(db, RUNNING, str(run.id), wait=wait, study=run.study_id, run=run.id)


def is_worked_on(db: Connection, run: RunRow) -> bool:
    """Whether a process works on the run now."""
    return is_locked(db, _WORK, run.id)


def record_stop(db: Connection, run: RunRow, reason: str | None) -> None:
    """Note why a run ended early; None when it starts or continues."""
    values = {"study": run.study_id, "run": run.id, "stopped": reason is not None, "reason": reason}
    db.execute(_STOP, values)


def record_batch(db: Connection, run: RunRow, number: str, *, is_under_way: bool) -> None:
    """Note that a batch was sent, or that it was read."""
    added = json.dumps([number] if is_under_way else [])
    db.execute(_BATCHES, {"study": run.study_id, "run": run.id, "number": number, "added": added})


def is_stopped(db: Connection, run: RunRow) -> bool:
    """Whether someone stopped the run."""
    return bool(db.execute(_IS_STOPPED, {"study": run.study_id, "run": run.id}).scalar_one_or_none())


@contextmanager
def only_worker(engine: Engine, run: RunRow) -> Iterator[None]:
    """Hold the lock of a run; it ends with this process, however that ends.

    Raises:
        RunIsBusyError: another process holds it.
    """
    try:
        with only_process(engine, _WORK, run.id):
            yield
    except LockedError:
        raise RunIsBusyError(f"Another process is working on the run {run.name}.") from None
