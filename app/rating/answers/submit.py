"""Storing what a rater sends for a page, in one statement: `submit.sql`.

What is sent can arrive twice, and late: from a socket whose browser has gone, or through another server. The clocks of
the servers do not matter for this: they can jump, and a page that is shown begins after everything that is stored for
it (`AssignmentView.latest_ms`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, text

from app.base.database.hot_statement import HotStatement, sql_file
from app.protocol.questions.form import Answer, PageTimes
from app.rating.answers.ratings import NOT_SUBMITTED, answer_rows
from app.rating.seats.assignment_view import NEXT_PAGE_SQL, AssignmentView, view_shown
from app.rating.sessions import RatingSession

Action = Literal["save", "turn", "submit", "skip"]


# A row there always is: whether the assignment was still open for this, and the indices of the answers that were
# too old.
_STORED = """
    EXISTS (SELECT FROM a) AS is_stored,
    (SELECT array_agg(DISTINCT g.n) FROM judged g WHERE g.is_older AND NOT g.is_repeat) AS older
"""
_SUBMIT_SQL = sql_file(__file__, "submit.sql")
_STORE = HotStatement(f"{_SUBMIT_SQL} SELECT {_STORED}")
_SKIP = HotStatement(f"{_SUBMIT_SQL}, {sql_file(__file__, 'skip.sql')} SELECT {_STORED}")
_STORE_AND_NEXT = HotStatement(f"""
    {_SUBMIT_SQL}, {NEXT_PAGE_SQL}
    SELECT {_STORED}, n.*
    FROM (VALUES (1)) AS one (n_rows) LEFT JOIN (SELECT * FROM page_shown CROSS JOIN texts) AS n ON true
""")  # noqa: S608 - constants only
# Answers about turns of a dialogue count once its whole page is submitted.
_RELEASE = text("""
    UPDATE ratings r SET exclude = NULL, active_ms = a.active_ms FROM assignments a
    WHERE a.study_id = :study AND a.id = :assignment AND a.state = 'done'
      AND r.study_id = a.study_id AND r.assignment_id = a.id AND r.turn IS NOT NULL AND r.exclude = :draft
""")


@dataclass(frozen=True, slots=True)
class Sent:
    """What a rater sends for a page. `action`: what they do; `submit.sql` says what each means.

    `times`: when it left, and how long the page was hidden. `answers`: validated. `turn`: the turn of a dialogue that
    they complete. `reason`: why the page is skipped.
    """

    action: Action
    times: PageTimes
    answers: Sequence[Answer] = ()
    turn: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of what was sent.

    `is_stored`: False if the seat was given to another rater, the page is over, or what is stored left the browser
    later. `older`: the answers of a save that were ignored because there is a later one. `following`: the next page of
    this browser, if it was asked for and there is one.
    """

    is_stored: bool
    older: Sequence[Answer] = ()
    following: AssignmentView | None = None


def store(db: Connection, session: RatingSession, view: AssignmentView, sent: Sent, *, goes_on: bool = False) -> Stored:
    """Store what was sent for a page, all of it or nothing.

    Args:
        db: the transaction that locked the rating session.
        session: the rating session.
        view: the assignment, verified to belong to this rater.
        sent: what was sent for it.
        goes_on: serve and read the next page too.
    """
    values = {
        "study": view.study_id,
        "session": session.session_id,
        "rater": view.rater_id,
        "assignment": view.id,
        "action": sent.action,
        "is_revisit": view.is_revisit,
        "page_ms": sent.times.page_ms,
        "hidden": sent.times.hidden_ms,
        "active": sent.times.active_ms,
        "turn": sent.turn,
        "reason": sent.reason,
        "answers": json.dumps(_rows(view, sent.answers)),
    }
    statement = _STORE_AND_NEXT if goes_on else _SKIP if sent.action == "skip" else _STORE
    row = statement.one(db, values)
    older = [sent.answers[n] for n in row["older"] or ()]
    is_own = goes_on and row["id"] is not None and row["move_id"] == session.move_id
    return Stored(row["is_stored"], older, view_shown(db, row) if is_own else None)


def _rows(view: AssignmentView, answers: Sequence[Answer]) -> list[Mapping[str, object]]:
    """The answers as `submit.sql` reads them; `n` is the index of the answer that a row is part of."""
    labels = dict(zip(view.response_ids, view.shown_labels or (), strict=False))
    n_shown = len(view.response_ids)
    return [row | {"n": n} for n, answer in enumerate(answers) for row in answer_rows(answer, labels, n_shown)]


def release_turns(db: Connection, view: AssignmentView) -> None:
    """Include the answers about turns in estimates from now on, like those about the whole dialogue."""
    db.execute(_RELEASE, {"study": view.study_id, "assignment": view.id, "draft": NOT_SUBMITTED})
