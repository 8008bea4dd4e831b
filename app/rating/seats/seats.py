"""Seats: each of the k seats of a trial is claimed exactly once, however many raters arrive at the same time.

A seat is a row. A rater who takes a seat locks its row, so that no one else can take it. Locked rows are skipped
without waiting, so claims cannot block each other.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from app.base.database.hot_statement import HotStatement
from app.base.database.outages import SLACK_SQL
from app.rating.seats.available_trials import Trial
from app.rating.seats.source_preferences import get_information, list_source_pairs
from app.rating.sessions import RatingSession, record_state

# Repeats are left out: their trial is already in the list.
_MINE = HotStatement("""
    SELECT a.trial_id, t.item_id, t.condition, t.item_id || ':' || t.response_ids::text AS shown,
           coalesce(i.content_note, '') <> '' AS has_note
    FROM assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE a.study_id = :study AND a.rater_id = :rater AND NOT a.is_returned AND a.repeat = 0
      AND t.purpose = 'rating'
""")
# Of a seat `s`, its trial `t` and item `i`: nobody gets a retired item, nor, above the limit, one with a content note.
_OPEN_TO_RATER = """
    s.pool = :pool AND (s.rater_id IS NULL OR s.rater_id = :rater)
    AND s.trial_id <> ALL (CAST(:trials AS bigint[])) AND t.item_id <> ALL (CAST(:items AS bigint[]))
    AND t.condition = ANY (CAST(:conditions AS text[]))
    AND t.item_id || ':' || t.response_ids::text <> ALL (CAST(:shown AS text[]))
    AND i.retired_because IS NULL AND (CAST(:noted AS boolean) OR coalesce(i.content_note, '') = '')
"""
_FREE = f"""
    SELECT s.trial_id, s.seat, t.item_id, t.condition, t.response_ids, i.key, i.position,
           t.item_id || ':' || t.response_ids::text AS shown, coalesce(i.content_note, '') <> '' AS has_note,
           coalesce(i.attributes ->> CAST(:column AS text), '') AS block
    FROM seats s JOIN trials t ON t.study_id = s.study_id AND t.id = s.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE s.study_id = :study AND s.assignment_id IS NULL AND {_OPEN_TO_RATER}
"""  # noqa: S608 - constants only
_WITH_RESPONSES = """
    CROSS JOIN LATERAL (
      SELECT array_agg(ARRAY[r.key, src.key] ORDER BY o.place) AS responses
      FROM unnest(f.response_ids) WITH ORDINALITY AS o (id, place)
      JOIN responses r ON r.study_id = :study AND r.id = o.id
      JOIN sources src ON src.study_id = r.study_id AND src.id = r.source_id
    ) AS n
    LIMIT :n
"""
# The inner limit is a constant, so that the plan that is made once for all raters reads seats in order, instead of
# sorting every free seat of the study. Seats are locked one by one, as the outer limit asks for them.
_ANY = HotStatement(f"""
    SELECT f.*, n.responses FROM ({_FREE} ORDER BY s.seat, s.shuffle LIMIT 100 FOR UPDATE OF s SKIP LOCKED) AS f
    {_WITH_RESPONSES}
""")  # noqa: S608 - constants only
# PostgreSQL expects that `coalesce` is true for every other row. It expects that a bare comparison is true for one in
# 200, and would then read every free seat of the study.
_BY_TURN = HotStatement(f"""
    SELECT f.*, n.responses FROM (
      {_FREE} AND coalesce(mod(i.position + :turn, :n_turns) = 0, false)
      ORDER BY s.seat, s.shuffle LIMIT 100 FOR UPDATE OF s SKIP LOCKED
    ) AS f
    {_WITH_RESPONSES}
""")  # noqa: S608 - constants only
_OF_PAIR = HotStatement(f"""
    SELECT f.*, n.responses FROM (
      {_FREE} AND coalesce(CAST(:pair AS bigint[]) = (
        SELECT array_agg(p.source_id ORDER BY p.source_id) FROM responses p
        WHERE p.study_id = t.study_id AND p.id = ANY(t.response_ids)), false)
      ORDER BY s.seat, s.shuffle LIMIT 1 FOR UPDATE OF s SKIP LOCKED
    ) AS f
    {_WITH_RESPONSES}
