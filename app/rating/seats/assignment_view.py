"""The content of a rating page: one assignment with its texts, its answers so far and its place in the list."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Pool, text

from app.base.database.hot_statement import HotStatement
from app.base.database.keys import token_hash
from app.rating.arrival.arrivals import take_over
from app.rating.sessions import SESSION_COLUMNS, TOUCH, TOUCH_MOVED, RatingSession

Texts = dict[str, Any]
Kept = OrderedDict[tuple[int, int, tuple[int, ...]], Texts]


# The texts of trials that were shown lately, so that saving or submitting a page need not read them again.
#
# Texts never change: an item or a response with other texts is another row. A browser keeps its connection, and so its
# process, which has shown the page before.

# About as many as a process has raters at once. Texts of 500 words take 3 kB.
MAX_KEPT = 500
# SQL for the texts of the items `i`, and of the responses that are shown with them, in this order.
ITEM_TEXTS = "i.text, i.turns, i.profile, i.content_note"
RESPONSE_TEXTS = """
    (SELECT jsonb_agg(jsonb_build_object('text', r.text, 'turns', r.turns) ORDER BY o.place)
     FROM unnest({shown}) WITH ORDINALITY AS o (id, place)
     JOIN responses r ON r.study_id = i.study_id AND r.id = o.id) AS responses
"""
_NAMES = ("text", "turns", "profile", "content_note", "responses")
_TEXTS = HotStatement(f"""
    SELECT {ITEM_TEXTS}, {RESPONSE_TEXTS.format(shown="CAST(:shown AS bigint[])")}
    FROM items i WHERE i.study_id = :study AND i.id = :item
""")  # noqa: S608 - constants only
_kept: WeakKeyDictionary[Pool, Kept] = WeakKeyDictionary()


def texts_of(db: Connection, study_id: int, item_id: int, response_ids: Sequence[int]) -> Texts:
    """The texts of an item and of responses to it, as the columns ITEM_TEXTS and `responses`."""
    key = study_id, item_id, tuple(response_ids)
    kept = _kept.get(db.engine.pool)
    texts = kept and kept.get(key)
    if not texts:
        row = _TEXTS.one(db, {"study": study_id, "item": item_id, "shown": list(response_ids)})
        texts = keep_texts(db, row | {"study_id": study_id, "item_id": item_id, "response_ids": response_ids})
    return texts


def keep_texts(db: Connection, row: Mapping[str, Any]) -> Texts:
    """Keep the texts in a row that was read otherwise, and return them."""
    kept = _kept.setdefault(db.engine.pool, OrderedDict())
    texts = {name: row[name] for name in _NAMES}
    kept[row["study_id"], row["item_id"], tuple(row["response_ids"])] = texts
    if len(kept) > MAX_KEPT:
        kept.popitem(last=False)
    return texts


_COLUMNS = """
    a.study_id, a.id, a.token, a.rater_id, a.trial_id, a.position, a.response_ids, a.shown_labels, a.repeat, a.state,
    a.n_turns_done, a.served_at, t.condition, t.item_id, t.purpose, a.revisited_at, a.move_id
"""
_WITH_TEXTS = f"{_COLUMNS}, {ITEM_TEXTS}, {RESPONSE_TEXTS.format(shown='a.response_ids')}"
_TRIALS = "JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id"
_SOURCES = f"{_TRIALS} JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id"
# Read only when the page is shown, not for a save: the answers so far, and the place in the rater's list.
_ANSWERS = """
    (SELECT jsonb_agg(jsonb_build_object('question', question, 'response_id', response_id, 'turn', turn,
         'number', number, 'outcome', outcome, 'side', side, 'strength', strength, 'codes', codes, 'text', text,
         'comment', comment))
     FROM ratings WHERE study_id = a.study_id AND assignment_id = a.id
       AND (a.moved_at IS NULL OR rated_at >= a.moved_at)) AS answers
"""
# When the last of what is stored for the page left its browser: a page that is shown now begins after it.
_LATEST = """
    (SELECT greatest(a.page_ms, max(o.page_ms)) FROM ratings o WHERE o.study_id = a.study_id AND o.assignment_id = a.id)
    AS latest_ms
