"""Answers to questions that are asked when a trial is shown once more, with their own times."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, text

from app.base.database.hot_statement import HotStatement
from app.protocol.questions.form import Answer, PageTimes
from app.rating.answers.ratings import (
    INSERT_PAGE,
    INSERT_SAVED,
    IS_LATEST,
    NOT_SUBMITTED,
    OLDER,
    paused_ms,
    record_answers,
    submitted_values,
    too_old,
    values_of,
)
from app.rating.seats.assignment_view import AssignmentView

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


# Dialogues revealed turn by turn: answers about a turn count once the whole trial is submitted.

_PASS = text("""
    UPDATE assignments SET n_turns_done = greatest(n_turns_done, :turn)
    WHERE study_id = :study AND id = :assignment AND state IN ('leased', 'done') RETURNING id
""")
_RELEASE = text("""
    UPDATE ratings r SET exclude = NULL, active_ms = a.active_ms FROM assignments a
    WHERE a.study_id = :study AND a.id = :assignment AND a.state = 'done'
      AND r.study_id = a.study_id AND r.assignment_id = a.id AND r.turn IS NOT NULL AND r.exclude = :draft
""")


def record_turn(db: Connection, view: AssignmentView, answers: Sequence[Answer], turn: int, page_ms: int) -> bool:
    """Store the answers about a turn and reveal the next one; False if the seat was given to another rater."""
    values = {"study": view.study_id, "assignment": view.id, "turn": turn}
    if db.execute(_PASS, values).scalar_one_or_none() is None:
        return False
    return record_answers(db, view, answers, page_ms) is not None


def release_turns(db: Connection, view: AssignmentView) -> None:
    """Include the answers about turns in estimates from now on, like those about the whole dialogue."""
    db.execute(_RELEASE, {"study": view.study_id, "assignment": view.id, "draft": NOT_SUBMITTED})
