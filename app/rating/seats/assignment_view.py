"""The content of a rating page: one assignment with its texts, its answers so far and its place in the list."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Self
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Pool

from app.base.database.hot_statement import HotStatement, sql_file
from app.base.database.keys import token_hash
from app.rating.arrival.arrivals import take_over
from app.rating.sessions import OF_COOKIE, RatingSession

Texts = dict[str, Any]
Kept = OrderedDict[tuple[int, int, tuple[int, ...]], Texts]


# The texts of trials that were shown lately, so that saving or submitting a page need not read them again.
#
# These texts never change: an item or a response with other texts is another row. What raters wrote is read each time:
# once they have it deleted, no process may show it. A browser keeps its connection, and so its process, which has shown
# the page before.

# About as many as a process has raters at once. Texts of 500 words take 3 kB.
MAX_KEPT = 500
# From so many pages on, a break is offered halfway.
_MANY = 10
# A page that is served in the statement that stores the one before is still planned in what that reads.
_OPEN = frozenset({"planned", "leased"})
_NAMES = ("text", "turns", "profile", "content_note", "image", "responses")
_TEXTS_SQL = sql_file(__file__, "texts.sql")
_TEXTS = HotStatement(f"""
    WITH pick AS (
      SELECT CAST(:study AS bigint) AS study_id, CAST(:item AS bigint) AS item_id,
             CAST(:shown AS bigint[]) AS response_ids
    ), {_TEXTS_SQL}
    SELECT * FROM texts
""")  # noqa: S608 - constants only
kept_texts: WeakKeyDictionary[Pool, Kept] = WeakKeyDictionary()


def texts_of(db: Connection, study_id: int, item_id: int, response_ids: Sequence[int]) -> Texts:
    """The texts of an item and of responses to it, as the columns of `texts.sql`."""
    key = study_id, item_id, tuple(response_ids)
    kept = kept_texts.get(db.engine.pool)
    texts = kept and kept.get(key)
    if texts:
        return texts
    row = _read(db, study_id, item_id, response_ids)
    return keep_texts(db, {**row, "study_id": study_id, "item_id": item_id, "response_ids": response_ids})


def read_texts(db: Connection, study_id: int, item_id: int, response_ids: Sequence[int]) -> Texts:
    """The same as they are now, for drafts, whose images can change."""
    row = _read(db, study_id, item_id, response_ids)
    return {name: row[name] for name in _NAMES}


def _read(db: Connection, study_id: int, item_id: int, response_ids: Sequence[int]) -> Mapping[str, Any]:
    return _TEXTS.one(db, {"study": study_id, "item": item_id, "shown": list(response_ids)})


def keep_texts(db: Connection, row: Mapping[str, Any]) -> Texts:
    """Keep the texts in a row that was read otherwise, unless they can be erased, and return them."""
    texts = {name: row[name] for name in _NAMES}
    if row["are_erasable"]:
        return texts
    kept = kept_texts.setdefault(db.engine.pool, OrderedDict())
    kept[row["study_id"], row["item_id"], tuple(row["response_ids"])] = texts
    if len(kept) > MAX_KEPT:
        kept.popitem(last=False)
    return texts


# The session's study and rater are those of the assignment too.
_OWN = HotStatement(f"""
    WITH me AS ({OF_COOKIE})
    SELECT me.*, a.id, a.token, a.trial_id, a.position, a.response_ids, a.shown_labels, a.repeat, a.state,
           a.n_turns_done, a.served_at, a.revisited_at, a.move_id AS page_move_id,
           t.condition AS trial_condition, t.item_id, t.purpose,
           (SELECT m.role FROM dyad_members m WHERE m.study_id = a.study_id AND m.assignment_id = a.id) AS role
    FROM me
    LEFT JOIN (assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id)
      ON a.study_id = me.study_id AND a.rating_session_id = me.session_id AND a.token = CAST(:token AS uuid)
""")  # noqa: S608 - constants only
_PAGE_SQL = sql_file(__file__, "page.sql")
# After a statement that leaves an assignment, `a`: the next page in `page_shown` and `texts`.
NEXT_PAGE_SQL = f"{sql_file(__file__, 'next.sql')}, {_TEXTS_SQL}, {_PAGE_SQL}"
_NEXT = HotStatement(f"""
    WITH a AS (SELECT CAST(0 AS bigint) AS id), {NEXT_PAGE_SQL} SELECT * FROM page_shown CROSS JOIN texts
""")  # noqa: S608 - constants only
_NEXT_REVISIT = HotStatement(f"""
    WITH {sql_file(__file__, "next_revisit.sql")}, {_TEXTS_SQL}, {_PAGE_SQL} SELECT * FROM page_shown CROSS JOIN texts
