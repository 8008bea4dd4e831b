"""How often pairs of sources were compared and which was preferred, as input for adaptive designs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, text

if TYPE_CHECKING:
    from app.protocol.allocation.adaptive import Information

_SOURCES = text("SELECT id FROM sources WHERE study_id = :study ORDER BY position")
_MET = text("""
    SELECT one.source_id AS one, other.source_id AS other, count(*) AS n,
           sum(CASE WHEN r.chosen_response_id = r.left_response_id THEN 1 WHEN r.outcome = 'tie' THEN 0.5 ELSE 0 END)
             AS won
    FROM ratings r
    JOIN responses one ON one.study_id = r.study_id AND one.id = r.left_response_id
    JOIN responses other ON other.study_id = r.study_id AND other.id = r.right_response_id
    WHERE r.study_id = :study AND r.question = :question AND r.outcome IN ('response', 'tie') AND r.exclude IS NULL
      AND r.repeat = 0 AND one.source_id <> other.source_id
    GROUP BY one.source_id, other.source_id
""")
_PAIRS = text("""
    SELECT DISTINCT least(one.source_id, other.source_id) AS low, greatest(one.source_id, other.source_id) AS high
    FROM trials t
    JOIN responses one ON one.study_id = t.study_id AND one.id = t.response_ids[1]
    JOIN responses other ON other.study_id = t.study_id AND other.id = t.response_ids[2]
    WHERE t.study_id = :study AND t.purpose = 'rating' AND one.source_id <> other.source_id
    ORDER BY 1, 2
""")


def get_information(db: Connection, study_id: int, question: str) -> Information:
    """The information about the study's sources, by ID, in the stored choices for a question."""
    from app.protocol.allocation.adaptive import Information, Met

    sources = db.execute(_SOURCES, {"study": study_id}).scalars().all()
    met = db.execute(_MET, {"study": study_id, "question": question})
    return Information(sources, [Met(row.one, row.other, float(row.n), float(row.won)) for row in met])


def list_source_pairs(db: Connection, study_id: int) -> list[tuple[int, int]]:
    """The pairs of different sources that occur in trials, lower ID first."""
    rows = db.execute(_PAIRS, {"study": study_id})
    return [(row.low, row.high) for row in rows]
