"""Whether a seat is free for a rater who has not started: they are told before the consent form and instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.rating.admission import foreseen
from app.actions.rating.conditions import foreseen_conditions, own_conditions, stored_condition
from app.actions.rating.trial_list import pool_of_seats
from app.storage.assignments.returned_seats import return_expired
from app.storage.assignments.seats import Claimant, has_free_seats, has_leased_seats

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.actions.rating.admission import Turned
    from app.design.protocol.study import Protocol
    from app.storage.raters.rating_sessions import RatingSession


def outlook(db: Connection, session: RatingSession, protocol: Protocol) -> Turned | None:
    """None if a seat seems to be free; otherwise whether one may still become free.

    Nothing is locked or reserved: raters are checked again when they start.
    """
    return_expired(db, session)
    pool = pool_of_seats(protocol, session.pool)
    if turned := foreseen(db, session, protocol) or foreseen_conditions(db, session, protocol, pool):
        return turned
    who = Claimant(session, True, own_conditions(protocol, stored_condition(db, session, protocol)).texts, pool=pool)
    if has_free_seats(db, who):
        return None
    return "wait" if has_leased_seats(db, who) else "full"
