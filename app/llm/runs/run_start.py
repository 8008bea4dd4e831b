"""Start a run of requests to a model, or find the one of the same name and settings that it continues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from sqlalchemy import Connection

from app.llm.client.endpoint import Endpoint
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.outcomes import Purpose
from app.llm.runs.requests import PlannedRequest, record_plan
from app.llm.runs.runs import NewRun, RunRow, get_run, record_run
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.llm.writers.respond_settings import RespondSettings

    Settings = JudgeSettings | RespondSettings


class OtherSettingsError(ValueError):
    """A run of this name exists, with other settings."""


def find_run(
    db: Connection, study: StudyRow, purpose: Purpose, name: str, endpoint: Endpoint, settings: Settings
) -> RunRow | None:
    """Return the run of this name, or None if there is none.

    Raises:
        OtherSettingsError: a run of this name has another model, endpoint or other settings.
    """
    run = get_run(db, study.id, purpose, name)
    if run is not None:
        _check_same(run, endpoint, settings)
    return run


def start_run(  # noqa: PLR0913 - what a run consists of
    db: Connection,
    study: StudyRow,
    purpose: Purpose,
    name: str,
    endpoint: Endpoint,
    settings: Settings,
    planned: Sequence[PlannedRequest],
    *,
    rater_id: int | None = None,
    lead_id: int | None = None,
) -> RunRow:
    """Record a new run with its planned requests."""
    new = NewRun(
        purpose=purpose,
        name=name,
        protocol_version=study.protocol_version,
        rater_id=rater_id,
        endpoint=endpoint.base_url,
        model=endpoint.model,
        settings={**settings.stored(), "run_key": uuid4().hex},
        lead_id=lead_id,
    )
    run = record_run(db, study.id, new)
    record_plan(db, run, planned)
    return run


def _check_same(run: RunRow, endpoint: Endpoint, settings: Settings) -> None:
    wanted = {**settings.stored(), "model": endpoint.model, "base_url": endpoint.base_url}
    known = {**run.settings, "model": run.model, "base_url": run.endpoint}
    if changed := sorted(name for name, value in wanted.items() if known.get(name) != value):
        raise OtherSettingsError(
            f"The run {run.name} began with other settings ({', '.join(changed)}). "
            "Continue it with the same settings, or choose another name."
        )
