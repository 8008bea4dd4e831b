"""A rater's conditions: one fixed between-rater condition, and within-rater conditions that vary by item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.design.allocation.allocate import seats_of_cells
from app.design.allocation.rater_plan import is_counterbalanced
from app.design.protocol.parts.cells import Cell, cell_of, cells, cells_by, joined
from app.storage.raters.condition_seats import (
    claim_condition,
    claim_condition_again,
    get_condition,
    get_seat_state,
    record_condition_seats,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol
    from app.storage.raters.condition_seats import SeatState
    from app.storage.raters.rating_sessions import RatingSession

# Number of seats created at once per pool: when the study opens, and whenever none is free.
N_MADE = 256


@dataclass(frozen=True, slots=True)
class OwnConditions:
    """The conditions of the trials that a rater may get, and the number of earlier raters in the same condition.

    `between` is set if the between-rater condition was chosen just now and can still be released.
    """

    texts: tuple[str, ...] = ("",)
    rater_number: int = 0
    between: str | None = None


def stored_condition(db: Connection, session: RatingSession, protocol: Protocol) -> tuple[str, int] | None:
    """The rater's condition and its number; None if it has not been chosen yet, or if there is nothing to choose."""
    return get_condition(db, session) if is_counterbalanced(protocol) else None


def own_conditions(protocol: Protocol, chosen: tuple[str, int] | None) -> OwnConditions:
    """The rater's conditions if they have been chosen, with their number; otherwise all conditions."""
    if not is_counterbalanced(protocol):
        return OwnConditions()
    if chosen is None:
        return OwnConditions(tuple(cell.text for cell in cells(protocol.conditions)))
    return _within(protocol, *chosen)


def make_condition_seats(
    db: Connection, study_id: int, protocol: Protocol, seed: int, pool: str, *, first: int = 0
) -> bool:
    """Create the next seats of a pool in balanced order; False if there are none, as levels may have caps."""
    if not is_counterbalanced(protocol):
        return False
    factors = protocol.conditions
    seats = seats_of_cells(first, N_MADE, cells_by(factors, "between"), factors, seed=seed)
    record_condition_seats(db, study_id, pool, seats)
    return bool(seats)


def choose_conditions(
    db: Connection,
    session: RatingSession,
    protocol: Protocol,
    pool: str,
    chosen: tuple[str, int] | None,
    without: Collection[str] = (),
) -> OwnConditions | None:
    """The rater's conditions, which are chosen now if necessary; None if all seats are taken.

    Args:
        db: the transaction.
        session: the rater's session.
        protocol: the rater's protocol.
        pool: the pool whose seats are claimed.
        chosen: the rater's condition and its number, if it has been chosen before.
        without: between-rater conditions whose trials have no seats left for this rater.
    """
    if not is_counterbalanced(protocol):
        return OwnConditions()
    if chosen:
        keep_condition(db, session, protocol, pool)
        return _within(protocol, *chosen)
    taken = claim_condition(db, session, pool, without)
    if taken is None and _make_more(db, session, protocol, pool):
        taken = claim_condition(db, session, pool, without)
    return None if taken is None else _within(protocol, *taken, is_new=True)


def keep_condition(db: Connection, session: RatingSession, protocol: Protocol, pool: str) -> None:
    """Give a rater whose condition was chosen before a seat of it."""
    if not claim_condition_again(db, session, pool) and _make_more(db, session, protocol, pool):
        claim_condition_again(db, session, pool)


def foreseen_conditions(
    db: Connection, session: RatingSession, protocol: Protocol, pool: str
) -> Literal["wait", "full"] | None:
    """None if a seat is free; otherwise whether one may still become free."""
    if not is_counterbalanced(protocol) or get_condition(db, session):
        return None
    state = get_seat_state(db, session.study_id, pool)
    if state.free or _more(session, protocol, state):
        return None
    return "wait" if state.is_one_active else "full"


def _make_more(db: Connection, session: RatingSession, protocol: Protocol, pool: str) -> bool:
    first = get_seat_state(db, session.study_id, pool).next_number
    return make_condition_seats(db, session.study_id, protocol, session.seed, pool, first=first)


def _more(session: RatingSession, protocol: Protocol, state: SeatState) -> bool:
    """Whether more seats can be created."""
    factors = protocol.conditions
    between = cells_by(factors, "between")
    return bool(seats_of_cells(state.next_number, N_MADE, between, factors, seed=session.seed))


def _within(protocol: Protocol, between: str, number: int, *, is_new: bool = False) -> OwnConditions:
    cell: Cell = cell_of(between)
    inner = cells_by(protocol.conditions, "within")
    texts = tuple(joined(protocol.conditions, cell, one).text for one in inner)
    return OwnConditions(texts, number, between if is_new else None)
