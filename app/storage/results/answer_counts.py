"""Sufficient counts of a study's ratings, grouped by the database: a million ratings become some thousand rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.analysis.data.answer_counts import AnswerCounts, Pattern, Point
from app.storage.results.choice_counts import choice_counts
from app.storage.results.rater_kinds import list_left_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

# the ratings in the scope of persons, as the analysis selects them: no model judges, repeats or exclusions
_KEPT = """
    FROM ratings a
    JOIN raters p ON p.study_id = a.study_id AND p.id = a.rater_id AND p.kind <> 'model'
    JOIN responses r ON r.study_id = a.study_id AND r.id = a.response_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    {more}
    WHERE a.study_id = :study AND a.question = ANY(:questions) AND a.number IS NOT NULL AND a.repeat = 0
      AND a.exclude IS NULL AND a.rater_id <> ALL(:excluded)
"""
_POINTS = text(f"""
    SELECT a.question, s.key AS source, a.rater_id AS rater, a.number AS value, count(*) AS n
    {_KEPT.format(more="")}
    GROUP BY a.question, s.key, a.rater_id, a.number ORDER BY a.question, s.key, a.rater_id, a.number
""")  # no input in it
# a rater who rated a response twice (in two conditions or pairs) counts once, in the order of `analysis.frames`
_PATTERNS = text(f"""
    WITH kept AS (
      SELECT a.question, s.key AS source, a.response_id, a.number, row_number() OVER (
        PARTITION BY a.question, a.response_id, a.rater_id
        ORDER BY a.turn NULLS FIRST, a.condition COLLATE "C" NULLS FIRST, one.key COLLATE "C" NULLS FIRST,
                 other.key COLLATE "C" NULLS FIRST, a.id
      ) AS place
      {
    _KEPT.format(
        more='''
        LEFT JOIN responses one ON one.study_id = a.study_id AND one.id = a.left_response_id
        LEFT JOIN responses other ON other.study_id = a.study_id AND other.id = a.right_response_id
      '''
    )
}
    ), by_value AS (
      SELECT question, source, response_id, number, count(*) AS n FROM kept WHERE place = 1 GROUP BY 1, 2, 3, 4
    ), units AS (
      SELECT question, source, array_agg(number ORDER BY number) AS given, array_agg(n ORDER BY number) AS counts
      FROM by_value GROUP BY question, source, response_id
    )
    SELECT question, source, given, counts, count(*) AS n_units FROM units
    GROUP BY question, source, given, counts ORDER BY question, source, given, counts
""")  # noqa: S608  # no input in it


def answer_counts(db: Connection, study_id: int, questions: Sequence[str], choices: Sequence[str] = ()) -> AnswerCounts:
    """Return the counts for these rating questions about responses, and for these choices."""
    given = {"study": study_id, "questions": [*questions], "excluded": list_left_out(db, study_id)}
    patterns = (
        Pattern(row.question, row.source, tuple(row.given), tuple(row.counts), row.n_units)
        for row in db.execute(_PATTERNS, given)
    )
    points = (Point(row.question, row.source, row.rater, row.value, row.n) for row in db.execute(_POINTS, given))
    of_choices, chosen, n_places = choice_counts(db, study_id, choices) if choices else ((), (), 0)
    return AnswerCounts((*patterns, *of_choices), tuple(points), chosen, n_places)
