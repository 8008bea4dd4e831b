"""The trials available to a rater."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, text

from app.base.database.hot_statement import HotStatement
from app.rating.sessions import RatingSession

# The trials `t` and items `i` that a rater could get, whoever has a seat of them now.
_AVAILABLE = """
    trials t JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE t.study_id = :study AND t.purpose = 'rating' AND t.condition = ANY (CAST(:conditions AS text[]))
      AND (i.retired_because IS NULL OR EXISTS (
        SELECT FROM assignments a WHERE a.study_id = t.study_id AND a.trial_id = t.id AND a.rater_id = :rater
          AND NOT a.is_returned))
      AND (:pool = '' OR EXISTS (
        SELECT FROM seats s WHERE s.study_id = t.study_id AND s.trial_id = t.id AND s.pool = :pool
          AND (s.rater_id IS NULL OR s.rater_id = :rater)))
"""
_EXTENT = text(f"""
    SELECT count(DISTINCT (item_id, response_ids)), count(DISTINCT item_id),
           coalesce(max(cardinality(response_ids)), 0),
           count(DISTINCT (item_id, response_ids)) FILTER (WHERE content_note <> ''),
           count(DISTINCT item_id) FILTER (WHERE content_note <> '')
    FROM (SELECT t.item_id, t.response_ids, i.content_note FROM {_AVAILABLE} LIMIT :n_rows) AS available
""")  # noqa: S608 - constants only
# Ends at the first of them.
_SHOWS_SEVERAL = HotStatement(f"""
    SELECT EXISTS (
      SELECT FROM (SELECT cardinality(t.response_ids) AS n FROM {_AVAILABLE} LIMIT :n_rows) AS available WHERE n > 1
    ) AS shows_several
""")  # noqa: S608 - constants only


@dataclass(frozen=True, slots=True)
class Extent:
    """Number of trials that a rater could get, number of their items, and maximum number of responses per trial.

    `n_noted_trials` and `n_noted_items` are those of items with a content note.
    """

    n_trials: int
    n_items: int
    n_shown: int
    n_noted_trials: int
    n_noted_items: int

    def n_most(self, *, same_item: bool, exposure_cap: int | None) -> int:
        """Maximum number of trials per rater, given whether items may repeat and the limit on content notes."""
        most, noted = (self.n_trials, self.n_noted_trials) if same_item else (self.n_items, self.n_noted_items)
        return most if exposure_cap is None else most - max(0, noted - exposure_cap)


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial with a name that does not depend on the database, and its responses in the trial's own order.

    `block` is the item's value in the column that defines the blocks; empty without such a column.
    """

    id: int
    name: str
    response_ids: tuple[int, ...]
    sources: tuple[str, ...]
    condition: str = ""
    block: str = ""


def get_extent(
    db: Connection,
    session: RatingSession,
    conditions: Sequence[str],
    pool: str,
    *,
    n_rows: int | None = None,
) -> Extent:
    """The extent for this rater; the same responses in several of their conditions count once.

    `n_rows` limits the number of trials that are read. No number in the result is then larger than without it, and
    neither is `n_most`.
    """
    values = {"study": session.study_id, "rater": session.rater_id, "pool": pool, "n_rows": n_rows}
    return Extent(*db.execute(_EXTENT, {**values, "conditions": list(conditions)}).one())


def shows_several(
    db: Connection, session: RatingSession, conditions: Sequence[str], pool: str, *, n_rows: int | None
) -> bool:
    """Whether a trial that this rater could get, of the first `n_rows`, has several responses."""
    values = {"study": session.study_id, "rater": session.rater_id, "pool": pool, "n_rows": n_rows}
    return bool(_SHOWS_SEVERAL.one(db, {**values, "conditions": list(conditions)})["shows_several"])
