"""Dialogues revealed turn by turn: answers about a turn count once the whole trial is submitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.answers.ratings import NOT_SUBMITTED, record_answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from app.design.questions.form import Answer
    from app.storage.assignments.assignment_view import AssignmentView

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
