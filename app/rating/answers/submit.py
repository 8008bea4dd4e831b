"""Storing answers in one statement that is a transaction of its own, for a page that this process has shown.

What the process knew when it showed the page still holds if the row of the rating session has the version that it had:
every request of a rater updates that row, and so does everything that changes how they go on. What can change without
them is checked by the statement too: the study's status, messages from the lead, and the state of the assignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from app.base.database.hot_connections import HotConnections
from app.base.database.hot_statement import HotStatement
from app.protocol.questions.form import Answer, PageTimes
from app.rating.answers.ratings import (
    NOT_SUBMITTED,
    OLDER,
    SAVED_BY_ME,
    SUBMITTED,
    SUBMITTED_BY_ME,
    submitted_values,
    too_old,
    values_of,
)
from app.rating.seats.assignment_view import AS_NEXT, PICKED, AssignmentView, view_of, view_shown
from app.rating.sessions import ROW_VERSION, RatingSession

# The update waits for other requests of this session. They change its version, so that there is no row then.
_ME = f"""
    me AS (
      UPDATE rating_sessions AS s
      SET last_seen_at = now(), lease_expires_at = now() + make_interval(mins => s.lease_minutes)
      WHERE s.study_id = :study AND s.id = :session AND {ROW_VERSION} = :row_version
        AND (SELECT status FROM studies WHERE id = :study) = :status {{besides}}
      RETURNING {ROW_VERSION} AS row_version
    )
"""  # noqa: S608 - constants only
_NO_MESSAGE = """
    AND NOT EXISTS (SELECT FROM rater_messages n
                    WHERE n.study_id = s.study_id AND n.rater_id = s.rater_id AND n.read_at IS NULL)
"""
_SUBMIT = HotStatement(f"""
    WITH {_ME.format(besides=_NO_MESSAGE)}, {SUBMITTED_BY_ME},
      {PICKED.format(besides="AND id <> :assignment AND EXISTS (SELECT FROM a)")}
    SELECT me.row_version, n.* FROM a CROSS JOIN me LEFT JOIN ({AS_NEXT}) AS n ON true
""")  # noqa: S608 - constants only
_SAVE = HotStatement(f"""
    WITH {_ME.format(besides="")}, {SAVED_BY_ME} SELECT me.row_version, {OLDER} FROM a CROSS JOIN me
""")  # noqa: S608 - constants only


async def submit_at_once(
    db: HotConnections, session: RatingSession, view: AssignmentView, answers: Sequence[Answer], times: PageTimes
) -> tuple[RatingSession, AssignmentView] | None:
    """Store the answers of a page, mark its assignment as done, and serve the next one.

    Returns:
        The rating session as it is now, and the next assignment. None if nothing was stored, because something has
        changed or failed, or if there is no next assignment for this browser.
    """
    row = await db.one_or_none(_SUBMIT, submitted_values(view, answers, times) | _values_of(session))
    if row is None or row["id"] is None or row["move_id"] != session.move_id:
        return None
    return replace(session, row_version=row["row_version"]), view_of(row)


async def save_at_once(
    db: HotConnections, session: RatingSession, view: AssignmentView, answers: Sequence[Answer], page_ms: int
) -> tuple[RatingSession, list[Answer]] | None:
    """Store answers before their page is submitted.

    Returns:
        The rating session as it is now, and the answers that were ignored because the question was answered later.
        None if nothing was stored, because something has changed or failed.
    """
    values = values_of(view, answers, page_ms) | {"exclude": NOT_SUBMITTED}
    row = await db.one_or_none(_SAVE, values | _values_of(session))
    if row is None:
        return None
    return replace(session, row_version=row["row_version"]), too_old(answers, row) or []


def _values_of(session: RatingSession) -> dict[str, object]:
    return {"session": session.session_id, "row_version": session.row_version, "status": session.status}


# Submitting a page and reading the next one, in one statement: what raters do most of the time.

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
