"""Sufficient counts of a study's ratings, grouped by the database: a million ratings become some thousand rows."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, text

from app.analysis.data.answer_counts import AnswerCounts, Chosen, Pattern, Point
from app.rating.review.rater_kinds import list_left_out

# Sufficient counts of a study's forced choices, grouped by the database.

# Choices in the scope of persons, as the analysis selects them: no model judges, repeats or exclusions. The two
# responses of a choice are in the order of responses.csv; if no pair is stored, they are those of an item with two.
_PAIRED = """
    WITH placed AS (
      SELECT r.id, r.item_id, r.key, s.key AS source, count(*) OVER (PARTITION BY r.item_id) AS n_of_item,
        row_number() OVER (PARTITION BY r.item_id ORDER BY r.id) - 1 AS place
      FROM responses r JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
      WHERE r.study_id = :study
    ), two AS (
      SELECT item_id, min(id) AS one, max(id) AS other FROM placed WHERE n_of_item = 2 GROUP BY item_id
    ), paired AS (
      SELECT a.id, a.question, a.item_id, a.rater_id, a.outcome, a.turn, a.condition, a.chosen_response_id,
        a.left_response_id, a.right_response_id,
        coalesce(least(a.left_response_id, a.right_response_id), two.one) AS one,
        coalesce(greatest(a.left_response_id, a.right_response_id), two.other) AS other
      FROM ratings a
      JOIN raters p ON p.study_id = a.study_id AND p.id = a.rater_id AND p.kind <> 'model'
      LEFT JOIN two ON two.item_id = a.item_id AND a.left_response_id IS NULL
      WHERE a.study_id = :study AND a.question = ANY(:questions) AND a.outcome <> 'cannot_judge' AND a.repeat = 0
        AND a.exclude IS NULL AND a.rater_id <> ALL(:excluded)
    )
"""
_CHOSEN = text(f"""
    {_PAIRED}
    SELECT a.question, a.rater_id AS rater, one.source AS one, other.source AS other, a.outcome,
      chosen.source AS chosen, a.chosen_response_id = a.left_response_id AS is_left, count(*) AS n
    FROM paired a
    LEFT JOIN placed one ON one.id = a.one
    LEFT JOIN placed other ON other.id = a.other
    LEFT JOIN placed chosen ON chosen.id = a.chosen_response_id
    GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
""")  # noqa: S608  # no input in it
# A category is the place of the chosen response within its item, then tie, then neither. A rater who chose twice
# between the same responses counts once, in the order of `analysis.frames`.
_CHOICE_PATTERNS = text(f"""
    {_PAIRED}, first_given AS (
      SELECT a.question, a.item_id, a.one, a.other,
        coalesce(chosen.place, :last + CASE a.outcome WHEN 'tie' THEN 1 ELSE 2 END) AS category, row_number() OVER (
          PARTITION BY a.question, a.item_id, a.one, a.other, a.rater_id
          ORDER BY a.turn NULLS FIRST, a.condition COLLATE "C" NULLS FIRST, l.key COLLATE "C" NULLS FIRST, a.id
        ) AS place
      FROM paired a
      LEFT JOIN placed chosen ON chosen.id = a.chosen_response_id
      LEFT JOIN placed l ON l.id = a.left_response_id
    ), by_category AS (
      SELECT question, item_id, one, other, category, count(*) AS n
      FROM first_given WHERE place = 1 GROUP BY 1, 2, 3, 4, 5
    ), units AS (
      SELECT question, array_agg(category ORDER BY category) AS given, array_agg(n ORDER BY category) AS counts
      FROM by_category GROUP BY question, item_id, one, other
    )
    SELECT question, given, counts, count(*) AS n_units FROM units GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
""")  # noqa: S608  # no input in it
_LARGEST = text("""
    SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM responses WHERE study_id = :study GROUP BY item_id) sizes
""")


def choice_counts(
    db: Connection, study_id: int, questions: Sequence[str]
) -> tuple[tuple[Pattern, ...], tuple[Chosen, ...], int]:
    """Return patterns and outcomes of these choices, and the largest number of responses of an item."""
    given = {"study": study_id, "questions": [*questions], "excluded": list_left_out(db, study_id)}
    n_places = int(db.execute(_LARGEST, {"study": study_id}).scalar_one())
    patterns = (
        Pattern(row.question, None, tuple(map(float, row.given)), tuple(row.counts), row.n_units)
        for row in db.execute(_CHOICE_PATTERNS, {**given, "last": n_places - 1})
    )
    chosen = (
        Chosen(row.question, row.rater, row.one, row.other, row.outcome, row.chosen, row.is_left, row.n)
        for row in db.execute(_CHOSEN, given)
    )
    return tuple(patterns), tuple(chosen), n_places


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


# Studies whose answers take PostgreSQL more than a moment to count.

# The first condition needs no row: where all studies together are small, nothing is counted. The estimate is that of
# the last VACUUM or ANALYZE, both of which follow growth by themselves.
_LARGE = text("""
    SELECT s.slug, n.n_ratings FROM (
      SELECT study_id, count(*) AS n_ratings FROM ratings
      WHERE (SELECT reltuples FROM pg_class WHERE oid = CAST('ratings' AS regclass)) > :more_than
      GROUP BY study_id HAVING count(*) > :more_than) n
    JOIN studies s ON s.id = n.study_id ORDER BY s.id
""")


def list_large_studies(db: Connection, more_than: int) -> list[tuple[str, int]]:
    """Slug and number of ratings of the studies with more ratings than this."""
    return [(row.slug, int(row.n_ratings)) for row in db.execute(_LARGE, {"more_than": more_than})]
