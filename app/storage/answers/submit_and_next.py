"""Submitting a page and reading the next one, in one statement: what raters do most of the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.storage.answers.ratings import SUBMITTED, submitted_values
from app.storage.assignments.assignment_view import AS_NEXT, PICKED, view_shown
from app.storage.database.hot_statement import HotStatement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.design.questions.form import Answer
    from app.design.questions.marks import PageTimes
    from app.storage.assignments.assignment_view import AssignmentView
    from app.storage.raters.rating_sessions import RatingSession

# If the seat was given to another rater, or the page is an earlier copy, there is no row, and nothing is served.
_SUBMIT_AND_NEXT = HotStatement(f"""
    WITH {SUBMITTED}, {PICKED.format(besides="AND id <> :assignment AND EXISTS (SELECT FROM a)")}
    SELECT a.id AS submitted, n.* FROM a LEFT JOIN ({AS_NEXT}) AS n ON true
""")  # noqa: S608 - constants only


def submit_and_next(
    db: Connection, session: RatingSession, view: AssignmentView, answers: Sequence[Answer], times: PageTimes
) -> tuple[bool, AssignmentView | None]:
    """`record_submission` and then `next_assignment`, in one statement.

    Returns:
        Whether the page was stored, and the next assignment; None if there is none, or if another browser has it.
    """
    values = submitted_values(view, answers, times) | {"session": session.session_id}
    row = _SUBMIT_AND_NEXT.one_or_none(db, values)
    if row is None:
        return False, None
    is_own = row["id"] is not None and row["move_id"] == session.move_id
    return True, view_shown(db, row) if is_own else None
