"""Assignments: claimed seats given to a rater in order, and what a rater has so far."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from sqlalchemy import Connection, text

from app.base.database.hot_statement import HotStatement
from app.protocol.allocation.rater_plan import Place
from app.rating.seats.seats import LEASE_TO_END, Claimant, Seat
from app.rating.sessions import RatingSession

# A repeat does not take another seat, because it is the same rater; gold trials have no seats.
_ASSIGN = HotStatement("""
    WITH new AS (
      SELECT * FROM unnest(CAST(:trials AS bigint[]), CAST(:repeats AS smallint[]), CAST(:seats AS integer[]),
        CAST(:positions AS integer[]), CAST(:responses AS text[]), CAST(:labels AS text[]))
        AS n (trial_id, repeat, seat, position, response_ids, labels)
    ), made AS (
      INSERT INTO assignments (study_id, trial_id, rater_id, rating_session_id, position, repeat, response_ids,
        shown_labels)
      SELECT :study, trial_id, :rater, :session, position, repeat, CAST(response_ids AS bigint[]),
             CASE WHEN labels IS NOT NULL THEN (
               SELECT array_agg(value ORDER BY n) FROM jsonb_array_elements_text(CAST(labels AS jsonb))
               WITH ORDINALITY AS l (value, n)) END
      FROM new RETURNING id, trial_id, repeat
    ), taken AS (
      UPDATE seats AS s SET assignment_id = made.id FROM made JOIN new USING (trial_id, repeat)
      WHERE s.study_id = :study AND s.trial_id = made.trial_id AND s.pool = :pool AND s.seat = new.seat
        AND s.assignment_id IS NULL
      RETURNING s.seat
    ), active AS (
      UPDATE rating_sessions SET state = 'active'
      WHERE study_id = :study AND id = :session AND state IN ('arrived', 'expired', 'full')
    )
    SELECT count(*) AS n FROM taken
""")
_SO_FAR = """
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
"""
_GET_SO_FAR = HotStatement(_SO_FAR)
# One statement for all that a claim depends on. Most raters have no trial yet, and nobody's lease is over.
_BEFORE_CLAIM = HotStatement(f"""
    SELECT so_far.*, r.key, s.condition, s.number_in_condition,
           EXISTS (SELECT FROM assignments WHERE study_id = :study AND rater_id = s.rater_id AND NOT is_returned)
             AS has_trials,
           EXISTS (SELECT FROM rating_sessions o WHERE {LEASE_TO_END}) AS is_lease_to_end
    FROM rating_sessions s JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id
    CROSS JOIN ({_SO_FAR}) AS so_far
    WHERE s.study_id = :study AND s.id = :session
""")  # noqa: S608 - constants only


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


_COUNTS = tuple(field.name for field in fields(SoFar))


@dataclass(frozen=True, slots=True)
class BeforeClaim:
    """What a claim depends on: the rater, what they have so far, and whether other raters' seats are to be released.

    `key` determines the order and sides of the rater's trials. `condition`: their between-rater condition and its
    number, None if they have none yet. `has_trials`: whether the rater has a trial that was not returned.
    `is_lease_to_end`: whether another rater's lease is over, or lies too far ahead.
    """

    so_far: SoFar
    key: str
    condition: tuple[str, int] | None
    has_trials: bool
    is_lease_to_end: bool


def get_so_far(db: Connection, session: RatingSession) -> SoFar:
    """Counts of a rating session's assignments."""
    return SoFar(**_GET_SO_FAR.one(db, {"study": session.study_id, "session": session.session_id}))


def get_before_claim(db: Connection, session: RatingSession) -> BeforeClaim:
    """What a claim of this rater depends on."""
    row = _BEFORE_CLAIM.one(db, {"study": session.study_id, "session": session.session_id})
    condition = None if row["condition"] is None else (row["condition"], row["number_in_condition"])
    so_far = SoFar(**{name: row[name] for name in _COUNTS})
    return BeforeClaim(so_far, row["key"], condition, row["has_trials"], row["is_lease_to_end"])


def record_assignments(
    db: Connection,
    who: Claimant,
    seats: Sequence[Seat],
    places: Sequence[Place],
    labels: Mapping[int, Mapping[int, str | None]],
) -> None:
    """Assign the claimed seats to the rater, who is active from then on.

    Args:
        db: the transaction that claimed the seats.
        who: the rater.
        seats: the seats from `claim_seats`.
        places: position and shown responses of each trial, including repeats and gold trials.
        labels: by trial ID and response ID, the label shown for the source; None for no label.

    Raises:
        RuntimeError: a claimed seat could not be taken.
    """
    seat_of = {seat.trial.id: seat.seat for seat in seats}
    rows = {
        "trials": _array(place.trial_id for place in places),
        "repeats": _array(place.repeat for place in places),
        "seats": _array("NULL" if place.repeat else seat_of.get(place.trial_id, "NULL") for place in places),
        "positions": _array(place.position for place in places),
        "responses": _array(f'"{_array(place.response_ids)}"' for place in places),
        "labels": [_labels(labels[place.trial_id], place) for place in places],
    }
    session = who.session
    ids = {"study": session.study_id, "rater": session.rater_id, "session": session.session_id, "pool": who.pool}
    n_taken = _ASSIGN.one(db, {**ids, **rows})["n"]
    if n_taken != len(seats):
        raise RuntimeError(f"{len(seats)} seats were locked but {n_taken} could be taken")


def _array(values: Iterable[object]) -> str:
    """An array as PostgreSQL writes it: psycopg takes several times as long to make it from a list."""
    return "{" + ",".join(map(str, values)) + "}"


def _labels(labels: Mapping[int, str | None], place: Place) -> str | None:
    shown = [labels[response_id] for response_id in place.response_ids]
    return json.dumps(shown) if any(shown) else None


# A rater's list by blocks, for the breaks between them.

_BLOCKS = text("""
    SELECT a.state, CASE WHEN a.repeat = 0 AND t.purpose = 'rating'
                    THEN coalesce(i.attributes ->> CAST(:column AS text), '') END AS block
    FROM assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE a.study_id = :study AND a.rating_session_id = :session AND a.state <> 'returned' ORDER BY a.position
""")


def list_blocks(db: Connection, session: RatingSession, column: str | None) -> list[tuple[str, str | None]]:
    """State and block of each assignment in the rater's order; the block of repeats and gold trials is None."""
    values = {"study": session.study_id, "session": session.session_id, "column": column}
    return [(row.state, row.block) for row in db.execute(_BLOCKS, values)]
