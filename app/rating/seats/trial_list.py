"""Give a rater their seats, in order, or determine why there are none."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from sqlalchemy import Connection

from app.protocol.allocation.rater_plan import Had, OwnTrial, rater_order, repeats_for, with_gold
from app.protocol.cells import cell_of
from app.protocol.presentation import shown_labels
from app.protocol.study import Protocol
from app.rating.arrival.admission import admit, keep_admission, release_admission
from app.rating.arrival.conditions import (
    OwnConditions,
    choose_conditions,
    forget_condition,
    keep_condition,
    own_conditions,
    stored_condition,
    turned_by_conditions,
)
from app.rating.seats.assignments import BeforeClaim, get_before_claim, record_assignments
from app.rating.seats.available_trials import Extent, Trial, get_extent, shows_several
from app.rating.seats.seats import (
    Claimant,
    Seat,
    claim_seats,
    count_free_seats,
    has_leased_seats,
    retake_gold,
    retake_returned,
    return_expired,
)
from app.rating.sessions import RatingSession, record_state
from app.rating.steps.gold import gold_for

# How many trials are read per trial of a rater's list: at first, and if too few of them are of different items.
TRIALS_READ = (4, 50)
Outcome = Literal["given", "wait", "full"]


@dataclass(frozen=True, slots=True)
class Own:
    """Who claimed seats, in which conditions, and the seats."""

    who: Claimant
    seats: Sequence[Seat] = ()


def list_length(db: Connection, session: RatingSession, protocol: Protocol) -> int:
    """Number of pages that this rater has, or would get now. Where no seat is free, as many as there could be."""
    before = get_before_claim(db, session)
    if before.so_far.n_held:
        return before.so_far.n_held + before.so_far.n_repeated + before.so_far.n_gold
    conditions, wanted = own_conditions(protocol, before.condition), protocol.design.trials_of(session.pool)
    most = _n_most(db, session, protocol, conditions.texts)
    n_most = min(wanted or most, most)
    n_most = count_free_seats(db, _claimant(db, session, protocol, conditions, before), n_most) or n_most
    return n_pages(protocol, n_most)


def n_pages(protocol: Protocol, n_trials: int) -> int:
    """Number of pages of a rater with so many trials: with their repeats and the gold trials."""
    repeats = repeats_for(protocol, n_trials)
    return n_trials + (repeats.n if repeats else 0) + len(protocol.checks.gold)


def give_seats(db: Connection, session: RatingSession, protocol: Protocol) -> Outcome:
    """Fill a rater's list up to its length: their earlier trials if they come back, then the least covered trials.

    "wait": every seat that this rater could take is taken, but one may become free. "full": no seat will become free.
    """
    before = get_before_claim(db, session)
    if before.is_lease_to_end:
        return_expired(db, session)
    if turned := admit(db, session, protocol):
        if turned == "full" and not before.so_far.n_held:
            record_state(db, session, "full")
        return turned
    if before.so_far.last_position:
        retake_returned(db, session)
        before = get_before_claim(db, session)
    own, so_far = _claim(db, session, protocol, before), before.so_far
    if own.seats:
        _record(db, protocol, own, before)
        if so_far.last_position and protocol.checks.gold:
            retake_gold(db, session)
        return "given"
    if so_far.n_open:
        record_state(db, session, "active")
        return "given"
    if so_far.n_held:
        record_state(db, session, "active")
        return "full"
    # Raters with nothing to rate release their condition. It is claimed again when a trial becomes free.
    record_state(db, session, "arrived")
    is_over = turned_by_conditions(db, session, protocol, own.who.pool) == "full"
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
        chosen = stored_condition(db, session, protocol)
        choose_conditions(db, session, protocol, pool_of_seats(protocol, session.pool), chosen)
    elif session.session_state != "active":
        release_admission(db, session)


def keep_seats(db: Connection, session: RatingSession, protocol: Protocol) -> None:
    """Count a rater who finishes after their seats were released: limits and conditions are kept on completers."""
    keep_admission(db, session, protocol)
    if stored_condition(db, session, protocol):
        keep_condition(db, session, protocol, pool_of_seats(protocol, session.pool))


def _claim(db: Connection, session: RatingSession, protocol: Protocol, before: BeforeClaim) -> Own:
    """Claim seats in the rater's condition; if it has no seats left, release it and try the next condition."""
    pool, chosen = pool_of_seats(protocol, session.pool), before.condition
    without: list[str] = []
    while conditions := choose_conditions(db, session, protocol, pool, chosen, without):
        own = _own(db, session, protocol, conditions, before)
        if own.seats or conditions.between is None:
            return own
        forget_condition(db, session)
        without.append(conditions.between)
    return Own(_claimant(db, session, protocol, own_conditions(protocol, chosen), before))


