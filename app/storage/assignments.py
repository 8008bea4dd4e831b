"""Assignments: places given to raters, exactly k for each trial however many come at once.

A place is a row of `seats`. Who takes one locks that row, so that nobody else can; who finds it locked goes on to the
next one and never waits, so that claims cannot block each other.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Row

    from app.design.order import Place
    from app.storage.rating_sessions import RatingSession

_HAD = """
    SELECT a.trial_id, t.item_id, t.condition, t.item_id || ':' || t.response_ids::text AS shown
    FROM assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    WHERE a.study_id = :study AND a.rater_id = :rater AND a.state <> 'returned'
"""
_OPEN_TO_RATER = """
    s.trial_id <> ALL (CAST(:trials AS bigint[])) AND t.item_id <> ALL (CAST(:items AS bigint[]))
    AND t.condition = ANY (CAST(:conditions AS text[]))
    AND t.item_id || ':' || t.response_ids::text <> ALL (CAST(:shown AS text[]))
"""
_MINE = text(_HAD)
_FREE = text(f"""
    SELECT s.trial_id, s.seat, t.item_id, t.condition, t.item_id || ':' || t.response_ids::text AS shown
    FROM seats s JOIN trials t ON t.study_id = s.study_id AND t.id = s.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE s.study_id = :study AND s.assignment_id IS NULL AND {_OPEN_TO_RATER}
      AND (CAST(:turn AS integer) IS NULL OR mod(i.position + :turn, :n_turns) = 0)
    ORDER BY s.seat, s.shuffle LIMIT :n FOR UPDATE OF s SKIP LOCKED
""")  # noqa: S608 - constants only
_TRIALS = text("""
    SELECT t.id, i.key || ':' || array_to_string(array(
             SELECT r.key FROM unnest(t.response_ids) WITH ORDINALITY AS o (id, place)
             JOIN responses r ON r.study_id = t.study_id AND r.id = o.id ORDER BY o.place), ':') AS name,
           t.response_ids, t.condition,
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
    SELECT count(DISTINCT (item_id, response_ids)), count(DISTINCT item_id),
           coalesce(max(cardinality(response_ids)), 0)
    FROM trials WHERE study_id = :study AND condition = ANY (CAST(:conditions AS text[]))
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
    condition: str = ""


@dataclass(frozen=True, slots=True)
class Seat:
    """A place that this transaction holds."""

    trial_id: int
    seat: int


def get_so_far(db: Connection, session: RatingSession) -> SoFar:
    """Counts of a sitting's assignments."""
    row = db.execute(_SO_FAR, {"study": session.study_id, "session": session.session_id}).one()
    return SoFar(*row)


def get_extent(db: Connection, study_id: int, conditions: Sequence[str] = ("",)) -> Extent:
    """How much there is to rate in these conditions; the same responses in several of them count once."""
    return Extent(*db.execute(_EXTENT, {"study": study_id, "conditions": list(conditions)}).one())


def claim_seats(
    db: Connection, session: RatingSession, n: int, *, same_item: bool, conditions: Sequence[str] = ("",),
    rater_number: int = 0,
) -> list[Seat]:  # fmt: skip
    """Lock up to n free places for this rater: least covered trials first, none that the rater has had.

    With several conditions a rater's trials are spread over them evenly, each item in the one whose turn it is by the
    Latin square of items and raters as far as its places are free, then in another.

    Args:
        db: the transaction that will also call `record_assignments`; its end frees what was not recorded.
        session: the rater's sitting.
        n: how many at most.
        same_item: whether two trials of one item are allowed.
        conditions: those that the rater has.
        rater_number: how many raters with the same conditions came before.
    """
    closed = _Closed(db, session, same_item=same_item)
    claimed: list[Seat] = []
    wanted = _wanted(closed.n_by_condition, n, conditions, rater_number) if len(conditions) > 1 else {}
    for is_by_turn in (True, False):
        for place, condition in enumerate(conditions if wanted else ()):
            turn = rater_number - place if is_by_turn else None
            got = _claim(db, closed, wanted[condition], [condition], turn, len(conditions))
            wanted[condition] -= len(got)
            claimed += got
    for attempt in range(_TRIES):
        claimed += _claim(db, closed, n - len(claimed), conditions)
        if len(claimed) == n or not db.execute(_IS_FREE, closed.values(conditions)).scalar_one():
            break
        if attempt < _TRIES - 1:
            time.sleep(_PAUSE_S)
    return claimed