""")  # noqa: S608 - constants only
_TO_SHOW = HotStatement(f"""
    WITH pick AS (SELECT CAST(:assignment AS bigint) AS id), {_PAGE_SQL} SELECT * FROM page_shown
""")  # noqa: S608 - constants only


@dataclass(frozen=True, slots=True)
class AssignmentView:
    """One assignment as its page shows it. The rater is at `place` of `n_all`; texts are verbatim.

    `answers`, `n_all`, `place`, `previous`, `latest_ms` and `pace_ms`, the rater's median time per page, are filled in
    by `to_show` when the page is shown. `image`: token, width, height and alt. `role`: in a conversation with another
    rater.
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
    role: str | None = None
    revisited_at: datetime | None = None
    move_id: int | None = None
    image: Mapping[str, Any] | None = None
    answers: Sequence[dict[str, Any]] = ()
    n_all: int = 0
    place: int = 0
    previous: UUID | None = None
    latest_ms: int | None = None
    pace_ms: float | None = None
    is_revisit: bool = False

    @property
    def own_turns(self) -> frozenset[int]:
        """The numbers of the turns, from 1, that the rater wrote in the conversation on the page."""
        by = self.role or "rater"
        turns = (enumerate(response["turns"] or (), start=1) for response in self.responses)
        return frozenset(number for of_one in turns for number, turn in of_one if turn.get("by") == by)

    @property
    def minutes_left(self) -> int | None:
        """Minutes for this page and those after it, at the rater's own pace; None on a page that was rated before."""
        if self.pace_ms is None or self.state not in _OPEN:
            return None
        return max(1, round(self.pace_ms * (self.n_all - self.place + 1) / 60_000))

    @property
    def offers_pause(self) -> bool:
        """Whether a break is offered: halfway through ten pages or more, so never before the last one."""
        return self.state in _OPEN and self.n_all >= _MANY and self.place == self.n_all // 2 + 1

    def as_revisit(self) -> Self:
        """The same trial as a revisit, if it is one that is revisited; otherwise unchanged."""
        is_one = self.state == "done" and not self.repeat and self.purpose == "rating"
        return replace(self, is_revisit=True) if is_one else self


# `is_revisit` is not stored: `as_revisit` sets it. Some of the other fields are read only to show the page.
_FIELDS = tuple(field.name for field in fields(AssignmentView) if field.name != "is_revisit")


def get_own_assignment(
    db: Connection, slug: str, cookie: str, token: UUID
) -> tuple[RatingSession, AssignmentView] | None:
    """The assignment with this token if it belongs to this rater, and the rating session, whose lease is extended.

    None means that it does not exist or belongs to another rater; callers cannot and should not distinguish the two.
    """
    row = _OWN.one_or_none(db, {"slug": slug, "hash": token_hash(cookie), "token": str(token)})
    if row is None or row["id"] is None:
        return None
    session, texts = RatingSession.of(row), texts_of(db, row["study_id"], row["item_id"], row["response_ids"])
    of_page = {"condition": row["trial_condition"], "move_id": row["page_move_id"]}
    view = view_of({**row, **of_page, **texts})
    if view.move_id == session.move_id:
        return session, view
    if session.is_moved:
        return None
    take_over(db, session, view.id)
    return session, replace(view, move_id=session.move_id)


def to_show(db: Connection, view: AssignmentView) -> AssignmentView:
    """The assignment with the rest of its page: the answers so far, and its place in the rater's list."""
    row = _TO_SHOW.one(db, {"study": view.study_id, "assignment": view.id, "is_revisit": view.is_revisit})
    place = {name: row[name] for name in ("n_all", "place", "previous", "latest_ms", "pace_ms")}
    return replace(view, answers=row["answers"] or (), **place)


def next_assignment(db: Connection, session: RatingSession) -> AssignmentView | None:
    """The first open assignment of a rating session, now marked as served; None if all are done."""
    return _next(db, session, _NEXT, is_revisit=False)


def next_revisit(db: Connection, session: RatingSession) -> AssignmentView | None:
    """The first trial that has not been revisited, now marked as served again; None if there is none."""
    view = _next(db, session, _NEXT_REVISIT, is_revisit=True)
    return None if view is None else view.as_revisit()


def _next(
    db: Connection, session: RatingSession, statement: HotStatement, *, is_revisit: bool
) -> AssignmentView | None:
    """The assignment that a statement selects; if another browser had it, this one takes it over."""
    values = {"study": session.study_id, "session": session.session_id, "is_revisit": is_revisit}
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
