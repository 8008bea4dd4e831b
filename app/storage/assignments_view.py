"""What a rating page shows: one assignment with its texts, its answers so far and its place, in one statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from app.storage.arrivals import token_hash
from app.storage.rating_sessions import TOUCH, RatingSession

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from sqlalchemy import Connection, Row

_COLUMNS = """
    a.study_id, a.id, a.token, a.rater_id, a.trial_id, a.position, a.response_ids, a.shown_labels, a.repeat, a.state,
    a.n_turns_done, a.served_at, t.condition, i.id AS item_id, i.text, i.turns, i.profile, i.content_note,
    (SELECT jsonb_agg(jsonb_build_object('text', r.text, 'turns', r.turns) ORDER BY o.place)
     FROM unnest(a.response_ids) WITH ORDINALITY AS o (id, place)
     JOIN responses r ON r.study_id = a.study_id AND r.id = o.id) AS responses,
    (SELECT jsonb_agg(jsonb_build_object('question', question, 'response_id', response_id, 'turn', turn,
         'number', number, 'outcome', outcome, 'side', side, 'strength', strength, 'codes', codes, 'text', text,
         'comment', comment))
     FROM ratings WHERE study_id = a.study_id AND assignment_id = a.id) AS answers,
    m.n_all, m.place, m.previous
"""
_SOURCES = """
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    CROSS JOIN LATERAL (
      SELECT count(*) AS n_all, count(*) FILTER (WHERE position <= a.position) AS place,
             (array_agg(token ORDER BY position DESC) FILTER (WHERE position < a.position AND state <> 'skipped'))[1]
               AS previous
      FROM assignments WHERE study_id = a.study_id AND rating_session_id = a.rating_session_id AND state <> 'returned'
    ) AS m
"""
_OWN = text(f"""
    WITH me AS ({TOUCH})
    SELECT me.*, {_COLUMNS}
    FROM me
    LEFT JOIN (assignments a {_SOURCES})
      ON a.study_id = me.study_id AND a.rating_session_id = me.session_id AND a.token = CAST(:token AS uuid)
""")  # noqa: S608 - constants only
_NEXT = text(f"""
    WITH pick AS (
      SELECT id, state FROM assignments
      WHERE study_id = :study AND rating_session_id = :session AND state IN ('planned', 'leased')
      ORDER BY position LIMIT 1
    ), served AS (
      UPDATE assignments SET state = 'leased', served_at = coalesce(served_at, now())
      WHERE study_id = :study AND id = (SELECT id FROM pick WHERE state = 'planned')
    )
    SELECT {_COLUMNS} FROM assignments a {_SOURCES} WHERE a.study_id = :study AND a.id = (SELECT id FROM pick)
""")  # noqa: S608 - constants only
_N_SESSION = len(RatingSession.__slots__)


@dataclass(frozen=True, slots=True)
class AssignmentView:
    """One assignment as its page shows it. `place` of `n_all` is where the rater stands; texts are verbatim."""

    study_id: int
    id: int
    token: UUID
    rater_id: int
    trial_id: int
    position: int
    response_ids: tuple[int, ...]
    shown_labels: tuple[str | None, ...] | None
    repeat: int
    state: str
    n_turns_done: int
    served_at: datetime | None
    condition: str
    item_id: int
    text: str | None
    turns: list[dict[str, str]] | None
    profile: str | None
    content_note: str | None
    responses: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    n_all: int
    place: int
    previous: UUID | None


def get_own_assignment(
    db: Connection, slug: str, cookie: str, token: UUID
) -> tuple[RatingSession, AssignmentView] | None:
    """The assignment of this token if it is this rater's, with the rating session, whose lease it extends.

    None says that there is none, or that it is another rater's: the caller cannot tell, and should not.
    """
    row = db.execute(_OWN, {"slug": slug, "hash": token_hash(cookie), "token": str(token)}).one_or_none()
    if row is None or row[_N_SESSION] is None:
        return None
    return RatingSession.of(row), _view(row[_N_SESSION:])


def next_assignment(db: Connection, session: RatingSession) -> AssignmentView | None:
    """The first open assignment of a sitting, now served; None where all are done."""
    row = db.execute(_NEXT, {"study": session.study_id, "session": session.session_id}).one_or_none()
    return None if row is None else _view(row)


def _view(row: Row[Any] | tuple[Any, ...]) -> AssignmentView:
    values = dict(zip(AssignmentView.__slots__, row, strict=True))
    values["response_ids"] = tuple(values["response_ids"])
    values["shown_labels"] = values["shown_labels"] and tuple(values["shown_labels"])
    values["responses"] = values["responses"] or []
    values["answers"] = values["answers"] or []
    return AssignmentView(**values)
