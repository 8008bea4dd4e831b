"""Seats: each of the k seats of a trial is claimed exactly once, however many raters arrive at the same time.

A seat is a row. A rater who takes a seat locks its row, so that no one else can take it. Locked rows are skipped
without waiting, so claims cannot block each other.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from app.storage.assignments.source_preferences import get_information, list_source_pairs
from app.storage.assignments.trial_lists import Trial
from app.storage.database.hot_statement import HotStatement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

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
# The inner limit is a constant, so that the plan that is made once for all raters reads seats in order, instead of
# sorting every free seat of the study. Seats are locked one by one, as the outer limit asks for them.
_FREE = f"""
    SELECT f.*, n.responses
    FROM (
      SELECT s.trial_id, s.seat, t.item_id, t.condition, t.response_ids, i.key, i.position,
             t.item_id || ':' || t.response_ids::text AS shown, coalesce(i.content_note, '') <> '' AS has_note,
             coalesce(i.attributes ->> CAST(:column AS text), '') AS block
      FROM seats s JOIN trials t ON t.study_id = s.study_id AND t.id = s.trial_id
      JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
      WHERE s.study_id = :study AND s.assignment_id IS NULL AND {_OPEN_TO_RATER} {{only}}
      ORDER BY s.seat, s.shuffle LIMIT {{n_read}} FOR UPDATE OF s SKIP LOCKED
    ) AS f CROSS JOIN LATERAL (
      SELECT array_agg(ARRAY[r.key, src.key] ORDER BY o.place) AS responses
      FROM unnest(f.response_ids) WITH ORDINALITY AS o (id, place)
      JOIN responses r ON r.study_id = :study AND r.id = o.id
      JOIN sources src ON src.study_id = r.study_id AND src.id = r.source_id
    ) AS n
    LIMIT :n
"""  # noqa: S608 - constants only
_ANY = HotStatement(_FREE.format(only="", n_read=100))
# PostgreSQL expects that `coalesce` is true for every other row. It expects that a bare comparison is true for one in
# 200, and would then read every free seat of the study.
_BY_TURN = HotStatement(_FREE.format(only="AND coalesce(mod(i.position + :turn, :n_turns) = 0, false)", n_read=100))
_OF_PAIR = HotStatement(
    _FREE.format(
        only="""AND coalesce(CAST(:pair AS bigint[]) = (
          SELECT array_agg(p.source_id ORDER BY p.source_id) FROM responses p
          WHERE p.study_id = t.study_id AND p.id = ANY(t.response_ids)), false)""",
        n_read=1,
    )
)
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
