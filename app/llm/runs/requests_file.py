"""requests.jsonl: every request to a language model of a study, one JSON object per line."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, text

from app.llm.runs.request_reader import list_requests
from app.llm.runs.runs import RunRow, list_runs

_HAS_RUNS = text("SELECT EXISTS (SELECT FROM model_runs WHERE study_id = :study)")
_N_AT_ONCE = 1000


def has_runs(db: Connection, study_id: int) -> bool:
    """Whether a model was asked about the study."""
    return bool(db.execute(_HAS_RUNS, {"study": study_id}).scalar_one())


def request_lines(db: Connection, study_id: int) -> Iterator[str]:
    """Yield each request as a line of JSON: the run with its model, what was sent, and what came back."""
    for purpose in ("judge", "respond"):
        for run in list_runs(db, study_id, purpose):
            yield from _lines(db, run)


def _lines(db: Connection, run: RunRow) -> Iterator[str]:
    about = {"run": run.name, "purpose": run.purpose, "model": run.model, "endpoint": run.endpoint}
    first = 0
    while rows := list_requests(db, run, first=first, n=_N_AT_ONCE):
        first += len(rows)
        for row in rows:
            values = {name: value for name, value in asdict(row).items() if name != "id"}
            yield json.dumps({**about, **values}, ensure_ascii=False, default=_time) + "\n"


def _time(value: object) -> str:
    assert isinstance(value, datetime)  # noqa: S101 - all others are JSON
    return value.isoformat()


def write_requests(db: Connection, study_id: int, path: Path) -> None:
    """Write all requests of the study, one after the other, so that the file can be larger than memory."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(request_lines(db, study_id))
