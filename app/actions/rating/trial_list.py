"""Give a rater their seats, in order, or determine why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from app.actions.rating.admission import admit, keep_admission
from app.actions.rating.conditions import (
    OwnConditions,
    choose_conditions,
    foreseen_conditions,
    keep_condition,
    own_conditions,
)
from app.actions.rating.gold import gold_for
from app.design.allocation.gold_trials import with_gold
from app.design.allocation.rater_plan import Had, OwnTrial, rater_order, repeats_for
from app.design.presentation import shown_labels
from app.design.protocol.parts.cells import cell_of
from app.storage.assignments.assignments import get_so_far, record_assignments
from app.storage.assignments.returned_seats import retake_gold, retake_returned, return_expired
from app.storage.assignments.seats import Claimant, claim_seats, has_leased_seats
from app.storage.assignments.trial_lists import get_extent, list_trials
from app.storage.raters.admission import release_admission
from app.storage.raters.condition_seats import forget_condition
from app.storage.raters.rating_sessions import get_rater, record_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol
    from app.storage.assignments.assignments import SoFar
    from app.storage.assignments.seats import Seat
    from app.storage.assignments.trial_lists import Extent, Trial
    from app.storage.raters.rating_sessions import RatingSession

# How many trials are read per trial of a rater's list: at first, and if too few of them are of different items.
TRIALS_READ = (4, 50)
Outcome = Literal["given", "wait", "full"]


@dataclass(frozen=True, slots=True)
class Own:
    """What a rater's list depends on: the seats they can take, the maximum number, and the key for random draws."""

    who: Claimant
    n_most: int
    key: str


def list_length(db: Connection, session: RatingSession, protocol: Protocol) -> int:
    """Number of pages that this rater gets if there are enough seats."""
    so_far = get_so_far(db, session)
    if so_far.n_held:
        return so_far.n_held + so_far.n_repeated + so_far.n_gold
    n_most = _own(db, session, protocol, own_conditions(db, session, protocol)).n_most
    repeats = repeats_for(protocol, n_most)
    return n_most + (repeats.n if repeats else 0) + len(protocol.checks.gold)


def give_seats(db: Connection, session: RatingSession, protocol: Protocol) -> Outcome:
    """Fill a rater's list up to its length: their earlier trials if they come back, then the least covered trials.

    "wait": every seat that this rater could take is taken, but one may become free. "full": no seat will become free.
    """
    return_expired(db, session)
    if turned := admit(db, session, protocol):
        if turned == "full" and not get_so_far(db, session).n_held:
            record_state(db, session, "full")
        return turned
    so_far = get_so_far(db, session)
    if so_far.last_position:
        retake_returned(db, session)
        so_far = get_so_far(db, session)
    own, seats = _claim(db, session, protocol, so_far)
    if seats:
        _record(db, protocol, own, seats, so_far)
        if so_far.last_position and protocol.checks.gold:
            retake_gold(db, session)
    if seats or so_far.n_open:
        record_state(db, session, "active")
        return "given"
    if so_far.n_held:
        record_state(db, session, "active")
        return "full"
    # Raters with nothing to rate release their condition. It is claimed again when a trial becomes free.
    record_state(db, session, "arrived")
    is_over = foreseen_conditions(db, session, protocol, own.who.pool) == "full"
    if is_over or not has_leased_seats(db, own.who):
        record_state(db, session, "full")
        return "full"
    release_admission(db, session)
    return "wait"


def come_back(db: Connection, session: RatingSession, protocol: Protocol) -> None:
    """Give a returning rater the seats of their trials and of their condition that are still free."""
    if admit(db, session, protocol):
        return
    if retake_returned(db, session):
        choose_conditions(db, session, protocol, pool_of_seats(protocol, session.pool))
    elif session.session_state != "active":
        release_admission(db, session)


def keep_seats(db: Connection, session: RatingSession, protocol: Protocol) -> None:
    """Count a rater who finishes after their seats were released: limits and conditions are kept on completers."""
    keep_admission(db, session, protocol)
    keep_condition(db, session, protocol, pool_of_seats(protocol, session.pool))


