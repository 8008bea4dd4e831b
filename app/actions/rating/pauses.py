"""Breaks between the blocks of a rater's trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.allocation.rater_plan import pauses
from app.storage.assignments.blocks import list_blocks

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol
    from app.storage.raters.rating_sessions import RatingSession


def pause_now(db: Connection, session: RatingSession, protocol: Protocol) -> tuple[int, int] | None:
    """If the rater is at a break: number of trials before it, and of all trials; otherwise None.

    A break is offered once: raters who reload the page or come back later continue with the next trial.
    """
    design = protocol.design.blocks
    if design is None:
        return None
    own = list_blocks(db, session, design.column)
    n_before = next((place for place, (state, _) in enumerate(own) if state in {"planned", "leased"}), len(own))
    is_next_new = n_before < len(own) and own[n_before][0] == "planned"
    if is_next_new and n_before in pauses(protocol, [block for _, block in own]):
        return n_before, len(own)
    return None
