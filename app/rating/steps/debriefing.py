"""The true sources of the responses a rater rated, for the debriefing."""

from dataclasses import dataclass

from sqlalchemy import Connection, text

from app.protocol.presentation import label_of
from app.protocol.study import Protocol
from app.rating.sessions import RatingSession

_RATED = text("""
    SELECT DISTINCT ON (a.position, o.place) i.text AS situation, i.turns -> 0 ->> 'text' AS first_turn,
           coalesce(r.text, r.turns -> 0 ->> 'text', '') AS response, s.key AS source,
           a.shown_labels[o.place] AS shown_label
    FROM assignments a
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    CROSS JOIN LATERAL unnest(a.response_ids) WITH ORDINALITY AS o (id, place)
    JOIN responses r ON r.study_id = a.study_id AND r.id = o.id
    JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id
    WHERE a.study_id = :study AND a.rating_session_id = :session AND a.state = 'done' AND a.repeat = 0
    ORDER BY a.position, o.place
""")


@dataclass(frozen=True, slots=True)
class RatedResponse:
    """A response that a rater rated, the label shown for its source, and the true one."""

    situation: str
    response: str
    shown_label: str | None
    true_label: str


def list_rated_responses(db: Connection, session: RatingSession, protocol: Protocol) -> list[RatedResponse]:
    """The responses that a rating session has rated, in its order."""
    rows = db.execute(_RATED, {"study": session.study_id, "session": session.session_id})
    return [
        RatedResponse(
            row.situation or row.first_turn or "", row.response, row.shown_label, label_of(protocol, row.source)
        )
        for row in rows
    ]
