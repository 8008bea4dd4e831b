"""Admission, counted under a lock on the study: of two raters who arrive at once, only one takes the last seat."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

# Weaker than FOR UPDATE: rows that only refer to the study are still written meanwhile.
_LOCK = text("SELECT id FROM studies WHERE id = :study FOR NO KEY UPDATE")
_COUNT = text("""
    SELECT count(*) FILTER (WHERE state = 'finished'), count(*) FILTER (WHERE state = 'active')
    FROM rating_sessions WHERE study_id = :study AND id <> :session AND state IN ('active', 'finished')
""")
# What raters said of themselves counts before what a file or a link said of them.
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
    """A rater's attributes, and for each attribute and value how many other raters have finished or are rating."""

    own: dict[str, str] = field(default_factory=dict)
    n_finished: Counter[tuple[str, str]] = field(default_factory=Counter)
    n_active: Counter[tuple[str, str]] = field(default_factory=Counter)


def lock_study(db: Connection, study_id: int) -> None:
    """Hold everybody else's admission to this study until the transaction ends."""
    db.execute(_LOCK, {"study": study_id})


def count_others(db: Connection, session: RatingSession) -> tuple[int, int]:
    """How many other rating sessions are finished, and how many are in progress."""
    n_finished, n_active = db.execute(_COUNT, {"study": session.study_id, "session": session.session_id}).one()
    return n_finished, n_active


def count_by_value(db: Connection, session: RatingSession, attributes: Sequence[str]) -> ByValue:
    """Counts by what raters answered of themselves, or raters.csv or their link said of them."""
    found = ByValue()
    values = {"study": session.study_id, "session": session.session_id, "attributes": list(attributes)}
    for row in db.execute(_VALUES, values):
        if row.is_own:
            found.own[row.attribute] = row.value
        else:
            counts = found.n_finished if row.is_finished else found.n_active
            counts[row.attribute, row.value] += row.n
    return found
