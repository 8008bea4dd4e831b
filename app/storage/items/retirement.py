"""Retired items: no one else gets their trials, raters who have one open can finish it, and all ratings are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

_RETIRE = text("UPDATE items SET retired_because = :reason WHERE study_id = :study AND id = :item")
# Trials that were planned for a rater but not shown yet are given to no one; those that are open stay with their rater.
_RETURN = text("""
    WITH returned AS (
      UPDATE assignments a SET state = 'returned' FROM trials t
      WHERE a.study_id = :study AND a.state = 'planned' AND t.study_id = a.study_id AND t.id = a.trial_id
        AND t.item_id = :item
      RETURNING a.id
    )
    UPDATE seats SET assignment_id = NULL WHERE study_id = :study AND assignment_id IN (SELECT id FROM returned)
""")
_IS_SPECIAL = text("""
    SELECT EXISTS (SELECT FROM trials WHERE study_id = :study AND item_id = :item AND purpose <> 'rating')
""")


def retire_item(db: Connection, study_id: int, item_id: int, reason: str) -> None:
    """Retire an item, or change the reason; trials of it that were not shown yet are taken off the raters' lists."""
    db.execute(_RETIRE, {"study": study_id, "item": item_id, "reason": reason})
    db.execute(_RETURN, {"study": study_id, "item": item_id})


def bring_back_item(db: Connection, study_id: int, item_id: int) -> None:
    """Use a retired item again: its free seats can be taken from now on."""
    db.execute(_RETIRE, {"study": study_id, "item": item_id, "reason": None})


def has_special_trials(db: Connection, study_id: int, item_id: int) -> bool:
    """Whether the item is a practice or gold trial, which every rater gets and which has no seats."""
    return bool(db.execute(_IS_SPECIAL, {"study": study_id, "item": item_id}).scalar_one())