""")  # noqa: S608 - constants only
# What `_ANY` gives, without its locks.
_LOOK = HotStatement(f"{_FREE} ORDER BY s.seat, s.shuffle LIMIT 100")
_IS_FREE = text(f"""
    SELECT EXISTS (
      SELECT FROM seats s JOIN trials t ON t.study_id = s.study_id AND t.id = s.trial_id
      JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
      WHERE s.study_id = :study AND s.assignment_id IS NULL AND {_OPEN_TO_RATER})
""")  # noqa: S608 - constants only
_IS_LEASED = text(f"""
    SELECT EXISTS (
      SELECT FROM seats s JOIN trials t ON t.study_id = s.study_id AND t.id = s.trial_id
      JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
      JOIN assignments a ON a.study_id = s.study_id AND a.id = s.assignment_id
      WHERE s.study_id = :study AND a.state IN ('planned', 'leased') AND {_OPEN_TO_RATER})
""")  # noqa: S608 - constants only
# How often, and how long apart, to retry when another transaction had locked a free seat.
_TRIES, _PAUSE_S = 5, 0.02


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat that this transaction has locked, with its trial; `item_position` is the place of the trial's item."""

    trial: Trial
    seat: int
    item_position: int


@dataclass(frozen=True, slots=True)
class Claimant:
    """The rater who claims seats.

    `same_item`: whether two trials of one item are allowed. `conditions`: the rater's conditions. `rater_number`:
    number of earlier raters with the same conditions. `pool`: the pool whose seats are claimed, empty if there are no
    pools. `exposure_cap`: maximum number of trials with a content note, None for no limit. `preferences`: the question
    whose answers determine the pairs in an adaptive design, None to choose the least covered trials. `has_trials`:
    whether the rater may have had trials already. `block_column`: the column of items.csv that defines the blocks.
    """

    session: RatingSession
    same_item: bool
    conditions: tuple[str, ...] = ("",)
    rater_number: int = 0
    pool: str = ""
    exposure_cap: int | None = None
    preferences: str | None = None
    has_trials: bool = True
    block_column: str | None = None


def claim_seats(db: Connection, who: Claimant, n: int) -> list[Seat]:
    """Lock up to n free seats for this rater: least covered trials first, none that the rater has already had.

    If there are several conditions, a rater's trials are spread over them evenly. Each item is shown in the condition
    given by the Latin square of items and raters if it has free seats there, otherwise in another one.

    Args:
        db: the transaction that will also call `record_assignments`; its end releases seats that were not recorded.
        who: the rater.
        n: maximum number of seats.
    """
    closed = _Closed(db, who)
    claimed = [] if who.preferences is None else _claim_pairs(db, closed, who, who.preferences, n)
    conditions = who.conditions
    wanted = _wanted(closed.n_by_condition, n, conditions, who.rater_number) if len(conditions) > 1 else {}
    for is_by_turn in (True, False):
        for place, condition in enumerate(conditions if wanted else ()):
            turn = who.rater_number - place if is_by_turn else None
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


def count_free_seats(db: Connection, who: Claimant, n: int) -> int:
    """How many seats this rater would get now if they claimed n; nothing is locked."""
    closed, n_free = _Closed(db, who), 0
    while n_free < n and (rows := _LOOK.all(db, closed.values(who.conditions))):
        n_free += sum(closed.take(row) for row in rows)
    return min(n_free, n)


def has_free_seats(db: Connection, who: Claimant) -> bool:
    """Whether a seat is free for this rater now."""
    return bool(db.execute(_IS_FREE, _Closed(db, who).values(who.conditions)).scalar_one())


def has_leased_seats(db: Connection, who: Claimant) -> bool:
    """Whether a seat that this rater could take is free or may still become free."""
    closed = _Closed(db, who).values(who.conditions)
    return bool(db.execute(_IS_FREE, closed).scalar_one() or db.execute(_IS_LEASED, closed).scalar_one())


