"""Assignments: claimed seats given to a rater in order, and what a rater has so far."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from app.design.allocation.rater_plan import Place
    from app.storage.assignments.seats import Claimant, Seat
    from app.storage.raters.rating_sessions import RatingSession

# A repeat does not take another seat, because it is the same rater; gold trials have no seats.
_ASSIGN = text("""
    WITH new AS (
      SELECT * FROM unnest(CAST(:trials AS bigint[]), CAST(:repeats AS smallint[]), CAST(:seats AS integer[]),
        CAST(:positions AS integer[]), CAST(:responses AS text[]), CAST(:labels AS text[]))
        AS n (trial_id, repeat, seat, position, response_ids, labels)
    ), made AS (
      INSERT INTO assignments (study_id, trial_id, rater_id, rating_session_id, position, repeat, response_ids,
        shown_labels)
      SELECT :study, trial_id, :rater, :session, position, repeat, CAST(response_ids AS bigint[]),
             (SELECT array_agg(value ORDER BY n) FROM jsonb_array_elements_text(CAST(labels AS jsonb))
              WITH ORDINALITY AS l (value, n))
      FROM new RETURNING id, trial_id, repeat
    )
    UPDATE seats AS s SET assignment_id = made.id FROM made JOIN new USING (trial_id, repeat)
    WHERE s.study_id = :study AND s.trial_id = made.trial_id AND s.pool = :pool AND s.seat = new.seat
      AND s.assignment_id IS NULL
    RETURNING s.seat
""")
_SO_FAR = text("""
    SELECT count(*) FILTER (WHERE a.state <> 'returned' AND a.repeat = 0 AND t.purpose = 'rating') AS n_held,
           count(*) FILTER (WHERE a.state <> 'returned' AND a.repeat > 0) AS n_repeated,
           count(*) FILTER (WHERE a.state <> 'returned' AND t.purpose = 'gold') AS n_gold,
           count(*) FILTER (WHERE a.state IN ('planned', 'leased')) AS n_open,
           count(*) FILTER (WHERE a.state = 'done') AS n_done,
           coalesce(max(a.position), 0) AS last_position,
           count(*) FILTER (WHERE is_first_pair AND a.response_ids = t.response_ids) AS n_kept,
           count(*) FILTER (WHERE is_first_pair AND a.response_ids <> t.response_ids) AS n_swapped
    FROM assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    CROSS JOIN LATERAL (
      SELECT a.repeat = 0 AND t.purpose = 'rating' AND cardinality(a.response_ids) = 2 AS is_first_pair
    ) AS p
    WHERE a.study_id = :study AND a.rating_session_id = :session
""")


@dataclass(frozen=True, slots=True)
class SoFar:
    """Counts of a rating session's assignments so far: trials, repeats and gold trials, by state and sides."""

    n_held: int
    n_repeated: int
    n_gold: int
    n_open: int
    n_done: int
    last_position: int
    n_kept: int
    n_swapped: int


def get_so_far(db: Connection, session: RatingSession) -> SoFar:
    """Counts of a rating session's assignments."""
    row = db.execute(_SO_FAR, {"study": session.study_id, "session": session.session_id}).one()
    return SoFar(*row)


def record_assignments(
    db: Connection,
    who: Claimant,
    seats: Sequence[Seat],
    places: Sequence[Place],
    labels: Mapping[int, Mapping[int, str | None]],
) -> None:
    """Assign the claimed seats to the rater.

    Args:
        db: the transaction that claimed the seats.
        who: the rater.
        seats: the seats from `claim_seats`.
        places: position and shown responses of each trial, including repeats and gold trials.
        labels: by trial ID and response ID, the label shown for the source; None for no label.

    Raises:
        RuntimeError: a claimed seat could not be taken.
    """
    seat_of = {seat.trial_id: seat.seat for seat in seats}
    rows = {
        "trials": [place.trial_id for place in places],
        "repeats": [place.repeat for place in places],
        "seats": [None if place.repeat else seat_of.get(place.trial_id) for place in places],
        "positions": [place.position for place in places],
        "responses": ["{" + ",".join(map(str, place.response_ids)) + "}" for place in places],
        "labels": [_labels(labels[place.trial_id], place) for place in places],
    }
    session = who.session
    ids = {"study": session.study_id, "rater": session.rater_id, "session": session.session_id, "pool": who.pool}
    taken = db.execute(_ASSIGN, {**ids, **rows}).all()
    if len(taken) != len(seats):
        raise RuntimeError(f"{len(seats)} seats were locked but {len(taken)} could be taken")


def _labels(labels: Mapping[int, str | None], place: Place) -> str | None:
    shown = [labels[response_id] for response_id in place.response_ids]
    return json.dumps(shown) if any(shown) else None