def pool_of_seats(protocol: Protocol, pool: str | None) -> str:
    """The pool whose seats a rater of this pool can take; empty if the design has no pools."""
    return pool or "" if protocol.design.pools else ""


def _own(
    db: Connection, session: RatingSession, protocol: Protocol, conditions: OwnConditions, before: BeforeClaim
) -> Own:
    """Claim seats in these conditions."""
    who = _claimant(db, session, protocol, conditions, before)
    n = protocol.design.trials_of(session.pool)
    if n is None or len(conditions.texts) > 1:
        # A list without a length has all trials, and several conditions share what there is evenly.
        most = _n_most(db, session, protocol, conditions.texts)
        n = min(n or most, most)
    return Own(who, claim_seats(db, who, max(0, n - before.so_far.n_held)))


def _claimant(
    db: Connection, session: RatingSession, protocol: Protocol, conditions: OwnConditions, before: BeforeClaim
) -> Claimant:
    design, pool = protocol.design, pool_of_seats(protocol, session.pool)
    same_item = design.same_item
    if same_item is None:
        n_read = TRIALS_READ[0] * (design.trials_of(session.pool) or 0) if design.trials == "single" else 0
        same_item = not shows_several(db, session, conditions.texts, pool, n_rows=n_read or None)
    return Claimant(
        session,
        same_item,
        conditions.texts,
        conditions.rater_number,
        pool,
        protocol.flow.exposure_cap,
        design.adaptive,
        has_trials=before.has_trials,
        block_column=design.blocks.column if design.blocks else None,
    )


def _n_most(db: Connection, session: RatingSession, protocol: Protocol, conditions: Sequence[str]) -> int:
    """Maximum number of trials of this rater. In a large study, only as many are read as show that it is enough."""
    design, cap, pool = protocol.design, protocol.flow.exposure_cap, pool_of_seats(protocol, session.pool)
    wanted = design.trials_of(session.pool) or 0
    for n_each in TRIALS_READ if wanted else ():
        part = get_extent(db, session, conditions, pool, n_rows=wanted * n_each)
        is_sure = part.n_shown > 1 or design.trials == "single" or design.same_item is not None
        most = part.n_most(same_item=_may_repeat_items(protocol, part), exposure_cap=cap)
        if is_sure and most >= wanted:
            return most
    extent = get_extent(db, session, conditions, pool)
    return extent.n_most(same_item=_may_repeat_items(protocol, extent), exposure_cap=cap)


def _may_repeat_items(protocol: Protocol, extent: Extent) -> bool:
    """Whether a rater may get two trials of one item: as in the design, by default only for single responses."""
    same_item = protocol.design.same_item
    return extent.n_shown == 1 if same_item is None else same_item


def _record(db: Connection, protocol: Protocol, own: Own, before: BeforeClaim) -> None:
    """Store the order, the sides, the repeats and the gold trials, which do not change afterwards."""
    session, so_far = own.who.session, before.so_far
    trials = [seat.trial for seat in sorted(own.seats, key=lambda seat: (seat.item_position, seat.trial.id))]
    places = rater_order(
        protocol,
        before.key,
        [_own_trial(trial) for trial in trials],
        seed=session.seed,
        rater_number=own.who.rater_number,
        had=Had(so_far.last_position, so_far.n_kept, so_far.n_swapped, so_far.n_repeated),
    )
    gold = [] if so_far.last_position else gold_for(db, session, protocol, before.key, own.who.conditions)
    places = with_gold(places, [_own_trial(trial) for trial in gold], seed=session.seed, rater=before.key)
    record_assignments(db, own.who, own.seats, places, _labels(protocol, (*trials, *gold)))


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