def _wanted(had: Mapping[str, int], n: int, conditions: Sequence[str], rater_number: int) -> dict[str, int]:
    """How many more trials per condition the rater needs so that the conditions differ by at most one."""
    each, more = divmod(n + sum(had.values()), len(conditions))
    return {
        condition: max(0, each + ((place - rater_number) % len(conditions) < more) - had.get(condition, 0))
        for place, condition in enumerate(conditions)
    }


def _claim_pairs(db: Connection, closed: _Closed, who: Claimant, question: str, n: int) -> list[Seat]:
    """Claim seats one by one, each for the most informative pair of sources given the answers and earlier claims."""
    study_id = who.session.study_id
    information, pairs = get_information(db, study_id, question), list_source_pairs(db, study_id)
    claimed: list[Seat] = []
    while pairs and len(claimed) < n:
        pair = information.best(pairs)
        if got := _claim(db, closed, 1, who.conditions, pair=pair):
            information.expect(*pair)
            claimed += got
        else:
            pairs.remove(pair)
    return claimed


def _claim(
    db: Connection,
    closed: _Closed,
    n: int,
    conditions: Sequence[str],
    turn: int | None = None,
    n_turns: int = 1,
    pair: tuple[int, int] | None = None,
) -> list[Seat]:
    claimed: list[Seat] = []
    statement = _OF_PAIR if pair else _ANY if turn is None else _BY_TURN
    which = {"turn": turn and turn % n_turns, "n_turns": n_turns, "pair": pair and list(pair)}
    while len(claimed) < n:
        rows = statement.all(db, {**closed.values(conditions), **which, "n": n - len(claimed)})
        claimed += [_seat(row) for row in rows if closed.take(row)]
        if not rows:
            break
    return claimed


def _seat(row: Mapping[str, Any]) -> Seat:
    keys, sources = zip(*(row["responses"] or ()), strict=True) if row["responses"] else ((), ())
    name = row["key"] + ":" + ":".join(keys)
    trial = Trial(row["trial_id"], name, tuple(row["response_ids"]), sources, row["condition"], row["block"])
    return Seat(trial, row["seat"], row["position"])


class _Closed:
    """The trials a rater has had, and what must not be shown to them again."""

    def __init__(self, db: Connection, who: Claimant) -> None:
        self.same_item = who.same_item
        self.ids = {"study": who.session.study_id, "rater": who.session.rater_id}
        self.pool, self.exposure_cap, self.column = who.pool, who.exposure_cap, who.block_column
        self.n_noted = 0
        self.trials: list[int] = []
        self.items: list[int] = []
        self.shown: list[str] = []
        self.n_by_condition: Counter[str] = Counter()
        for row in _MINE.all(db, self.ids) if who.has_trials else ():
            self._add(row)
            self.n_by_condition[row["condition"]] += 1

    def _add(self, row: Mapping[str, Any]) -> None:
        self.trials.append(row["trial_id"])
        self.items.extend([] if self.same_item else [row["item_id"]])
        self.shown.append(row["shown"])
        self.n_noted += row["has_note"]

    @property
    def takes_noted(self) -> bool:
        """Whether another item with a content note is allowed."""
        return self.exposure_cap is None or self.n_noted < self.exposure_cap

    def take(self, row: Mapping[str, Any]) -> bool:
        """Whether the rater can get this trial; if so, it is closed for later rows."""
        if row["trial_id"] in self.trials or row["item_id"] in self.items or row["shown"] in self.shown:
            return False
        if row["has_note"] and not self.takes_noted:
            return False
        self._add(row)
        return True

    def values(self, conditions: Sequence[str]) -> dict[str, object]:
        """The parameters of the statements."""
        closed = {"trials": self.trials, "items": self.items, "shown": self.shown, "noted": self.takes_noted}
        return {**self.ids, "pool": self.pool, "column": self.column, "conditions": list(conditions), **closed}


