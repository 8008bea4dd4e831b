"""Scores of responses that were computed elsewhere: attributes, like the numeric columns of responses.csv."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

_TEXTS = text("""
    SELECT r.key AS response, i.key AS item, s.key AS source,
      coalesce(r.text, (SELECT string_agg(turn ->> 'text', E'\\n' ORDER BY place)
                        FROM jsonb_array_elements(r.turns) WITH ORDINALITY AS said (turn, place)), '') AS text,
      coalesce(i.text, (SELECT string_agg(turn ->> 'text', E'\\n' ORDER BY place)
                        FROM jsonb_array_elements(i.turns) WITH ORDINALITY AS said (turn, place)), '') AS situation
    FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study ORDER BY r.position, r.id
""")
_RECORD = text("""
    UPDATE responses r SET attributes = r.attributes || g.scores
    FROM jsonb_to_recordset(CAST(:scores AS jsonb)) AS g (key text, scores jsonb)
    WHERE r.study_id = :study AND r.key = g.key
""")


@dataclass(frozen=True, slots=True)
class TextToScore:
    """A response and its item; the turns of a dialogue are lines."""

    response: str
    item: str
    source: str
    text: str
    situation: str


def list_texts_to_score(db: Connection, study_id: int) -> list[TextToScore]:
    """All responses of a study, in the order of responses.csv."""
    return [TextToScore(*row) for row in db.execute(_TEXTS, {"study": study_id})]


def record_scores(db: Connection, study_id: int, scores: Mapping[str, Mapping[str, str]]) -> None:
    """Store attributes of responses, by response; attributes of the same name are replaced."""
    rows = [{"key": key, "scores": dict(one)} for key, one in scores.items()]
    db.execute(_RECORD, {"study": study_id, "scores": json.dumps(rows)})
