"""A study's data for the analysis: the same tables as from the study's folder."""

import pandas as pd
from sqlalchemy import Connection, text

from app.analysis.data.frames import Frames, canonical, items_and_sample, passage_frame, word_frame
from app.studies.data.sql_words import n_words, said
from app.studies.data.stored_ratings import (
    RATERS,
    copy_ratings,
    raters_table,
    ratings_of,
    study_arrivals,
    study_checks,
    table,
)

_ITEMS = text(
    "SELECT id, key, nullif(attributes, '{}') AS attributes FROM items WHERE study_id = :study ORDER BY position, id"
)
_RESPONSES = text(f"""
    SELECT r.id, r.key, i.key AS item, s.key AS source, nullif(r.attributes, '{{}}') AS attributes, {said("r")} AS text
    FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study ORDER BY r.position, r.id
""")  # noqa: S608 - constants only
# For studies in which raters mark passages; lengths are in characters, as in Python.
_PASSAGES = text("""
    WITH texts AS (
      SELECT i.key AS item, NULL AS response, i.text, i.turns FROM items i WHERE i.study_id = :study
      UNION ALL
      SELECT i.key, r.key, r.text, r.turns FROM responses r
      JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id WHERE r.study_id = :study
    )
    SELECT item, response, CAST(place AS integer) AS turn, char_length(turn ->> 'text') AS length
    FROM texts CROSS JOIN LATERAL jsonb_array_elements(turns) WITH ORDINALITY AS said (turn, place)
    WHERE turns IS NOT NULL
    UNION ALL
    SELECT item, response, NULL, char_length(text) FROM texts WHERE turns IS NULL AND text IS NOT NULL
""")
_WORDS = text(f"""
    SELECT i.key AS item, NULL AS response, {n_words("i")} AS n_words FROM items i WHERE i.study_id = :study
    UNION ALL
    SELECT i.key, r.key, {n_words("r")} FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id WHERE r.study_id = :study
""")  # noqa: S608 - constants only
_TYPES = text("SELECT key, type FROM questions WHERE study_id = :study")


def study_frames(db: Connection, study_id: int) -> Frames:
    """All data that `analyze` takes; the same rows in the same order as from the study's folder.

    Args:
        db: a connection.
        study_id: the study.
    """
    copied = copy_ratings(db, study_id)
    items, responses, raters = (db.execute(query, {"study": study_id}).all() for query in (_ITEMS, _RESPONSES, RATERS))
    found = ratings_of(copied, raters=raters, items=items, responses=responses)
    item_table, sample = items_and_sample(table(items, item="key"))
    return Frames(
        items=item_table,
        sample=sample,
        responses=table(responses, response="key", item="item", source="source").assign(
            text=pd.Series([row.text for row in responses], dtype=object)
        ),
        raters=raters_table(raters),
        ratings=canonical(found),
        checks=study_checks(db, study_id),
        arrivals=study_arrivals(db, study_id),
        passages=study_passages(db, study_id),
        words=word_frame(tuple(row) for row in db.execute(_WORDS, {"study": study_id})),
    )


def study_passages(db: Connection, study_id: int) -> pd.DataFrame | None:
    """The texts that raters can mark, as in `app.analysis.data.frames`; None if there is no highlight question."""
    if "highlight" not in {row.type for row in db.execute(_TYPES, {"study": study_id})}:
        return None
    return passage_frame(tuple(row) for row in db.execute(_PASSAGES, {"study": study_id}))
