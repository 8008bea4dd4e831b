"""Add generated texts as responses: only those that a person accepted or edited, with the checks of an import."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection

from app.accounts.leads import Lead
from app.base.files.table import Table
from app.base.problem import InvalidInputError
from app.base.problems import Problems
from app.llm.runs.requests import get_progress
from app.llm.runs.runs import RunRow
from app.llm.writers.respond_settings import RespondSettings
from app.llm.writers.texts import TextRow, UndecidedError, list_texts, record_texts_used
from app.protocol.study import Protocol
from app.studies.audit import record_act
from app.studies.editor.protocol_edits import Change, save_change
from app.studies.folder.texts import check_responses
from app.studies.imports.read_texts import check_new_keys
from app.studies.imports.text_uploads import check_replaceable
from app.studies.load import store_responses
from app.studies.studies import StudyRow

EDITED = "-edited"


def use_texts(db: Connection, study: StudyRow, lead: Lead, run: RunRow, source: str, number: int) -> int:
    """Add the accepted and edited texts of a run to a draft as responses of a source; return how many.

    Edited texts are responses of a second source of kind `human+model`. Both keep what the model wrote.

    Args:
        db: the transaction.
        study: a study that was never opened and has no answers.
        lead: who adds them.
        run: the run.
        source: the key of the source.
        number: the save of the protocol's draft that the lead saw.

    Raises:
        TextsFixedError: the study has been opened or has answers.
        UndecidedError: no text was accepted, or the source belongs to other responses.
        InvalidInputError: the protocol with the source, or the responses, have problems.
    """
    check_replaceable(db, study)
    rows = [row for row in list_texts(db, run) if row.decision in {"accepted", "edited"} and row.used_at is None]
    if not rows:
        raise UndecidedError("Accept or edit at least one text first.")
    described = _described(db, run, source, rows)
    change = Change(lambda data: data.get("sources"), lambda data: _with(data, described, run))
    saved = save_change(db, study, lead, number, change)
    if saved.protocol is None:
        raise InvalidInputError(list(saved.problems))
    _store(db, study, run, saved.protocol, source, rows)
    record_texts_used(db, run, [row.id for row in rows])
    record_act(db, lead, study, "generated texts used", run=run.name, source=source, n_texts=len(rows))
    return len(rows)


def _described(db: Connection, run: RunRow, source: str, rows: Sequence[TextRow]) -> dict[str, dict[str, Any]]:
    """The sources of the accepted and edited texts, with model, prompt and run as attributes."""
    settings = RespondSettings.of(run.settings)
    attributes = settings.attributes(run, get_progress(db, run).versions)
    kinds = {source_of(row, source): "human+model" if row.decision == "edited" else "model" for row in rows}
    return {key: {"kind": kind, **attributes} for key, kind in kinds.items()}


def source_of(row: TextRow, source: str) -> str:
    """The key of the source that a text becomes a response of."""
    return f"{source}{EDITED}" if row.decision == "edited" else source


def _with(data: dict[str, Any], described: Mapping[str, dict[str, Any]], run: RunRow) -> dict[str, Any]:
    known = data.get("sources")
    sources = dict(known) if isinstance(known, dict) else {}
    for key, source in described.items():
        there = sources.get(key)
        if there is not None and not (isinstance(there, dict) and there.get("run") == run.name):
            raise UndecidedError(f"The study already has a source {key}. Choose another name for the source.")
        sources[key] = {**(there or {}), **source}
    return {**data, "sources": sources}


def _store(
    db: Connection, study: StudyRow, run: RunRow, protocol: Protocol, source: str, rows: Sequence[TextRow]
) -> None:
    problems = Problems()
    cells = [_cells(run, row, source) for row in rows]
    columns = {name: np.array([one[name] for one in cells], dtype=object) for name in cells[0]}
    table = Table(f"the run {run.name}", np.arange(1, len(rows) + 1), columns)
    responses = check_responses(table, None, protocol, problems)
    problems.raise_if_any()
    if responses is None:
        raise AssertionError("the table has all columns")
    check_new_keys(db, study.id, table.file, "response", responses["response"])
    store_responses(db, study.id, responses)


def _cells(run: RunRow, row: TextRow, source: str) -> dict[str, str]:
    """The columns of responses.csv for a text: the response, and its provenance as attributes."""
    return {
        "item": row.item,
        "source": source_of(row, source),
        "text": row.final,
        "generated_text": row.text if row.decision == "edited" else "",
        "generated_by": run.name,
        "generated_at": row.answered_at.isoformat(timespec="seconds"),
        "generated_request": f"{run.name}/{row.number}",
        "generated_version": row.model_version or "",
        "generated_fingerprint": row.fingerprint or "",
        "generated_seed": "" if row.seed is None else f"seed {row.seed}",
        "reviewed_by": row.decided_by or "",
    }