# Of an assignment `a`.
IS_OPEN = "a.state IN ('planned', 'leased')"


def returning_sql(which: str) -> str:
    """The end of a statement that returns assignments, frees their seats, and counts them; `which` is said of `a`.

    Repeats and gold trials are counted too, although they have no seats.
    """
    return f"""
    returned AS (
      UPDATE assignments a SET state = 'returned' WHERE a.study_id = :study AND {which} RETURNING a.id
    ), freed AS (
      UPDATE seats SET assignment_id = NULL WHERE study_id = :study AND assignment_id IN (SELECT id FROM returned)
    )
    SELECT count(*) FROM returned
"""  # noqa: S608 - constants of our own modules


# Seats that are released when raters are inactive; raters who come back in time get them again.

# The row of a rater with a request in progress is locked: it is skipped, and the request extends the lease. A lease
# that lies further ahead than its length was given by a clock that has been set back since. It is shortened to its
# length instead of ended, because its rater may be rating now.
LEASE_TO_END = f"""
    o.study_id = :study AND o.state = 'active' AND o.id <> :session AND (o.lease_expires_at < now()
      OR o.lease_expires_at > now() + make_interval(mins => o.lease_minutes) + {SLACK_SQL})
"""
_EXPIRE = text(f"""
    WITH found AS (
      SELECT o.id, o.lease_expires_at < now() AS is_over FROM rating_sessions o
      WHERE {LEASE_TO_END} FOR UPDATE SKIP LOCKED
    ), gone AS (
      SELECT id FROM found WHERE is_over
    ), shortened AS (
      UPDATE rating_sessions SET lease_expires_at = now() + make_interval(mins => lease_minutes)
      WHERE study_id = :study AND id IN (SELECT id FROM found WHERE NOT is_over)
    ), expired AS (
      UPDATE rating_sessions SET state = 'expired' WHERE study_id = :study AND id IN (SELECT id FROM gone)
    ), condition_seats_freed AS (
      UPDATE condition_seats SET rating_session_id = NULL
      WHERE study_id = :study AND rating_session_id IN (SELECT id FROM gone)
    ), admission_seats_freed AS (
      UPDATE admission_seats SET rating_session_id = NULL
      WHERE study_id = :study AND rating_session_id IN (SELECT id FROM gone)
    ), {returning_sql(f"{IS_OPEN} AND a.rating_session_id IN (SELECT id FROM gone)")}
""")  # noqa: S608 - constants only
_RETURNED = text("""
    SELECT DISTINCT ON (s.trial_id) s.trial_id, s.pool, s.seat, a.id
    FROM assignments a JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
    JOIN seats s ON s.study_id = a.study_id AND s.trial_id = a.trial_id AND s.pool IN ('', coalesce(r.pool, ''))
      AND (s.rater_id IS NULL OR s.rater_id = a.rater_id)
    CROSS JOIN LATERAL (
      SELECT i.retired_because IS NOT NULL AS is_retired FROM trials t
      JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
      WHERE t.study_id = a.study_id AND t.id = a.trial_id
    ) AS item
    WHERE a.study_id = :study AND a.rating_session_id = :session AND a.state = 'returned' AND a.repeat = 0
      AND s.assignment_id IS NULL AND NOT is_retired
      AND NOT EXISTS (SELECT FROM assignments o WHERE o.study_id = a.study_id AND o.rater_id = a.rater_id
                      AND o.trial_id = a.trial_id AND o.repeat = 0 AND NOT o.is_returned)
    ORDER BY s.trial_id, s.seat, a.id DESC
""")
_RETAKE = text("""
    WITH wanted AS (
      SELECT * FROM unnest(CAST(:trials AS bigint[]), CAST(:pools AS text[]), CAST(:seats AS integer[]),
        CAST(:ids AS bigint[])) AS w (trial_id, pool, seat, id)
    ), locked AS (
      SELECT s.trial_id, s.pool, s.seat, w.id FROM seats s JOIN wanted w USING (trial_id, pool, seat)
      WHERE s.study_id = :study AND s.assignment_id IS NULL FOR UPDATE OF s SKIP LOCKED
    ), back AS (
      UPDATE assignments a SET state = CASE WHEN served_at IS NULL THEN 'planned' ELSE 'leased' END
      FROM locked WHERE a.study_id = :study AND a.id = locked.id
    )
    UPDATE seats s SET assignment_id = locked.id FROM locked
    WHERE s.study_id = :study AND s.trial_id = locked.trial_id AND s.pool = locked.pool AND s.seat = locked.seat
""")
# A repeat is retaken together with its trial; if another rater took the trial, the repeat stays returned.
_RETAKE_REPEATS = text("""
    UPDATE assignments a SET state = CASE WHEN served_at IS NULL THEN 'planned' ELSE 'leased' END
    WHERE a.study_id = :study AND a.rating_session_id = :session AND a.state = 'returned' AND a.repeat > 0
      AND EXISTS (SELECT FROM assignments o WHERE o.study_id = a.study_id AND o.rater_id = a.rater_id
                  AND o.trial_id = a.trial_id AND o.repeat = 0 AND o.state IN ('planned', 'leased', 'done'))
      AND NOT EXISTS (SELECT FROM assignments o WHERE o.study_id = a.study_id AND o.rater_id = a.rater_id
                      AND o.trial_id = a.trial_id AND o.repeat = a.repeat AND NOT o.is_returned)
      AND NOT EXISTS (SELECT FROM trials t JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
                      WHERE t.study_id = a.study_id AND t.id = a.trial_id AND i.retired_because IS NOT NULL)
""")

