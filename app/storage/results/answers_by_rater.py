"""The answers of each rater as bytes, and what tells whether they have changed since they were read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

# The number of the transaction that wrote a row, `xmin`, has only 32 bits. Every row that can be seen was written less
# than 2^32 transactions before the end of the snapshot, whose number has 64.
_STATES = text("""
    WITH snapshot AS (SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) AS ends)
    SELECT rater_id, count(*) AS n_ratings,
           max(ends - ((ends - CAST(CAST(r.xmin AS text) AS bigint)) & 4294967295)) AS newest
    FROM ratings r CROSS JOIN snapshot WHERE study_id = :study GROUP BY rater_id
""")
# In the order in which they were given. Adding 0 makes -0 and 0 the same bytes. A rating that agreement is not about,
# or that does not count, is of the thing 0. A rating of one response of a pair has a side too, which nobody chose.
_ANSWERS = """
    SELECT rater_id, count(*) AS n_ratings,
           CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) AS horizon,
           coalesce(string_agg(
             float8send(number + 0) || int8send(
               CASE WHEN question = :question AND repeat = 0 AND exclude IS NULL
                    THEN coalesce(response_id, -item_id) ELSE 0 END
             ) || int4send(coalesce(turn, -1)), CAST('' AS bytea)
             ORDER BY coalesce(rated_at, stored_at), position, id
           ) FILTER (WHERE number IS NOT NULL AND item_id IS NOT NULL), '') AS points,
           coalesce(string_agg(convert_to(left(side, 1), 'UTF8'), CAST('' AS bytea)
             ORDER BY coalesce(rated_at, stored_at), position, id
           ) FILTER (WHERE side IS NOT NULL AND response_id IS NULL), '') AS sides
    FROM ratings WHERE study_id = :study
"""
_OF_ALL, _OF_SOME = (text(_ANSWERS + more + " GROUP BY rater_id") for more in ("", " AND rater_id = ANY(:raters)"))
_SERVER = text("SELECT CAST(pg_postmaster_start_time() AS text)")
_MODELS = text("SELECT id FROM raters WHERE study_id = :study AND kind = 'model'")


class RaterState(NamedTuple):
    """How many ratings a rater has now, and the newest transaction that wrote one of them."""

    n_ratings: int
    newest: int


class RaterAnswers(NamedTuple):
    """What a rater answered, as it was read.

    `points` has 20 bytes per rating, big-endian: the number, a response or the negative of an item, and a turn.
    `sides` has one byte per choice, `l` or `r`. All transactions before `horizon` were over when this was read.
    """

    n_ratings: int
    horizon: int
    points: bytes
    sides: bytes

    def is_current(self, state: RaterState | None) -> bool:
        """Whether the rater's ratings are still the same.

        None of them was written at or after the horizon, so all of them had been read; and none is missing.
        """
        return state is not None and state.n_ratings == self.n_ratings and state.newest < self.horizon


def list_rater_states(db: Connection, study_id: int) -> dict[int, RaterState]:
    """The state of each rater who answered, by rater ID."""
    rows = db.execute(_STATES, {"study": study_id})
    return {row.rater_id: RaterState(row.n_ratings, row.newest) for row in rows}


def list_answers_by_rater(
    db: Connection, study_id: int, question: str, raters: Collection[int] | None = None
) -> dict[int, RaterAnswers]:
    """The answers of each rater who answered, or of these raters; `question` is the one that agreement is about."""
    values: dict[str, object] = {"study": study_id, "question": question}
    some = {"raters": list(raters)} if raters is not None else {}
    rows = db.execute(_OF_SOME if some else _OF_ALL, values | some)
    return {row.rater_id: RaterAnswers(row.n_ratings, row.horizon, row.points, row.sides) for row in rows}


def get_server_start(db: Connection) -> str:
    """When this database server was started. Transactions of another server have other numbers."""
    return str(db.execute(_SERVER).scalar_one())


def list_model_raters(db: Connection, study_id: int) -> set[int]:
    """The IDs of raters that are models, whose ratings are not compared with those of people."""
    return set(db.execute(_MODELS, {"study": study_id}).scalars())
