"""The answers of each rater as bytes, and what tells whether they have changed since they were read."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, text

from app.protocol.rater_flags import Typing
from app.studies.data.sql_words import n_words

# The number of the transaction that wrote a row, `xmin`, has only 32 bits. Every row that can be seen was written less
# than 2^32 transactions before the end of the snapshot, whose number has 64.
_STATES = text("""
    WITH snapshot AS (SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) AS ends)
    SELECT rater_id, count(*) AS n_ratings,
           max(ends - ((ends - CAST(CAST(r.xmin AS text) AS bigint)) & 4294967295)) AS newest
    FROM ratings r CROSS JOIN snapshot WHERE study_id = :study GROUP BY rater_id
""")
# In the order in which they were given; those of one page in the order of their questions and responses. Adding 0
# makes -0 and 0 the same bytes. A rating that agreement is not about is of the thing 0. A rating of one response of a
# pair has a side too, which nobody chose.
_ORDER = """
    coalesce(rated_at, stored_at), position, question COLLATE "C", item_id, response_id NULLS FIRST,
    turn NULLS FIRST, id
"""
_ANSWERED = "SELECT * FROM ratings WHERE study_id = :study"
_ANSWERS = f"""
    SELECT rater_id, count(*) AS n_ratings,
           CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) AS horizon,
           bool_or(rated_at IS NOT NULL OR position IS NOT NULL) AS has_order,
           coalesce(string_agg(
             float8send(number + 0) || int8send(
               CASE WHEN question = :question AND repeat = 0 AND exclude IS NULL
                    THEN coalesce(response_id, -item_id) ELSE 0 END
             ) || int4send(coalesce(turn, -1)), CAST('' AS bytea) ORDER BY {_ORDER}
           ) FILTER (WHERE number IS NOT NULL AND item_id IS NOT NULL), '') AS points,
           coalesce(string_agg(convert_to(left(side, 1), 'UTF8'), CAST('' AS bytea) ORDER BY {_ORDER})
             FILTER (WHERE side IS NOT NULL AND response_id IS NULL AND question = :sides), '') AS sides,
           coalesce(string_agg(
             int8send(least(left_response_id, right_response_id))
               || int8send(greatest(left_response_id, right_response_id))
               || convert_to(left(CAST((side = 'left') = (left_response_id < right_response_id) AS text), 1), 'UTF8'),
             CAST('' AS bytea) ORDER BY {_ORDER}
           ) FILTER (
             WHERE side IS NOT NULL AND response_id IS NULL AND question = :sides AND :question = ''
               AND repeat = 0 AND exclude IS NULL AND left_response_id IS NOT NULL AND right_response_id IS NOT NULL
           ), '') AS pairs
    FROM answered GROUP BY rater_id
"""  # noqa: S608 - constants only
# The questions of one page share their time.
_TIMES = """
    SELECT rater_id, string_agg(int8send(active_ms), CAST('' AS bytea)) AS times FROM (
      SELECT DISTINCT rater_id, item_id, condition, repeat, served_at, active_ms FROM answered
      WHERE active_ms IS NOT NULL
    ) AS trials GROUP BY rater_id
"""
# The items and responses that each rater saw in trials with a known time. Items are the negative of their ID, so that
# they do not collide with responses.
_WORDS = f"""
    , seen AS (
      SELECT DISTINCT rater_id, item_id, response_id, left_response_id, right_response_id FROM answered
      WHERE active_ms IS NOT NULL
    ), texts AS (
      SELECT DISTINCT seen.rater_id, shown.id FROM seen CROSS JOIN LATERAL (
        VALUES (-item_id), (response_id), (left_response_id), (right_response_id)
      ) AS shown (id) WHERE shown.id IS NOT NULL
    ), counted AS (
      SELECT r.id, {n_words("r")} AS n_words FROM responses r WHERE r.study_id = :study
        AND r.id IN (SELECT id FROM texts WHERE id > 0)
      UNION ALL
      SELECT -i.id, {n_words("i")} FROM items i WHERE i.study_id = :study
        AND -i.id IN (SELECT id FROM texts WHERE id < 0)
    )
    SELECT rater_id, CAST(sum(n_words) AS bigint) AS n_words FROM texts JOIN counted USING (id) GROUP BY rater_id
"""  # noqa: S608 - constants only
_OF_ALL, _OF_SOME = (
    tuple(text(f"WITH answered AS ({answered}) {query}") for query in (_ANSWERS, _TIMES, _WORDS))
    for answered in (_ANSWERED, f"{_ANSWERED} AND rater_id = ANY(:raters)")
)
_SERVER = text("SELECT CAST(pg_postmaster_start_time() AS text)")


class Compared(NamedTuple):
    """The keys of the questions that agreement and sides are about; empty for none.

    Without a question that agreement is about, it is about the choice whose sides are looked at.
    """

    agreement: str = ""
    sides: str = ""


class RaterState(NamedTuple):
    """How many ratings a rater has now, and the newest transaction that wrote one of them."""

    n_ratings: int
    newest: int


class StoredAnswers(NamedTuple):
    """What a rater answered, as it was read.

    `points` has 20 bytes per rating, big-endian: the number, a response or the negative of an item, and a turn.
    `sides` has one byte per choice, `l` or `r`. `pairs` has 17 per choice that agreement is about: the lower and the
    higher response of the pair, and `t` if the lower was chosen, else `f`. `times` has eight per trial, milliseconds,
    big-endian; `n_words` is the length of the texts that these trials showed. All transactions before `horizon` were
    over when this was read.
    """

    n_ratings: int
    horizon: int
    has_order: bool = False
    points: bytes = b""
    sides: bytes = b""
    pairs: bytes = b""
    times: bytes = b""
    n_words: int = 0

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
    db: Connection, study_id: int, questions: Compared, raters: Collection[int] | None = None
) -> dict[int, StoredAnswers]:
    """The answers of each rater who answered, or of these raters."""
    values: dict[str, object] = {"study": study_id, "question": questions.agreement, "sides": questions.sides}
    some = {"raters": list(raters)} if raters is not None else {}
    answers, times, words = (db.execute(query, values | some).all() for query in (_OF_SOME if some else _OF_ALL))
    of_times = {row.rater_id: bytes(row.times) for row in times}
    of_words = {row.rater_id: row.n_words for row in words}
    return {
        row.rater_id: StoredAnswers(
            row.n_ratings,
            row.horizon,
            row.has_order,
            row.points,
            row.sides,
            row.pairs,
            of_times.get(row.rater_id, b""),
            of_words.get(row.rater_id, 0),
        )
        for row in answers
    }


def get_server_start(db: Connection) -> str:
    """When this database server was started. Transactions of another server have other numbers."""
    return str(db.execute(_SERVER).scalar_one())


# How raters typed their text answers, where the study counts it.

_TYPING = text("""
    SELECT rater_id, count(*) AS n_texts, sum(length(text)) AS n_characters, sum(n_keystrokes) AS n_keystrokes,
           sum(n_pasted) AS n_pasted, sum(typing_ms) AS typing_ms
    FROM ratings
    WHERE study_id = :study AND question = ANY(CAST(:questions AS text[])) AND n_keystrokes IS NOT NULL
      AND text IS NOT NULL
    GROUP BY rater_id
""")


def list_typing(db: Connection, study_id: int, questions: list[str]) -> dict[int, Typing]:
    """Counts of typing by rater ID, for raters whose typing was counted in an answer to these questions."""
    rows = db.execute(_TYPING, {"study": study_id, "questions": questions})
    return {row.rater_id: Typing(*(int(value) for value in row[1:])) for row in rows}
