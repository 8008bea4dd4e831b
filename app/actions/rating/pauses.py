"""The pause between two blocks of a rater's trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.allocation.rater_plan import pauses
from app.storage.assignments.blocks import list_blocks

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol
    from app.storage.raters.rating_sessions import RatingSession


def pause_now(db: Connection, session: RatingSession, protocol: Protocol) -> tuple[int, int] | None:
    """After how many of how many trials the rater is at a pause; None where the next one is served or follows at once.

    Whoever reloads or comes back later goes on with the next trial: a pause is offered once, and never in the way.
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