"""
_OWN_LIST = "o.study_id = a.study_id AND o.rating_session_id = a.rating_session_id AND o.state <> 'returned'"
_BEFORE = "o.position < a.position AND (a.move_id IS NULL OR o.move_id = a.move_id)"
_PLACE = f"""
    (SELECT count(*) FROM assignments o WHERE {_OWN_LIST}) AS n_all,
    (SELECT count(*) FROM assignments o WHERE {_OWN_LIST} AND o.position <= a.position) AS place,
    (SELECT o.token FROM assignments o WHERE {_OWN_LIST} AND {_BEFORE} AND o.state <> 'skipped'
     ORDER BY o.position DESC LIMIT 1) AS previous
"""  # noqa: S608 - constants only
# Repeats are not revisited, because their trial already is; neither are gold trials.
_REVISITED = """
    o.state = 'done' AND o.repeat = 0 AND EXISTS (
      SELECT FROM trials u WHERE u.study_id = o.study_id AND u.id = o.trial_id AND u.purpose = 'rating')
"""
_PLACE_OF_REVISIT = f"""
    (SELECT count(*) FROM assignments o WHERE {_OWN_LIST} AND {_REVISITED}) AS n_all,
    (SELECT count(*) FROM assignments o WHERE {_OWN_LIST} AND {_REVISITED} AND o.position <= a.position) AS place,
    (SELECT o.token FROM assignments o WHERE {_OWN_LIST} AND {_BEFORE} AND {_REVISITED}
     ORDER BY o.position DESC LIMIT 1) AS previous
"""  # noqa: S608 - constants only
# A prefix is needed because rating sessions and assignments both have a study, a rater and a condition.
_ME = ", ".join(f"me.{name} AS my_{name}" for name in SESSION_COLUMNS)
_OWN_BY = f"""
    WITH me AS ({{session}})
    SELECT {_ME}, {_COLUMNS}
    FROM me
    LEFT JOIN (assignments a {_TRIALS})
      ON a.study_id = me.study_id AND a.rating_session_id = me.session_id AND a.token = CAST(:token AS uuid)
"""  # noqa: S608 - constants only
_OWN, _OWN_MOVED = (HotStatement(_OWN_BY.format(session=session)) for session in (TOUCH, TOUCH_MOVED))
# The first open assignment, now served; `{besides}` leaves one out.
PICKED = """
    pick AS (
      SELECT id, state FROM assignments
      WHERE study_id = :study AND rating_session_id = :session AND state IN ('planned', 'leased') {besides}
      ORDER BY position LIMIT 1
    ), served AS (
      UPDATE assignments SET state = 'leased', served_at = coalesce(served_at, now())
      WHERE study_id = :study AND id = (SELECT id FROM pick WHERE state = 'planned')
    )
"""
AS_NEXT = f"""
    SELECT {_WITH_TEXTS}, {_ANSWERS}, {_LATEST}, {_PLACE}
    FROM assignments a {_SOURCES} WHERE a.study_id = :study AND a.id = (SELECT id FROM pick)
"""  # noqa: S608 - constants only
_NEXT = HotStatement(f"WITH {PICKED.format(besides='')} {AS_NEXT}")
_NEXT_REVISIT = HotStatement(f"""
    WITH pick AS (
      SELECT o.id FROM assignments o
      WHERE o.study_id = :study AND o.rating_session_id = :session AND {_REVISITED} AND o.revisited_at IS NULL
      ORDER BY o.position LIMIT 1
    ), served AS (
      UPDATE assignments SET revisit_served_at = coalesce(revisit_served_at, now())
      WHERE study_id = :study AND id = (SELECT id FROM pick)
    )
    SELECT {_WITH_TEXTS}, {_ANSWERS}, {_LATEST}, {_PLACE_OF_REVISIT}
    FROM assignments a {_SOURCES} WHERE a.study_id = :study AND a.id = (SELECT id FROM pick)
""")  # noqa: S608 - constants only
_SHOWN = f"""
    SELECT {_ANSWERS}, {_LATEST}, {{place}} FROM assignments a WHERE a.study_id = :study AND a.id = :assignment
