"""Give a rater their list of places, or say why there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from app.actions.conditions import choose_conditions, own_conditions
from app.design.allocation import blocked
from app.design.cells import cell_of
from app.design.order import rater_order
from app.design.presentation import shown_labels
from app.storage.assignments import (
    claim_seats,
    get_extent,
    get_so_far,
    has_leased_places,
    list_trials,
    record_assignments,
)
from app.storage.assignments_return import retake_returned, return_expired
from app.storage.rating_sessions import get_rater_key, record_state

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from app.design.order import Place
    from app.design.protocol import Protocol
    from app.storage.assignments import Extent, Seat, SoFar, Trial
    from app.storage.rating_sessions import RatingSession


def may_repeat_items(protocol: Protocol, extent: Extent) -> bool:
    """Whether a rater may get two trials of one item: as the design says; unsaid, only single responses."""
    same_item = protocol.design.same_item
    return extent.n_shown == 1 if same_item is None else same_item


def length_of_list(protocol: Protocol, extent: Extent) -> int:
    """How many trials a rater gets, where there are enough: as the design says; unsaid, every item."""
    n_most = extent.n_trials if may_repeat_items(protocol, extent) else extent.n_items
    return min(protocol.design.trials_per_rater or n_most, n_most)


def give_places(db: Connection, session: RatingSession, protocol: Protocol) -> Literal["given", "wait", "full"]:
    """Fill a rater's list up to its length: what they had before they stayed away, then the least covered trials.

    "wait": every place that this rater could have is taken, but some only for now. "full": nothing will come free.
    """
    return_expired(db, session)
    retake_returned(db, session)
    so_far = get_so_far(db, session)
    chosen = choose_conditions(db, session, protocol)
    own = chosen or own_conditions(db, session, protocol)
    extent = get_extent(db, session.study_id, own.texts)
    same_item = may_repeat_items(protocol, extent)
    n_missing = max(0, length_of_list(protocol, extent) - so_far.n_held) if chosen else 0
    seats = claim_seats(
        db, session, n_missing, same_item=same_item, conditions=own.texts, rater_number=own.rater_number
    )
    if seats:
        _record(db, session, protocol, seats, so_far, own.rater_number)
    if seats or so_far.n_open:
        record_state(db, session, "active")
        return "given"
    if so_far.n_held or not has_leased_places(db, session, same_item=same_item, conditions=own.texts):
        record_state(db, session, "active" if so_far.n_held else "full")
        return "full"
    return "wait"


def _record(
    db: Connection, session: RatingSession, protocol: Protocol, seats: Sequence[Seat], so_far: SoFar, number: int
) -> None:
    """Set the order and the sides, once and for all."""
    trials = list_trials(db, session.study_id, [seat.trial_id for seat in seats])
    places = rater_order(
        session.seed, get_rater_key(db, session),
        [(trial_id, trial.name, trial.response_ids) for trial_id, trial in trials.items()],
        first=so_far.last_position + 1, kept=so_far.n_kept, swapped=so_far.n_swapped,
    )  # fmt: skip
    labels = {
        trial_id: dict(
            zip(trial.response_ids, shown_labels(protocol, trial.condition, trial.sources), strict=True)
        )
        for trial_id, trial in trials.items()
    }  # fmt: skip
    record_assignments(db, session, seats, _in_blocks(protocol, places, trials, number), labels)


def _in_blocks(
    protocol: Protocol, places: Sequence[Place], trials: Mapping[int, Trial], rater_number: int
) -> Sequence[Place]:
    """The same places with the levels of a blocked factor one after the other."""
    first = min(place.position for place in places)
    for name, factor in protocol.conditions.items():
        if factor.blocks:
            shown = [cell_of(trials[place.trial_id].condition) for place in places]
            order = blocked(shown, name, list(factor.levels), rater_number)
            places = [replace(places[old], position=first + new) for new, old in enumerate(order)]
    return places
