"""Answers to questions that are asked when a trial is shown once more, with their own times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.storage.answers.ratings import (
    INSERT_PAGE,
    INSERT_SAVED,
    IS_LATEST,
    NOT_SUBMITTED,
    OLDER,
    paused_ms,
    submitted_values,
    too_old,
    values_of,
)
from app.storage.database.hot_statement import HotStatement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.design.questions.form import Answer
    from app.design.questions.marks import PageTimes
    from app.storage.assignments.assignment_view import AssignmentView

_COLUMNS = """
    study_id, id, trial_id, rater_id, response_ids, position, repeat, revisit_served_at AS served_at,
    page_ms
"""
# Changing an answer later does not increase the active time of the first visit.
_SUBMIT = HotStatement(f"""
    WITH a AS (
      UPDATE assignments SET revisited_at = coalesce(revisited_at, now()), page_ms = :page_ms
      WHERE study_id = :study AND id = :assignment AND state = 'done' AND {IS_LATEST}
      RETURNING {_COLUMNS}, CASE WHEN revisited_at = now() THEN coalesce(CAST(:active AS bigint), greatest(0,
        CAST(extract(epoch FROM now() - revisit_served_at) * 1000 AS bigint)
          - greatest(:hidden, {paused_ms("revisit_served_at")}))) END AS active_ms
    ), {INSERT_PAGE}
    SELECT id FROM a
""")  # noqa: S608 - constants only
_SAVE = HotStatement(f"""
    WITH a AS (
      SELECT {_COLUMNS}, CAST(NULL AS bigint) AS active_ms FROM assignments
      WHERE study_id = :study AND id = :assignment AND state = 'done'
    ), {INSERT_SAVED}
    SELECT a.id, {OLDER} FROM a
""")  # noqa: S608 - constants only


def record_revisit(db: Connection, view: AssignmentView, answers: Sequence[Answer], times: PageTimes) -> bool:
    """Store the answers of a page that is shown once more; otherwise like `record_submission`."""
    return _SUBMIT.one_or_none(db, submitted_values(view, answers, times)) is not None


def save_revisit(db: Connection, view: AssignmentView, answers: Sequence[Answer], page_ms: int) -> list[Answer] | None:
    """Store answers before their page is submitted; otherwise like `record_answers`."""
    exclude = None if view.revisited_at else NOT_SUBMITTED
    return too_old(answers, _SAVE.one_or_none(db, values_of(view, answers, page_ms) | {"exclude": exclude}))
