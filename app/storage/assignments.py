"""Assignments: places given to raters, exactly k for each trial however many come at once.

A place is a row of `seats`. Who takes one locks that row, so that nobody else can; who finds it locked goes on to the
next one and never waits, so that claims cannot block each other.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.design.order import Place
    from app.storage.rating_sessions import RatingSession

_HAD = """
    SELECT a.trial_id, t.item_id FROM assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    WHERE a.study_id = :study AND a.rater_id = :rater AND a.state <> 'returned'
"""
_OPEN_TO_RATER = """
    s.trial_id <> ALL (CAST(:trials AS bigint[])) AND t.item_id <> ALL (CAST(:items AS bigint[]))
"""
_MINE = text(_HAD)
_FREE = text(f"""
    SELECT s.trial_id, s.seat, t.item_id
    FROM seats s JOIN trials t ON t.study_id = s.study_id AND t.id = s.trial_id
    WHERE s.study_id = :study AND s.assignment_id IS NULL AND {_OPEN_TO_RATER}
    ORDER BY s.seat, s.shuffle LIMIT :n FOR UPDATE OF s SKIP LOCKED
""")  # noqa: S608 - constants only
_TRIALS = text("""
    SELECT t.id, i.key || ':' || array_to_string(array(
             SELECT r.key FROM unnest(t.response_ids) WITH ORDINALITY AS o (id, place)
             JOIN responses r ON r.study_id = t.study_id AND r.id = o.id ORDER BY o.place), ':') AS name,
           t.response_ids,
           array(SELECT src.key FROM unnest(t.response_ids) WITH ORDINALITY AS o (id, place)
             JOIN responses r ON r.study_id = t.study_id AND r.id = o.id
             JOIN sources src ON src.study_id = r.study_id AND src.id = r.source_id ORDER BY o.place) AS sources
    FROM trials t JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE t.study_id = :study AND t.id = ANY (CAST(:trials AS bigint[]))
""")
_ASSIGN = text("""
    WITH new AS (
      SELECT * FROM unnest(CAST(:trials AS bigint[]), CAST(:seats AS integer[]), CAST(:positions AS integer[]),
        CAST(:responses AS text[]), CAST(:labels AS text[])) AS n (trial_id, seat, position, response_ids, labels)
    ), made AS (
      INSERT INTO assignments (study_id, trial_id, rater_id, rating_session_id, position, response_ids, shown_labels)
      SELECT :study, trial_id, :rater, :session, position, CAST(response_ids AS bigint[]),
             (SELECT array_agg(value ORDER BY n) FROM jsonb_array_elements_text(CAST(labels AS jsonb))
              WITH ORDINALITY AS l (value, n))
      FROM new RETURNING id, trial_id
    )
    UPDATE seats AS s SET assignment_id = made.id FROM made JOIN new USING (trial_id)
    WHERE s.study_id = :study AND s.trial_id = made.trial_id AND s.seat = new.seat AND s.assignment_id IS NULL
    RETURNING s.seat
""")
_SO_FAR = text("""
    SELECT count(*) FILTER (WHERE a.state <> 'returned') AS n_held,
           count(*) FILTER (WHERE a.state IN ('planned', 'leased')) AS n_open,
           count(*) FILTER (WHERE a.state = 'done') AS n_done,
           coalesce(max(a.position), 0) AS last_position,
           count(*) FILTER (WHERE cardinality(a.response_ids) = 2 AND a.response_ids = t.response_ids) AS n_kept,
           count(*) FILTER (WHERE cardinality(a.response_ids) = 2 AND a.response_ids <> t.response_ids) AS n_swapped
    FROM assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    WHERE a.study_id = :study AND a.rating_session_id = :session
""")
_EXTENT = text("""
    SELECT count(*), count(DISTINCT item_id), coalesce(max(cardinality(response_ids)), 0)
    FROM trials WHERE study_id = :study
""")
_IS_FREE = text(f"""
    SELECT EXISTS (
      SELECT FROM seats s JOIN trials t ON t.study_id = s.study_id AND t.id = s.trial_id
      WHERE s.study_id = :study AND s.assignment_id IS NULL AND {_OPEN_TO_RATER})
""")  # noqa: S608 - constants only
_IS_LEASED = text(f"""
    SELECT EXISTS (
      SELECT FROM seats s JOIN trials t ON t.study_id = s.study_id AND t.id = s.trial_id
      JOIN assignments a ON a.study_id = s.study_id AND a.id = s.assignment_id
      WHERE s.study_id = :study AND a.state IN ('planned', 'leased') AND {_OPEN_TO_RATER})
