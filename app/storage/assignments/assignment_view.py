"""What a rating page shows: one assignment with its texts, its answers so far and its place, in one statement."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from app.storage.database.token_hash import token_hash
from app.storage.raters.rating_sessions import SESSION_COLUMNS, TOUCH, TOUCH_MOVED, RatingSession
from app.storage.raters.session_moves import take_over

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from sqlalchemy import Connection, RowMapping, TextClause

_COLUMNS = """
    a.study_id, a.id, a.token, a.rater_id, a.trial_id, a.position, a.response_ids, a.shown_labels, a.repeat, a.state,
    a.n_turns_done, a.served_at, t.condition, i.id AS item_id, i.text, i.turns, i.profile, i.content_note,
    (SELECT jsonb_agg(jsonb_build_object('text', r.text, 'turns', r.turns) ORDER BY o.place)
     FROM unnest(a.response_ids) WITH ORDINALITY AS o (id, place)
     JOIN responses r ON r.study_id = a.study_id AND r.id = o.id) AS responses,
    (SELECT jsonb_agg(jsonb_build_object('question', question, 'response_id', response_id, 'turn', turn,
         'number', number, 'outcome', outcome, 'side', side, 'strength', strength, 'codes', codes, 'text', text,
         'comment', comment))
     FROM ratings WHERE study_id = a.study_id AND assignment_id = a.id
       AND (a.moved_at IS NULL OR rated_at >= a.moved_at)) AS answers,
    m.n_all, m.place, m.previous, t.purpose, a.revisited_at, m.n_done, m.place_done, m.previous_done, a.move_id
"""
_SOURCES = """
    JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    CROSS JOIN LATERAL (
      SELECT count(*) AS n_all, count(*) FILTER (WHERE position <= a.position) AS place,
             (array_agg(token ORDER BY position DESC)
               FILTER (WHERE position < a.position AND state <> 'skipped' AND is_of_browser))[1] AS previous,
             count(*) FILTER (WHERE is_looked_back_on) AS n_done,
             count(*) FILTER (WHERE is_looked_back_on AND position <= a.position) AS place_done,
             (array_agg(token ORDER BY position DESC)
               FILTER (WHERE is_looked_back_on AND position < a.position AND is_of_browser))[1] AS previous_done
      FROM (
        SELECT o.position, o.token, o.state,
               o.state = 'done' AND o.repeat = 0 AND u.purpose = 'rating' AS is_looked_back_on,
               a.move_id IS NULL OR o.move_id = a.move_id AS is_of_browser
        FROM assignments o JOIN trials u ON u.study_id = o.study_id AND u.id = o.trial_id
        WHERE o.study_id = a.study_id AND o.rating_session_id = a.rating_session_id AND o.state <> 'returned'
      ) AS own
    ) AS m
"""
# Both the rating session and the assignment have a study, a rater and a condition.
_ME = ", ".join(f"me.{name} AS my_{name}" for name in SESSION_COLUMNS)
_OWN_BY = f"""
    WITH me AS ({{touch}})
    SELECT {_ME}, {_COLUMNS}
    FROM me
    LEFT JOIN (assignments a {_SOURCES})
      ON a.study_id = me.study_id AND a.rating_session_id = me.session_id AND a.token = CAST(:token AS uuid)
"""  # noqa: S608 - constants only
_OWN, _OWN_MOVED = text(_OWN_BY.format(touch=TOUCH)), text(_OWN_BY.format(touch=TOUCH_MOVED))
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
# Repeats are of trials that are looked back on already; gold trials are none of the study's.
_NEXT_REVISIT = text(f"""
    WITH pick AS (
      SELECT o.id FROM assignments o JOIN trials u ON u.study_id = o.study_id AND u.id = o.trial_id
      WHERE o.study_id = :study AND o.rating_session_id = :session AND o.state = 'done' AND o.repeat = 0
        AND u.purpose = 'rating' AND o.revisited_at IS NULL
      ORDER BY o.position LIMIT 1
    ), served AS (
      UPDATE assignments SET revisit_served_at = coalesce(revisit_served_at, now())
      WHERE study_id = :study AND id = (SELECT id FROM pick)
    )
    SELECT {_COLUMNS} FROM assignments a {_SOURCES} WHERE a.study_id = :study AND a.id = (SELECT id FROM pick)
""")  # noqa: S608 - constants only


@dataclass(frozen=True, slots=True)
class AssignmentView:
    """One assignment as its page shows it. The rater is at `place` of `n_all`; texts are verbatim.

    `is_revisit`: it is shown once more, after the last trial, for the questions that come then.
    """

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
    purpose: str = "rating"
    revisited_at: datetime | None = None
    n_done: int = 0
    place_done: int = 0
    previous_done: UUID | None = None
    move_id: int | None = None
    is_revisit: bool = False

    def looked_back_on(self) -> AssignmentView:
        """The same trial among those that are shown once more, where it is one of them."""
        if self.state != "done" or self.repeat or self.purpose != "rating":
            return self
        return replace(self, n_all=self.n_done, place=self.place_done, previous=self.previous_done, is_revisit=True)


# `is_revisit` is not stored: `looked_back_on` sets it.
_FIELDS = tuple(field.name for field in fields(AssignmentView) if field.name != "is_revisit")


def get_own_assignment(
    db: Connection, slug: str, cookie: str, token: UUID
) -> tuple[RatingSession, AssignmentView] | None:
    """The assignment of this token if it is this rater's, with the rating session, whose lease it extends.

    None says that there is none, or that it is another rater's: the caller cannot tell, and should not.
    """
    values = {"slug": slug, "hash": token_hash(cookie), "token": str(token)}
    row = db.execute(_OWN, values).mappings().one_or_none() or db.execute(_OWN_MOVED, values).mappings().one_or_none()
    if row is None or row["id"] is None:
        return None
    session, view = RatingSession.of(row, "my_"), _view(row)
    if view.move_id == session.move_id:
        return session, view
    if session.is_moved:
        return None
    take_over(db, session, view.id)
    return session, _view(db.execute(_OWN, values).mappings().one())


def next_assignment(db: Connection, session: RatingSession) -> AssignmentView | None:
    """The first open assignment of a rating session, now served; None where all are done."""
    return _next(db, session, _NEXT)


def next_revisit(db: Connection, session: RatingSession) -> AssignmentView | None:
    """The first trial not yet shown again to the rater, now served again; None if there is none."""
    view = _next(db, session, _NEXT_REVISIT)
    return None if view is None else view.looked_back_on()


def _next(db: Connection, session: RatingSession, statement: TextClause) -> AssignmentView | None:
    """The assignment that a statement picks, taken over by this browser where another one had it."""
    values = {"study": session.study_id, "session": session.session_id}
    row = db.execute(statement, values).mappings().one_or_none()
    view = None if row is None else _view(row)
    if view is None or view.move_id == session.move_id:
        return view
    take_over(db, session, view.id)
    return _view(db.execute(statement, values).mappings().one())


def _view(row: RowMapping) -> AssignmentView:
    values: dict[str, Any] = {name: row[name] for name in _FIELDS}
    lists: dict[str, Any] = {name: values[name] or [] for name in ("responses", "answers")}
    labels = values["shown_labels"]
    return AssignmentView(
        **values | lists | {"response_ids": tuple(values["response_ids"]), "shown_labels": labels and tuple(labels)}
    )
