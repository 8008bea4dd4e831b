"""Practice trials with their texts, and what raters answered. Practice answers are not ratings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

_TEXTS = text("""
    SELECT t.id AS trial_id, i.key AS item, i.id AS item_id, i.text, i.turns, i.profile, i.content_note,
           array(SELECT jsonb_build_object('id', r.id, 'key', r.key, 'source', s.key, 'text', r.text, 'turns', r.turns)
                 FROM unnest(t.response_ids) WITH ORDINALITY AS o (id, place)
                 JOIN responses r ON r.study_id = t.study_id AND r.id = o.id
                 JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id ORDER BY o.place) AS responses
    FROM trials t JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE t.study_id = :study AND t.purpose = 'practice' ORDER BY i.position, t.id
""")
_RECORD = text("""
    INSERT INTO events (study_id, rater_id, kind, detail)
    VALUES (:study, :rater, 'practice_trial', CAST(:detail AS jsonb))
""")
_LIST = text("""
    SELECT detail FROM events WHERE study_id = :study AND rater_id = :rater AND kind = 'practice_trial' ORDER BY id
""")


@dataclass(frozen=True, slots=True)
class PracticeText:
    """A practice trial. Each response has id, key, source, and text or turns."""

    trial_id: int
    item: str
    item_id: int
    text: str | None
    turns: list[dict[str, str]] | None
    profile: str | None
    content_note: str | None
    responses: list[dict[str, Any]]


def list_practice_texts(db: Connection, study_id: int) -> list[PracticeText]:
    """Every practice trial of the study."""
    return [PracticeText(*row) for row in db.execute(_TEXTS, {"study": study_id})]


def record_practice(db: Connection, session: RatingSession, detail: Mapping[str, object]) -> None:
    """Store what a rater answered in a practice trial."""
    words = json.dumps(detail, ensure_ascii=False)
    db.execute(_RECORD, {"study": session.study_id, "rater": session.rater_id, "detail": words})


def list_practice(db: Connection, session: RatingSession) -> list[dict[str, Any]]:
    """A rater's practice answers so far, in order."""
    return list(db.execute(_LIST, {"study": session.study_id, "rater": session.rater_id}).scalars())
