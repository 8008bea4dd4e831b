"""Start a run of requests to a model, or find the one of the same name and settings that it continues."""

from collections.abc import Sequence
from uuid import uuid4

from sqlalchemy import Connection

from app.llm.client.endpoint import Endpoint
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.outcomes import Purpose
from app.llm.runs.requests import PlannedRequest, record_plan
from app.llm.runs.run_changes import delete_run, has_answers, record_max_tokens
from app.llm.runs.runs import NewRun, RunRow, get_run, is_worked_on, record_run
from app.llm.writers.respond_settings import RespondSettings
from app.studies.studies import StudyRow

Settings = JudgeSettings | RespondSettings


class OtherSettingsError(ValueError):
    """A run of this name exists, with other settings."""


def find_run(
    db: Connection, study: StudyRow, purpose: Purpose, name: str, endpoint: Endpoint, settings: Settings
) -> RunRow | None:
    """Return the run of this name, or None if there is none.

    A run with other settings and without any answer is deleted, so that it can begin anew. The longest allowed answer
    can be changed at any time.

    Raises:
        OtherSettingsError: a run of this name has another model, endpoint or other settings, and has answers.
    """
    run = get_run(db, study.id, purpose, name)
    if run is None:
        return None
    changed = _changed(run, endpoint, settings)
    if changed == ["max_tokens"]:
        record_max_tokens(db, run, settings.max_tokens)
        return get_run(db, study.id, purpose, name)
    if not changed:
        return run
    if has_answers(db, run) or run.is_queued or is_worked_on(db, run):
        raise OtherSettingsError(
            f"The run {run.name} began with other settings ({', '.join(changed)}). "
            "Continue it with the same settings, choose another name, or delete it first."
        )
    delete_run(db, run)
    return None


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


def _changed(run: RunRow, endpoint: Endpoint, settings: Settings) -> list[str]:
    """The names of the settings that differ."""
    wanted = {**settings.stored(), "model": endpoint.model, "base_url": endpoint.base_url}
    # Settings that a run of an earlier version does not have are the defaults.
    known = {**type(settings).of(run.settings).stored(), "model": run.model, "base_url": run.endpoint}
    return sorted(name for name, value in wanted.items() if known.get(name) != value)