# Raters who have at least one other trial get their gold trials back.
_RETAKE_GOLD = text("""
    UPDATE assignments a SET state = CASE WHEN a.served_at IS NULL THEN 'planned' ELSE 'leased' END
    FROM trials t
    WHERE a.study_id = :study AND a.rating_session_id = :session AND a.state = 'returned'
      AND t.study_id = a.study_id AND t.id = a.trial_id AND t.purpose = 'gold'
      AND EXISTS (SELECT FROM assignments o JOIN trials u ON u.study_id = o.study_id AND u.id = o.trial_id
                  WHERE o.study_id = a.study_id AND o.rating_session_id = a.rating_session_id
                    AND o.state IN ('planned', 'leased', 'done') AND u.purpose = 'rating')
""")


def retake_gold(db: Connection, session: RatingSession) -> int:
    """Reassign gold trials to a rater who has other trials; returns how many."""
    return db.execute(_RETAKE_GOLD, {"study": session.study_id, "session": session.session_id}).rowcount


RETURN_OPEN = text("WITH " + returning_sql(f"{IS_OPEN} AND a.rating_session_id = :session"))


def return_open(db: Connection, session: RatingSession) -> None:
    """Release the seats of a rater's open trials."""
    db.execute(RETURN_OPEN, {"study": session.study_id, "session": session.session_id})


def return_expired(db: Connection, session: RatingSession) -> None:
    """Release the open seats of rating sessions whose lease has expired."""
    db.execute(_EXPIRE, {"study": session.study_id, "session": session.session_id})


def retake_returned(db: Connection, session: RatingSession) -> int:
    """Reassign to a returning rater the open assignments whose trials still have a free seat; returns how many.

    The lease applies again from then on: if the rater leaves again, open assignments are returned again.
    """
    ids = {"study": session.study_id, "session": session.session_id}
    rows = db.execute(_RETURNED, ids).all()
    wanted = {"trials": [r.trial_id for r in rows], "pools": [r.pool for r in rows], "seats": [r.seat for r in rows]}
    n_retaken = 0
    if rows:
        n_retaken += db.execute(_RETAKE, {**ids, **wanted, "ids": [r.id for r in rows]}).rowcount
    n_retaken += db.execute(_RETAKE_REPEATS, ids).rowcount
    n_retaken += retake_gold(db, session)
    if n_retaken:
        record_state(db, session, "active")
    return n_retaken
