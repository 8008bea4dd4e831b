"""How raters typed their text answers, where the study counts it."""

from __future__ import annotations

from sqlalchemy import Connection, text

from app.protocol.rater_flags import Typing

_TYPING = text("""
    SELECT rater_id, count(*) AS n_texts, sum(length(text)) AS n_characters, sum(n_keystrokes) AS n_keystrokes,
           sum(n_pasted) AS n_pasted, sum(typing_ms) AS typing_ms
    FROM ratings
    WHERE study_id = :study AND question = ANY(CAST(:questions AS text[])) AND n_keystrokes IS NOT NULL
      AND text IS NOT NULL
    GROUP BY rater_id
""")


def list_typing(db: Connection, study_id: int, questions: list[str]) -> dict[int, Typing]:
    """By rater ID, of raters whose typing was counted in at least one answer to these questions."""
    rows = db.execute(_TYPING, {"study": study_id, "questions": questions})
    return {row.rater_id: Typing(*(int(value) for value in row[1:])) for row in rows}
