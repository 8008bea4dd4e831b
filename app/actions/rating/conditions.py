"""In which conditions a rater is: one between raters for good, and those within raters item by item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.design.allocation.allocate import next_cell
from app.design.allocation.rater_plan import is_counterbalanced
from app.design.protocol.cells import Cell, cell_of, cells, cells_by, joined
from app.storage.assignments.condition_draws import (
    count_conditions,
    get_condition,
    list_free_conditions,
    record_condition,
)
from app.storage.raters.admission import lock_study

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol
    from app.storage.assignments.condition_draws import ConditionCount
    from app.storage.raters.rating_sessions import RatingSession


@dataclass(frozen=True, slots=True)
class OwnConditions:
    """The conditions whose trials a rater may have, and how many raters of the same kind came before."""

    texts: tuple[str, ...] = ("",)
    rater_number: int = 0


def own_conditions(db: Connection, session: RatingSession, protocol: Protocol) -> OwnConditions:
    """Those of this rater as far as they are chosen; before that, all of them."""
    if not is_counterbalanced(protocol):
        return OwnConditions()
    chosen = get_condition(db, session)
    if chosen is None:
        return OwnConditions(tuple(cell.text for cell in cells(protocol.conditions)))
    return _within(protocol, cell_of(chosen[0]), chosen[1])


def choose_conditions(db: Connection, session: RatingSession, protocol: Protocol, pool: str) -> OwnConditions | None:
    """Those of this rater, chosen now where they are not yet; None where every cell between raters is taken."""
    if not is_counterbalanced(protocol) or get_condition(db, session):
        return own_conditions(db, session, protocol)
    lock_study(db, session.study_id)
    counts = _counts(db, session, pool)
    cell = _next(db, session, protocol, pool, counts)
    if cell is None:
        return None
    number = counts[cell].next_number if cell in counts else 0
    record_condition(db, session, cell.text, number)
    return _within(protocol, cell, number)


def foreseen_conditions(
    db: Connection, session: RatingSession, protocol: Protocol, pool: str
) -> Literal["wait", "full"] | None:
    """Whether every cell between raters is taken, and if so whether one may come free; None where one is open."""
    if not is_counterbalanced(protocol) or get_condition(db, session):
        return None
    counts = _counts(db, session, pool)
    if _next(db, session, protocol, pool, counts) is not None:
        return None
    return "wait" if any(count.n_active for count in counts.values()) else "full"


def _counts(db: Connection, session: RatingSession, pool: str) -> dict[Cell, ConditionCount]:
    return {cell_of(text): count for text, count in count_conditions(db, session.study_id, pool).items()}


def _next(
    db: Connection, session: RatingSession, protocol: Protocol, pool: str, counts: Mapping[Cell, ConditionCount]
) -> Cell | None:
    factors = protocol.conditions
    free = {cell_of(text).part(factors, "between") for text in list_free_conditions(db, session, pool)}
    return next_cell(
        cells_by(factors, "between"),
        factors,
        {cell: n.n_finished for cell, n in counts.items()},
        {cell: n.n_active for cell, n in counts.items()},
        seed=session.seed,
        free=free,
    )


def _within(protocol: Protocol, between: Cell, number: int) -> OwnConditions:
    inner = cells_by(protocol.conditions, "within")
    return OwnConditions(tuple(joined(protocol.conditions, between, cell).text for cell in inner), number)
