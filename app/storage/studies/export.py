"""Export a whole study from the database, including its texts and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from sqlalchemy import text

from app.analysis.data.study_folder import ITEM_COLUMNS, StudyFolder
from app.design.dialogue import turns_to_json
from app.storage.results.frames import RATERS, copy_ratings, raters_table, ratings_of, study_checks, table
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from sqlalchemy import Connection


_PROTOCOL = text("""
    SELECT p.version, p.yaml, p.sha256 FROM studies s
    JOIN protocols p ON p.study_id = s.id AND p.version = s.protocol_version WHERE s.id = :study
""")
_ITEMS = text("""
    SELECT id, key, text, turns, profile, content_note, retired_because, nullif(attributes, '{}') AS attributes
    FROM items WHERE study_id = :study ORDER BY position, id
""")
_RESPONSES = text("""
    SELECT r.id, r.key, i.key AS item, s.key AS source, r.text, r.turns, nullif(r.attributes, '{}') AS attributes
    FROM responses r
    JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE r.study_id = :study ORDER BY r.position, r.id
""")
_EVENTS = text("""
    SELECT rater, kind, detail, happened_at FROM (
      SELECT r.key AS rater, e.kind, e.detail, e.happened_at, 1 AS source, e.id FROM events e
      LEFT JOIN raters r ON r.study_id = e.study_id AND r.id = e.rater_id WHERE e.study_id = :study
      UNION ALL
      SELECT r.key, d.step, d.detail, d.done_at, 0, d.rating_session_id FROM steps d
      JOIN rating_sessions s ON s.study_id = d.study_id AND s.id = d.rating_session_id
      JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id WHERE d.study_id = :study
    ) AS happened ORDER BY happened_at, source, id, kind
""")


def study_folder(db: Connection, study_id: int) -> StudyFolder:
    """The study as a folder in memory: what `load_study` stored, and every answer since.

    Args:
        db: a connection.
        study_id: the study.
    """
    copied = copy_ratings(db, study_id)
    protocol = db.execute(_PROTOCOL, {"study": study_id}).one()
    items, responses, raters = (db.execute(query, {"study": study_id}).all() for query in (_ITEMS, _RESPONSES, RATERS))
    return StudyFolder(
        protocol=get_protocol(db, study_id, protocol.version, protocol.sha256),
        yaml=protocol.yaml,
        items=_with_turns(table(items, item="key", **{name: name for name in ITEM_COLUMNS[1:]})),
        responses=_with_turns(
            table(responses, response="key", item="item", source="source", text="text", turns="turns")
        ),
        raters=raters_table(raters),
        ratings=ratings_of(copied, raters=raters, items=items, responses=responses),
        checks=study_checks(db, study_id),
    )


def study_events(db: Connection, study_id: int) -> pd.DataFrame:
    """All events and completed steps: rater, kind, detail (a dictionary), happened_at."""
    rows = [tuple(row) for row in db.execute(_EVENTS, {"study": study_id})]
    return pd.DataFrame(rows, columns=["rater", "kind", "detail", "happened_at"], dtype=object)


def _with_turns(texts: pd.DataFrame) -> pd.DataFrame:
    """Convert turns back to JSON text in canonical form."""
    turns = [None if cell is None else turns_to_json(cell) for cell in texts["turns"]]
    texts["turns"] = texts["turns"].where(texts["turns"].isna(), turns)
    return texts
