"""How each rater answers: agreement with the other raters, and the longest runs of equal answers and of one side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

# Equal answers in a row have the same difference between their number among all and their number among equal ones.
_RUNS = """
    SELECT rater_id, max(n) AS longest FROM (
      SELECT rater_id, count(*) AS n FROM (
        SELECT rater_id, {value} AS value,
               row_number() OVER (PARTITION BY rater_id ORDER BY {order})
               - row_number() OVER (PARTITION BY rater_id, {value} ORDER BY {order}) AS run
        FROM ratings WHERE study_id = :study AND {which}
      ) AS numbered GROUP BY rater_id, value, run
    ) AS runs GROUP BY rater_id
"""
_ORDER = "coalesce(rated_at, stored_at), position, id"
_EQUAL = _RUNS.format(value="number", order=_ORDER, which="number IS NOT NULL AND item_id IS NOT NULL")
_SIDE = _RUNS.format(value="side", order=_ORDER, which="side IS NOT NULL AND response_id IS NULL")
# The correlation of `stats.raters.profiles`: own ratings with the mean of the other people's ratings of the same thing.
_PATTERNS = text(f"""
    WITH same AS (
      SELECT a.rater_id, a.number, count(*) OVER thing AS n, sum(a.number) OVER thing AS total
      FROM ratings a JOIN raters p ON p.study_id = a.study_id AND p.id = a.rater_id AND p.kind <> 'model'
      WHERE a.study_id = :study AND a.question = :question AND a.number IS NOT NULL AND a.repeat = 0
        AND a.exclude IS NULL
      WINDOW thing AS (PARTITION BY a.item_id, a.response_id, a.turn)
    ), agreed AS (
      SELECT rater_id, count(*) AS n_compared, corr(number, (total - number) / (n - 1)) AS agreement
      FROM same WHERE n > 1 GROUP BY rater_id
    )
    SELECT r.id, coalesce(g.n_compared, 0) AS n_compared, g.agreement, coalesce(e.longest, 0) AS longest_run,
           coalesce(s.longest, 0) AS longest_side_run
    FROM raters r
    LEFT JOIN agreed g ON g.rater_id = r.id
    LEFT JOIN ({_EQUAL}) AS e ON e.rater_id = r.id
    LEFT JOIN ({_SIDE}) AS s ON s.rater_id = r.id
    WHERE r.study_id = :study
""")  # noqa: S608 - constants only


class RaterPattern(NamedTuple):
    """One rater. `agreement`: correlation with the mean of the others over `n_compared` ratings; None if undefined."""

    n_compared: int = 0
    agreement: float | None = None
    longest_run: int = 0
    longest_side_run: int = 0


def list_rater_patterns(db: Connection, study_id: int, question: str) -> dict[int, RaterPattern]:
    """The pattern of each rater, by rater ID; `question` is the rating question that agreement is about."""
    rows = db.execute(_PATTERNS, {"study": study_id, "question": question})
    return {row.id: RaterPattern(*row[1:]) for row in rows}
