"""What raters say about themselves: one row an answer among the ratings, without item or assignment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.answers.ratings import GIVEN, NOT_SUBMITTED, UPSERT, answer_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from sqlalchemy import Connection

    from app.design.questions.form import Answer
    from app.design.questions.slot import Slot
    from app.storage.raters.rating_sessions import RatingSession

_RECORD = text(f"""
    INSERT INTO ratings AS r (study_id, rater_id, question, number, outcome, codes, text, comment, device, position,
      rated_at,
      idempotency_key, exclude)
    SELECT :study, :rater, g.question, g.number, g.outcome, g.codes, g.text, g.comment, g.device, g.position, now(),
      CAST(:key AS uuid), :exclude
    FROM ({GIVEN}) AS g
    WHERE (g.text IS DISTINCT FROM '' OR EXISTS (
        SELECT FROM ratings o WHERE o.study_id = :study AND o.rater_id = :rater AND o.item_id IS NULL
          AND o.question = g.question))
      AND NOT EXISTS (
        SELECT FROM ratings o LEFT JOIN rating_history h ON h.study_id = o.study_id AND h.rating_id = o.id
        WHERE o.study_id = :study AND o.rater_id = :rater AND o.item_id IS NULL AND o.question = g.question
          AND CAST(:key AS uuid) IN (o.idempotency_key, h.idempotency_key))
    {UPSERT}
""")  # noqa: S608 - constants only
_LIST = text("""
    SELECT question, number, outcome, codes, text, comment FROM ratings
    WHERE study_id = :study AND rater_id = :rater AND item_id IS NULL
""")
_FORGET = text("""
    DELETE FROM ratings
    WHERE study_id = :study AND rater_id = :rater AND item_id IS NULL AND question = ANY (CAST(:questions AS text[]))
""")


def record_rater_answers(
    db: Connection,
    session: RatingSession,
    answers: Sequence[Answer],
    slots: Sequence[Slot],
    *,
    is_submitted: bool = True,
    key: UUID | None = None,
) -> None:
    """Store what a rater says about themselves.

    Args:
        db: the transaction.
        session: the rater's rating session.
        answers: checked.
        slots: all that their page asks, in the order shown: an answer keeps its position there.
        is_submitted: whether the page is; an answer that was only saved stays out of every estimate.
        key: the browser's name for this answer; one that was seen before changes nothing.
    """
    place = {slot.name: position for position, slot in enumerate(slots, start=1)}
    rows = [row | {"position": place[answer.slot.name]} for answer in answers for row in answer_rows(answer)]
    draft = {"draft": NOT_SUBMITTED, "exclude": None if is_submitted else NOT_SUBMITTED, "key": key and str(key)}
    who = {"study": session.study_id, "rater": session.rater_id}
    db.execute(_RECORD, {**who, "answers": json.dumps(rows), **draft})


def list_rater_answers(db: Connection, session: RatingSession) -> list[dict[str, object]]:
    """What a rater has said about themselves, as `AssignmentView.answers` has it."""
    rows = db.execute(_LIST, {"study": session.study_id, "rater": session.rater_id}).mappings()
    nothing = {"response_id": None, "turn": None, "side": None, "strength": None}
    return [{**nothing, **row} for row in rows]


def forget_rater_answers(db: Connection, session: RatingSession, questions: Sequence[str]) -> None:
    """Delete what a rater said to these questions, history included."""
    db.execute(_FORGET, {"study": session.study_id, "rater": session.rater_id, "questions": list(questions)})
