"""A rater's conditions: one fixed between-rater condition, and within-rater conditions that vary by item."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, text

from app.base.database.hot_statement import HotStatement
from app.protocol.allocation.allocate import CellSeat, seats_of_cells
from app.protocol.allocation.rater_plan import is_counterbalanced
from app.protocol.cells import Cell, cell_of, cells, cells_by, joined
from app.protocol.study import Protocol
from app.rating.sessions import RatingSession

# Seats of conditions: a rater takes the first free one; raters who leave release theirs.
#
# Claims cannot block each other: a seat that another rater is taking at the moment is skipped.

_CHOSEN = text("""
    SELECT condition, number_in_condition FROM rating_sessions
    WHERE study_id = :study AND id = :session AND condition IS NOT NULL
""")
_ADD = text("""
    INSERT INTO condition_seats (study_id, pool, number, condition, number_in_condition)
    SELECT :study, :pool, * FROM unnest(CAST(:numbers AS integer[]), CAST(:conditions AS text[]),
      CAST(:numbers_in_condition AS integer[]))
    ON CONFLICT DO NOTHING
""")
_CLAIM = HotStatement("""
    WITH free AS (
      SELECT number FROM condition_seats
      WHERE study_id = :study AND pool = :pool AND rating_session_id IS NULL
        AND condition <> ALL (CAST(:without AS text[]))
      ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE condition_seats s SET rating_session_id = :session FROM free
      WHERE s.study_id = :study AND s.pool = :pool AND s.number = free.number
      RETURNING s.condition, s.number_in_condition
    )
    UPDATE rating_sessions r SET condition = taken.condition, number_in_condition = taken.number_in_condition
    FROM taken WHERE r.study_id = :study AND r.id = :session RETURNING r.condition, r.number_in_condition
""")
# The seat must be of the same condition, because the rater's answers so far were given in it.
_CLAIM_AGAIN = text("""
    WITH free AS (
      SELECT c.number FROM condition_seats c
      WHERE c.study_id = :study AND c.pool = :pool AND c.rating_session_id IS NULL
        AND c.condition = (SELECT condition FROM rating_sessions WHERE study_id = :study AND id = :session)
      ORDER BY c.number LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE condition_seats s SET rating_session_id = :session FROM free
    WHERE s.study_id = :study AND s.pool = :pool AND s.number = free.number RETURNING s.number
""")
_HOLDS = text("SELECT EXISTS (SELECT FROM condition_seats WHERE study_id = :study AND rating_session_id = :session)")
_RELEASE = text("""
    UPDATE condition_seats SET rating_session_id = NULL WHERE study_id = :study AND rating_session_id = :session
""")
_FORGET = text("""
    UPDATE rating_sessions SET condition = NULL, number_in_condition = NULL WHERE study_id = :study AND id = :session
""")
_STATE = text("""
    SELECT coalesce(max(s.number) + 1, 0) AS next_number,
           coalesce(array_agg(DISTINCT s.condition) FILTER (WHERE s.rating_session_id IS NULL), '{}') AS free,
           coalesce(bool_or(r.state = 'active'), false) AS is_one_active
    FROM condition_seats s LEFT JOIN rating_sessions r ON r.study_id = s.study_id AND r.id = s.rating_session_id
    WHERE s.study_id = :study AND s.pool = :pool
""")


@dataclass(frozen=True, slots=True)
class SeatState:
    """The seats of a pool: next number to create, conditions with a free seat, and whether a rater may still leave."""

    next_number: int
    free: frozenset[str]
    is_one_active: bool


def get_condition(db: Connection, session: RatingSession) -> tuple[str, int] | None:
    """The condition of a rating session, and the number of earlier seats in it; None if it has no condition yet."""
    row = db.execute(_CHOSEN, _ids(session)).one_or_none()
    return None if row is None else (row.condition, row.number_in_condition)


def record_condition_seats(db: Connection, study_id: int, pool: str, seats: Sequence[CellSeat]) -> None:
    """Create seats; existing ones are not changed."""
    rows = {
        "numbers": [seat.number for seat in seats],
        "conditions": [seat.cell.text for seat in seats],
        "numbers_in_condition": [seat.number_in_cell for seat in seats],
    }
    db.execute(_ADD, {"study": study_id, "pool": pool, **rows})


def claim_condition(
    db: Connection, session: RatingSession, pool: str, without: Collection[str]
) -> tuple[str, int] | None:
    """Take the first free seat; returns its condition and its number in the condition, or None if no seat is free.

    Args:
        db: the transaction.
        session: a rating session without a condition.
        pool: the pool whose seats are claimed.
        without: conditions that this rater cannot have.
    """
    row = _CLAIM.one_or_none(db, {**_ids(session), "pool": pool, "without": list(without)})
    return None if row is None else (row["condition"], row["number_in_condition"])


def claim_condition_again(db: Connection, session: RatingSession, pool: str) -> bool:
    """Give a returning rater a seat of their condition; returns whether they have one now."""
    values = {**_ids(session), "pool": pool}
    return bool(db.execute(_HOLDS, values).scalar_one() or db.execute(_CLAIM_AGAIN, values).one_or_none())


def release_condition(db: Connection, session: RatingSession) -> None:
    """Release the seat of a rater; the rater keeps the condition in which they answered."""
    db.execute(_RELEASE, _ids(session))


def forget_condition(db: Connection, session: RatingSession) -> None:
    """Release the seat and the condition of a rater who has not answered anything in it."""
    release_condition(db, session)
    db.execute(_FORGET, _ids(session))


def get_seat_state(db: Connection, study_id: int, pool: str) -> SeatState:
    """The state of the seats, without a lock."""
    row = db.execute(_STATE, {"study": study_id, "pool": pool}).one()
    return SeatState(row.next_number, frozenset(row.free), row.is_one_active)


def _ids(session: RatingSession) -> dict[str, int]:
    return {"study": session.study_id, "session": session.session_id}


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


def turned_by_conditions(
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