def _claim(db: Connection, session: RatingSession, protocol: Protocol, so_far: SoFar) -> tuple[Own, list[Seat]]:
    """Claim seats in the rater's condition; if it has no seats left, release it and try the next condition."""
    pool = pool_of_seats(protocol, session.pool)
    without: list[str] = []
    while chosen := choose_conditions(db, session, protocol, pool, without):
        own = _own(db, session, protocol, chosen)
        seats = claim_seats(db, own.who, max(0, own.n_most - so_far.n_held))
        if seats or chosen.between is None:
            return own, seats
        forget_condition(db, session)
        without.append(chosen.between)
    return _own(db, session, protocol, own_conditions(db, session, protocol)), []


def pool_of_seats(protocol: Protocol, pool: str | None) -> str:
    """The pool whose seats a rater of this pool can take; empty if the design has no pools."""
    return pool or "" if protocol.design.pools else ""


def _own(db: Connection, session: RatingSession, protocol: Protocol, conditions: OwnConditions) -> Own:
    key, pool = get_rater(db, session)
    seats = pool_of_seats(protocol, pool)
    wanted, cap = protocol.design.trials_of(pool), protocol.flow.exposure_cap
    extent = _extent(db, session, protocol, conditions.texts, pool)
    same_item = _may_repeat_items(protocol, extent)
    n_most = extent.n_most(same_item=same_item, exposure_cap=cap)
    who = Claimant(session, same_item, conditions.texts, conditions.rater_number, seats, cap, protocol.design.adaptive)
    return Own(who, min(wanted or n_most, n_most), key)


def _extent(
    db: Connection, session: RatingSession, protocol: Protocol, conditions: Sequence[str], pool: str | None
) -> Extent:
    """The extent. In a large study, only as many trials are read as show that the rater's list can be filled."""
    design, cap, seats = protocol.design, protocol.flow.exposure_cap, pool_of_seats(protocol, pool)
    wanted = design.trials_of(pool) or 0
    for n_each in TRIALS_READ if wanted else ():
        part = get_extent(db, session, conditions, seats, n_rows=wanted * n_each)
        is_sure = part.n_shown > 1 or design.trials == "single" or design.same_item is not None
        if is_sure and part.n_most(same_item=_may_repeat_items(protocol, part), exposure_cap=cap) >= wanted:
            return part
    return get_extent(db, session, conditions, seats)


def _may_repeat_items(protocol: Protocol, extent: Extent) -> bool:
    """Whether a rater may get two trials of one item: as in the design, by default only for single responses."""
    same_item = protocol.design.same_item
    return extent.n_shown == 1 if same_item is None else same_item


def _record(db: Connection, protocol: Protocol, own: Own, seats: Sequence[Seat], so_far: SoFar) -> None:
    """Store the order, the sides, the repeats and the gold trials, which do not change afterwards."""
    session, blocks = own.who.session, protocol.design.blocks
    column = blocks.column if blocks else None
    trials = list_trials(db, session.study_id, [seat.trial_id for seat in seats], column)
    places = rater_order(
        protocol,
        own.key,
        [_own_trial(trial) for trial in trials],
        seed=session.seed,
        rater_number=own.who.rater_number,
        had=Had(so_far.last_position, so_far.n_kept, so_far.n_swapped, so_far.n_repeated),
    )
    gold = [] if so_far.last_position else gold_for(db, session, protocol, own.key, own.who.conditions)
    places = with_gold(places, [_own_trial(trial) for trial in gold], seed=session.seed, rater=own.key)
    record_assignments(db, own.who, seats, places, _labels(protocol, (*trials, *gold)))


def _labels(protocol: Protocol, trials: Sequence[Trial]) -> dict[int, dict[int, str | None]]:
    """The label of each response's source, by trial and response; most trials have the same sources."""

    @cache
    def of(condition: str, sources: tuple[str, ...]) -> tuple[str | None, ...]:
        return shown_labels(protocol, condition, sources)

    return {
        trial.id: dict(zip(trial.response_ids, of(trial.condition, trial.sources), strict=True)) for trial in trials
    }


def _own_trial(trial: Trial) -> OwnTrial:
    return OwnTrial(cell_of(trial.condition), trial.block, trial.id, trial.name, trial.response_ids)
