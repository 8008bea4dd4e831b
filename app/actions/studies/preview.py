"""Preview a draft study as raters will see it, page by page: nothing is stored and no seat is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.design.allocation.trial_plan import planned_trials
from app.design.pages.steps import DONE, questionnaire_of, way_of
from app.design.presentation import shown_labels
from app.design.protocol.parts.cells import cells
from app.storage.assignments.trials import list_items
from app.storage.studies.example_texts import example_view

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol
    from app.storage.assignments.assignment_view import AssignmentView

# An example is chosen from the first items only, however many there are.
_N_ITEMS = 20
_TITLES = {
    "consent": "Consent form",
    "eligibility": "Eligibility questions",
    "instructions": "Instructions",
    "rating": "Rating page",
    "about": "Questions about the rater",
    "debrief": "Debriefing",
    DONE: "Last page",
}
_NOT_SHOWN = frozenset({"comprehension", "practice", "revisit"})


@dataclass(frozen=True, slots=True)
class PreviewPage:
    """One page of the preview. `cell` is the condition in which it is shown, if that makes a difference."""

    step: str
    cell: str
    title: str

    @property
    def key(self) -> str:
        """The identifier of the page in an address."""
        return f"{self.step}|{self.cell}" if self.cell else self.step


def preview_pages(protocol: Protocol) -> list[PreviewPage]:
    """The pages in the order in which raters see them, with one rating page per condition."""
    pages = []
    for step in way_of(protocol):
        if step == "rating":
            for cell in cells(protocol.conditions):
                words = protocol.labels.condition(cell.text)
                title = f"{_TITLES[step]}: {words}" if words else _TITLES[step]
                pages.append(PreviewPage(step, cell.text, title))
        elif step not in _NOT_SHOWN:
            pages.append(PreviewPage(step, "", _title(protocol, step)))
    return pages


def _title(protocol: Protocol, step: str) -> str:
    if step in _TITLES:
        return _TITLES[step]
    page = questionnaire_of(protocol, step)
    name, _, number = step.partition("-")
    return (page.title if page else "") or f"Questionnaire {number} {name} the trials"


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