def _wanted(had: Mapping[str, int], n: int, conditions: Sequence[str], rater_number: int) -> dict[str, int]:
    """How many more trials of each condition make the rater's conditions differ by one at most."""
    each, more = divmod(n + sum(had.values()), len(conditions))
    return {
        condition: max(0, each + ((place - rater_number) % len(conditions) < more) - had.get(condition, 0))
        for place, condition in enumerate(conditions)
    }


def _claim(
    db: Connection, closed: _Closed, n: int, conditions: Sequence[str], turn: int | None = None, n_turns: int = 1
) -> list[Seat]:
    claimed: list[Seat] = []
    while len(claimed) < n:
        left = {"n": n - len(claimed), "turn": None if turn is None else turn % n_turns, "n_turns": n_turns}
        rows = db.execute(_FREE, {**closed.values(conditions), **left}).all()
        claimed += [Seat(row.trial_id, row.seat) for row in rows if closed.take(row)]
        if not rows:
            break
    return claimed


class _Closed:
    """The trials that a rater has had, and what may not come again with them."""

    def __init__(self, db: Connection, session: RatingSession, *, same_item: bool) -> None:
        self.study, self.same_item = session.study_id, same_item
        self.trials: list[int] = []
        self.items: list[int] = []
        self.shown: list[str] = []
        self.n_by_condition: Counter[str] = Counter()
        for row in db.execute(_MINE, {"study": session.study_id, "rater": session.rater_id}):
            self._add(row)
            self.n_by_condition[row.condition] += 1

    def _add(self, row: Row[Any]) -> None:
        self.trials.append(row.trial_id)
        self.items.extend([] if self.same_item else [row.item_id])
        self.shown.append(row.shown)

    def take(self, row: Row[Any]) -> bool:
        """Whether this one may come, which closes it for the next."""
        if row.trial_id in self.trials or row.item_id in self.items or row.shown in self.shown:
            return False
        self._add(row)
        return True

    def values(self, conditions: Sequence[str]) -> dict[str, object]:
        """For the statements."""
        closed = {"trials": self.trials, "items": self.items, "shown": self.shown}
        return {"study": self.study, "conditions": list(conditions), **closed}


def has_leased_places(
    db: Connection, session: RatingSession, *, same_item: bool, conditions: Sequence[str] = ("",)
) -> bool:
    """Whether a place that this rater could have may still come free."""
    closed = _Closed(db, session, same_item=same_item).values(conditions)
    return bool(db.execute(_IS_FREE, closed).scalar_one() or db.execute(_IS_LEASED, closed).scalar_one())


def list_trials(db: Connection, study_id: int, trial_ids: Sequence[int]) -> dict[int, Trial]:
    """The trials with these ids."""
    rows = db.execute(_TRIALS, {"study": study_id, "trials": list(trial_ids)})
    return {row.id: Trial(row.name, tuple(row.response_ids), tuple(row.sources), row.condition) for row in rows}


def record_assignments(
    db: Connection, session: RatingSession, seats: Sequence[Seat], places: Sequence[Place],
    labels: Mapping[int, Mapping[int, str | None]],
) -> None:  # fmt: skip
    """Give the claimed seats to the rater.

    Args:
        db: the transaction that claimed them.
        session: the rater's sitting.
        seats: what `claim_seats` gave.
        places: position and shown responses of each.
        labels: for each trial what the rater is told of the source of each response; None says nothing of it.
    """
    seat_of = {seat.trial_id: seat.seat for seat in seats}
    rows = {
        "trials": [place.trial_id for place in places],
        "seats": [seat_of[place.trial_id] for place in places],
        "positions": [place.position for place in places],
        "responses": ["{" + ",".join(map(str, place.response_ids)) + "}" for place in places],
        "labels": [_labels(labels[place.trial_id], place) for place in places],
    }
    ids = {"study": session.study_id, "rater": session.rater_id, "session": session.session_id}
    taken = db.execute(_ASSIGN, {**ids, **rows}).all()
    if len(taken) != len(places):
        raise RuntimeError(f"{len(places)} places were locked but {len(taken)} could be taken")


def _labels(labels: Mapping[int, str | None], place: Place) -> str | None:
    shown = [labels[response_id] for response_id in place.response_ids]
    return json.dumps(shown) if any(shown) else None
