"""Whether a rater who wants to begin is let in: caps on raters in all, and by what is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from app.design.allocation import full_quota
from app.storage.admission import count_by_value, count_others, lock_study

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.design.protocol import Protocol
    from app.storage.rating_sessions import RatingSession

Turned = Literal["wait", "full"]


def turned_away(db: Connection, session: RatingSession, protocol: Protocol) -> Turned | None:
    """None where there is room for this rater; else whether some may still come free. Locks the study where it counts.

    Who is under way is in already. Who left is made up for by the next, and is asked again when coming back.
    """
    design = protocol.design
    if session.session_state == "active" or (design.max_raters is None and not design.quotas):
        return None
    lock_study(db, session.study_id)
    n_finished, n_active = count_others(db, session)
    if design.max_raters is not None and n_finished + n_active >= design.max_raters:
        return "full" if n_finished >= design.max_raters else "wait"
    counts = count_by_value(db, session, list(design.quotas))
    if full_quota(design.quotas, counts.own, counts.n_finished):
        return "full"
    return "wait" if full_quota(design.quotas, counts.own, counts.n_finished + counts.n_active) else None