"""  # noqa: S608 - constants only
_TO_SHOW, _TO_SHOW_AGAIN = text(_SHOWN.format(place=_PLACE)), text(_SHOWN.format(place=_PLACE_OF_REVISIT))


@dataclass(frozen=True, slots=True)
class AssignmentView:
    """One assignment as its page shows it. The rater is at `place` of `n_all`; texts are verbatim.

    `answers`, `n_all`, `place`, `previous` and `latest_ms` are filled in by `to_show` when the page is shown.
    `is_revisit`: the trial is shown once more, after the last trial, for the questions that are asked then.
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
    purpose: str = "rating"
    revisited_at: datetime | None = None
    move_id: int | None = None
    answers: Sequence[dict[str, Any]] = ()
    n_all: int = 0
    place: int = 0
    previous: UUID | None = None
    latest_ms: int | None = None
    is_revisit: bool = False

    def looked_back_on(self) -> AssignmentView:
        """The same trial as a revisit, if it is one that is revisited; otherwise unchanged."""
        is_one = self.state == "done" and not self.repeat and self.purpose == "rating"
        return replace(self, is_revisit=True) if is_one else self


# `is_revisit` is not stored: `looked_back_on` sets it. Some of the other fields are read only to show the page.
_FIELDS = tuple(field.name for field in fields(AssignmentView) if field.name != "is_revisit")


def get_own_assignment(
    db: Connection, slug: str, cookie: str, token: UUID
) -> tuple[RatingSession, AssignmentView] | None:
    """The assignment with this token if it belongs to this rater, and the rating session, whose lease is extended.

    None means that it does not exist or belongs to another rater; callers cannot and should not distinguish the two.
    """
    values = {"slug": slug, "hash": token_hash(cookie), "token": str(token)}
    row = _OWN.one_or_none(db, values) or _OWN_MOVED.one_or_none(db, values)
    if row is None or row["id"] is None:
        return None
    texts = texts_of(db, row["study_id"], row["item_id"], row["response_ids"])
    session, view = RatingSession.of(row, "my_"), view_of({**row, **texts})
    if view.move_id == session.move_id:
        return session, view
    if session.is_moved:
        return None
    take_over(db, session, view.id)
    return session, replace(view, move_id=session.move_id)


def to_show(db: Connection, view: AssignmentView) -> AssignmentView:
    """The assignment with the rest of its page: the answers so far, and its place in the rater's list."""
    statement = _TO_SHOW_AGAIN if view.is_revisit else _TO_SHOW
    row = db.execute(statement, {"study": view.study_id, "assignment": view.id}).one()
    place = {"n_all": row.n_all, "place": row.place, "previous": row.previous, "latest_ms": row.latest_ms}
    return replace(view, answers=row.answers or (), **place)


def next_assignment(db: Connection, session: RatingSession) -> AssignmentView | None:
    """The first open assignment of a rating session, now marked as served; None if all are done."""
    return _next(db, session, _NEXT)


def next_revisit(db: Connection, session: RatingSession) -> AssignmentView | None:
    """The first trial that has not been revisited, now marked as served again; None if there is none."""
    view = _next(db, session, _NEXT_REVISIT)
    return None if view is None else view.looked_back_on()


def _next(db: Connection, session: RatingSession, statement: HotStatement) -> AssignmentView | None:
    """The assignment that a statement selects; if another browser had it, this one takes it over."""
    values = {"study": session.study_id, "session": session.session_id}
    row = statement.one_or_none(db, values)
    view = None if row is None else view_shown(db, row)
    if view is None or view.move_id == session.move_id:
        return view
    take_over(db, session, view.id)
    again = statement.one_or_none(db, values)
    return None if again is None else view_shown(db, again)


def view_shown(db: Connection, row: Mapping[str, Any]) -> AssignmentView:
    """The assignment in a row with its texts, which are kept for the answers that follow."""
    keep_texts(db, row)
    return view_of(row)


def view_of(row: Mapping[str, Any]) -> AssignmentView:
    """The assignment in a row; columns that a statement does not read keep their defaults."""
    values = {name: row[name] for name in _FIELDS if name in row}
    labels = values["shown_labels"]
    lists = {"responses": values["responses"] or [], "answers": values.get("answers") or ()}
    return AssignmentView(
        **values | lists | {"response_ids": tuple(values["response_ids"]), "shown_labels": labels and tuple(labels)}
    )
