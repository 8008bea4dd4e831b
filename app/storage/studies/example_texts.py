"""The texts of one trial for a preview; nothing is assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import text

from app.storage.assignments.assignment_view import AssignmentView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

# A token that no assignment has.
NO_TOKEN = UUID(int=0)
_ITEM = text("SELECT text, turns, profile, content_note FROM items WHERE study_id = :study AND id = :item")
_RESPONSES = text("""
    SELECT r.text, r.turns FROM unnest(CAST(:ids AS bigint[])) WITH ORDINALITY AS o (id, place)
    JOIN responses r ON r.study_id = :study AND r.id = o.id ORDER BY o.place
""")


def example_view(
    db: Connection,
    study_id: int,
    *,
    item_id: int,
    response_ids: Sequence[int],
    condition: str,
    shown_labels: tuple[str | None, ...],
) -> AssignmentView:
    """The page of a trial as the first in a list, without an assignment."""
    item = db.execute(_ITEM, {"study": study_id, "item": item_id}).one()
    responses = db.execute(_RESPONSES, {"study": study_id, "ids": list(response_ids)}).all()
    return AssignmentView(
        study_id=study_id,
        id=0,
        token=NO_TOKEN,
        rater_id=0,
        trial_id=0,
        position=1,
        response_ids=tuple(response_ids),
        shown_labels=shown_labels,
        repeat=0,
        state="leased",
        n_turns_done=0,
        served_at=None,
        condition=condition,
        item_id=item_id,
        text=item.text,
        turns=item.turns,
        profile=item.profile,
        content_note=item.content_note,
        responses=[{"text": row.text, "turns": row.turns} for row in responses],
        answers=[],
        n_all=10,
        place=1,
        previous=None,
    )