""")  # noqa: S608 - constants only
# How often, and how long apart, to look again when a free place was locked by somebody else in that moment.
_TRIES, _PAUSE_S = 5, 0.02


@dataclass(frozen=True, slots=True)
class SoFar:
    """What a sitting holds already."""

    n_held: int
    n_open: int
    n_done: int
    last_position: int
    n_kept: int
    n_swapped: int


@dataclass(frozen=True, slots=True)
class Extent:
    """How many trials a study has, over how many items, and how many responses the fullest one shows."""

    n_trials: int
    n_items: int
    n_shown: int


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial under a name that does not depend on the database, with its responses in its own order."""

    name: str
    response_ids: tuple[int, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """A place that this transaction holds."""

    trial_id: int
    seat: int


def get_so_far(db: Connection, session: RatingSession) -> SoFar:
    """Counts of a sitting's assignments."""
    row = db.execute(_SO_FAR, {"study": session.study_id, "session": session.session_id}).one()
    return SoFar(*row)


def get_extent(db: Connection, study_id: int) -> Extent:
    """How much there is to rate."""
    return Extent(*db.execute(_EXTENT, {"study": study_id}).one())


def claim_seats(db: Connection, session: RatingSession, n: int, *, same_item: bool) -> list[Seat]:
    """Lock up to n free places for this rater: least covered trials first, none that the rater has had.

    Args:
        db: the transaction that will also call `record_assignments`; its end frees what was not recorded.
        session: the rater's sitting.
        n: how many at most.
        same_item: whether two trials of one item are allowed.
    """
    claimed: list[Seat] = []
    closed = _closed(db, session, same_item=same_item)
    for attempt in range(_TRIES):
        while len(claimed) < n:
            rows = db.execute(_FREE, {**closed, "n": n - len(claimed)}).all()
            for row in rows:
                if row.trial_id not in closed["trials"] and row.item_id not in closed["items"]:
                    claimed.append(Seat(row.trial_id, row.seat))
                    closed["trials"].append(row.trial_id)
                    closed["items"].extend([] if same_item else [row.item_id])
            if not rows:
                break
        if len(claimed) == n or not db.execute(_IS_FREE, closed).scalar_one():
            break
        if attempt < _TRIES - 1:
            time.sleep(_PAUSE_S)
    return claimed


def _closed(db: Connection, session: RatingSession, *, same_item: bool) -> dict[str, list[int]]:
    had = db.execute(_MINE, {"study": session.study_id, "rater": session.rater_id}).all()
    closed = {"trials": [row.trial_id for row in had], "items": [] if same_item else [row.item_id for row in had]}
    return {"study": session.study_id, **closed}  # type: ignore[dict-item]


def has_leased_places(db: Connection, session: RatingSession, *, same_item: bool) -> bool:
    """Whether a place that this rater could have may still come free."""
    closed = _closed(db, session, same_item=same_item)
    return bool(db.execute(_IS_FREE, closed).scalar_one() or db.execute(_IS_LEASED, closed).scalar_one())


def list_trials(db: Connection, study_id: int, trial_ids: Sequence[int]) -> dict[int, Trial]:
    """The trials with these ids."""
    rows = db.execute(_TRIALS, {"study": study_id, "trials": list(trial_ids)})
    return {row.id: Trial(row.name, tuple(row.response_ids), tuple(row.sources)) for row in rows}


def record_assignments(
    db: Connection, session: RatingSession, seats: Sequence[Seat], places: Sequence[Place],
    labels: dict[int, str],
) -> None:  # fmt: skip
    """Give the claimed seats to the rater.

    Args:
        db: the transaction that claimed them.
        session: the rater's sitting.
        seats: what `claim_seats` gave.
        places: position and shown responses of each.
        labels: what the rater is told of a response's source; empty when the study is blind.
    """
    seat_of = {seat.trial_id: seat.seat for seat in seats}
    rows = {
        "trials": [place.trial_id for place in places],
        "seats": [seat_of[place.trial_id] for place in places],
        "positions": [place.position for place in places],
        "responses": ["{" + ",".join(map(str, place.response_ids)) + "}" for place in places],
        "labels": [json.dumps([labels[r] for r in place.response_ids]) if labels else None for place in places],
    }
    ids = {"study": session.study_id, "rater": session.rater_id, "session": session.session_id}
    taken = db.execute(_ASSIGN, {**ids, **rows}).all()
    if len(taken) != len(places):
        raise RuntimeError(f"{len(places)} places were locked but {len(taken)} could be taken")
