"""Preview a draft study as raters will see it, page by page: nothing is stored and no seat is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.allocation.trial_plan import planned_trials
from app.design.presentation import shown_labels
from app.storage.assignments.trials import list_items
from app.storage.studies.example_texts import example_view

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol
    from app.storage.assignments.assignment_view import AssignmentView

# An example is chosen from the first items only, however many there are.
_N_ITEMS = 20


def example_trial(db: Connection, study_id: int, protocol: Protocol, cell: str) -> AssignmentView | None:
    """The rating page of the first trial in a condition; None if there is no trial."""
    items = list_items(db, study_id)[:_N_ITEMS]
    trial = next((trial for trial in planned_trials(protocol, items) if trial.cell.text == cell), None)
    if trial is None or trial.item.item_id is None:
        return None
    sources = [response.source for response in trial.responses]
    if not set(sources) <= set(protocol.sources):
        return None
    return example_view(
        db,
        study_id,
        item_id=trial.item.item_id,
        response_ids=[response.response_id for response in trial.responses],
        condition=cell,
        shown_labels=shown_labels(protocol, cell, sources),
    )
