"""How each rater answers: counts of answers, agreement with the other raters, and runs of equal answers."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

# Joined in Python: the planner underestimates how many answers have a side but no response, and a join in the database
# may then read all ratings once per rater.
#
# The answers of each rater as bytes, in the order in which they were given; adding 0 makes -0 and 0 the same bytes.
_ANSWERS = text("""
    SELECT rater_id, count(*) AS n_ratings,
           string_agg(float8send(number + 0), CAST('' AS bytea) ORDER BY coalesce(rated_at, stored_at), position, id)
             FILTER (WHERE number IS NOT NULL AND item_id IS NOT NULL) AS numbers,
           -- a rating of one response of a pair has a side too, which nobody chose
           string_agg(convert_to(left(side, 1), 'UTF8'), CAST('' AS bytea)
                      ORDER BY coalesce(rated_at, stored_at), position, id)
             FILTER (WHERE side IS NOT NULL AND response_id IS NULL) AS sides
    FROM ratings WHERE study_id = :study GROUP BY rater_id
""")
# The correlation of `stats.raters.profiles`: own ratings with the mean of the other people's ratings of the same thing.
_AGREEMENT = text("""
    WITH same AS (
      SELECT a.rater_id, a.number, count(*) OVER thing AS n, sum(a.number) OVER thing AS total
      FROM ratings a JOIN raters p ON p.study_id = a.study_id AND p.id = a.rater_id AND p.kind <> 'model'
      WHERE a.study_id = :study AND a.question = :question AND a.number IS NOT NULL AND a.repeat = 0
        AND a.exclude IS NULL
      WINDOW thing AS (PARTITION BY a.item_id, a.response_id, a.turn)
    )
    SELECT rater_id, count(*) AS n_compared, corr(number, (total - number) / (n - 1)) AS agreement
    FROM same WHERE n > 1 GROUP BY rater_id
""")
# A new rating has a higher ID than all before it, a removed one changes the number, and a changed one has the number of
# a later transaction.
_STATE = text("""
    SELECT count(*), max(id), sum(CAST(CAST(xmin AS text) AS bigint)) FROM ratings WHERE study_id = :study
""")


class RaterPattern(NamedTuple):
    """One rater. `agreement`: correlation with the mean of the others over `n_compared` ratings; None if undefined.

    `n_most` of `n_points` ratings have the same value; `n_left` of `n_sides` choices are the response on the left.
    """

    n_compared: int = 0
    agreement: float | None = None
    longest_run: int = 0
    longest_side_run: int = 0
    n_ratings: int = 0
    n_points: int = 0
    n_most: int = 0
    n_sides: int = 0
    n_left: int = 0


def get_ratings_state(db: Connection, study_id: int) -> tuple[object, ...]:
    """Numbers that differ after every change of the study's ratings."""
    return tuple(db.execute(_STATE, {"study": study_id}).one())


def list_rater_patterns(db: Connection, study_id: int, question: str) -> dict[int, RaterPattern]:
    """The pattern of each rater who answered, by rater ID; `question` is the one that agreement is about."""
    agreed = {
        row.rater_id: (row.n_compared, row.agreement)
        for row in db.execute(_AGREEMENT, {"study": study_id, "question": question})
    }
    answers = db.execute(_ANSWERS, {"study": study_id})
    return {
        row.rater_id: _pattern(row.n_ratings, row.numbers, row.sides, agreed.get(row.rater_id, (0, None)))
        for row in answers
    }


def _pattern(
    n_ratings: int, numbers: bytes | None, sides: bytes | None, agreed: tuple[int, float | None]
) -> RaterPattern:
    # As integers of the same size: only whether two numbers are equal matters.
    points, chosen = memoryview(numbers or b"").cast("q"), sides or b""
    return RaterPattern(
        *agreed,
        longest_run=_longest_run(points),
        longest_side_run=_longest_run(chosen),
        n_ratings=n_ratings,
        n_points=len(points),
        n_most=max(Counter(points).values(), default=0),
        n_sides=len(chosen),
        n_left=chosen.count(b"l"),
    )


def _longest_run(values: Iterable[int]) -> int:
    """The length of the longest run of equal values.

    >>> _longest_run(b"lrrrl"), _longest_run(b"")
    (3, 0)
    """
    return max((len(list(run)) for _, run in groupby(values)), default=0)
