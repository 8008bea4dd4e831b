"""Admission, counted under a lock on the study: if two raters arrive at once, only one takes the last seat."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

# Weaker than FOR UPDATE: rows that reference the study can still be written.
_LOCK = text("SELECT id FROM studies WHERE id = :study FOR NO KEY UPDATE")
_COUNT = text("""
    SELECT count(*) FILTER (WHERE state = 'finished'), count(*) FILTER (WHERE state = 'active')
    FROM rating_sessions WHERE study_id = :study AND id <> :session AND state IN ('active', 'finished')
""")
# Raters' own answers take precedence over values from raters.csv, and these over values from the link.
_VALUES = text("""
    SELECT s.id = :session AS is_own, s.state = 'finished' AS is_finished, w.attribute,
           coalesce(q.value, r.attributes ->> w.attribute, p.value, '') AS value, count(*) AS n
    FROM rating_sessions s JOIN raters r ON r.study_id = s.study_id AND r.id = s.rater_id
    CROSS JOIN unnest(CAST(:attributes AS text[])) AS w (attribute)
    LEFT JOIN LATERAL (
      SELECT coalesce(array_to_string(codes, '|'), trim_scale(CAST(number AS numeric))::text, text) AS value
      FROM ratings WHERE study_id = s.study_id AND rater_id = s.rater_id AND item_id IS NULL
        AND question = w.attribute LIMIT 1
    ) AS q ON true
    LEFT JOIN LATERAL (
      SELECT parameters ->> w.attribute AS value FROM platform_ids
      WHERE study_id = s.study_id AND rater_id = s.rater_id AND parameters ? w.attribute LIMIT 1
    ) AS p ON true
    WHERE s.study_id = :study AND (s.state IN ('active', 'finished') OR s.id = :session)
    GROUP BY 1, 2, 3, 4
""")


@dataclass(frozen=True, slots=True)
class ByValue:
    """A rater's attributes, and the numbers of other raters by (attribute, value) who have finished or are active."""

    own: dict[str, str] = field(default_factory=dict)
    n_finished: Counter[tuple[str, str]] = field(default_factory=Counter)
    n_active: Counter[tuple[str, str]] = field(default_factory=Counter)


def lock_study(db: Connection, study_id: int) -> None:
    """Block other admissions to this study until the transaction ends."""
    db.execute(_LOCK, {"study": study_id})


def count_others(db: Connection, session: RatingSession) -> tuple[int, int]:
    """Number of other rating sessions that are finished, and that are active."""
    n_finished, n_active = db.execute(_COUNT, {"study": session.study_id, "session": session.session_id}).one()
    return n_finished, n_active


def count_by_value(db: Connection, session: RatingSession, attributes: Sequence[str]) -> ByValue:
    """Counts of raters by attribute values from their own answers, raters.csv or their link."""
    found = ByValue()
    values = {"study": session.study_id, "session": session.session_id, "attributes": list(attributes)}
    for row in db.execute(_VALUES, values):
        if row.is_own:
            found.own[row.attribute] = row.value
        else:
            counts = found.n_finished if row.is_finished else found.n_active
            counts[row.attribute, row.value] += row.n
    return found
