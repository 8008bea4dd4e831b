"""What the design of a study folder needs, before it is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.allocation.feasibility import Feasibility, feasibility
from app.design.allocation.special_trials import special_trials
from app.design.allocation.trial_plan import planned_trials
from app.design.allocation.trials import Candidate, PlannedItem

if TYPE_CHECKING:
    import pandas as pd

    from app.analysis.data.study_folder import StudyFolder


def feasibility_of_folder(folder: StudyFolder) -> Feasibility:
    """The number of raters that the folder's design needs, and why it is not feasible if it is not."""
    named: dict[str, set[str]] = {}
    persons = folder.raters[folder.raters["kind"] == "person"]
    for rater, pool in zip(persons["rater"], persons["pool"], strict=True):
        named.setdefault(pool or "", set()).add(rater)
    items = planned_items(folder)
    special = special_trials(folder.protocol, items)
    return feasibility(folder.protocol, planned_trials(folder.protocol, items), named, special.problems)


def planned_items(folder: StudyFolder) -> list[PlannedItem]:
    """The items of a folder as the plan needs them, in order."""
    responses: dict[str, list[Candidate]] = {item: [] for item in folder.items["item"]}
    table = folder.responses
    for place, (key, item, source) in enumerate(zip(table["response"], table["item"], table["source"], strict=True)):
        responses[item].append(Candidate(place, key, source))
    columns = zip(
        folder.items["item"], *(_column(folder.items, name) for name in ("rater", "pool", "content_note")), strict=True
    )
    return [
        PlannedItem(item, tuple(responses[item]), rater or None, pool or None, bool(note))
        for item, rater, pool, note in columns
    ]


def _column(items: pd.DataFrame, name: str) -> list[str | None]:
    return list(items[name]) if name in items.columns else [None] * len(items)
