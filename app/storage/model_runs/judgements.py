"""A judge's answers as ratings, in the transaction that stores the request's outcome."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.answers.given_columns import NAMES, OF_GIVEN, TYPED
from app.storage.answers.ratings import answer_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from app.design.questions.form import Answer
    from app.storage.assignments.assignment_view import AssignmentView

# No assignment and no seat: judges take no rater's place. A question about the item that several of its pages ask is
# one answer, the first one.
_INSERT = text(f"""
    INSERT INTO ratings (study_id, rater_id, item_id, {NAMES}, rated_at, served_at, left_response_id,
                         right_response_id, position, condition, repeat, probabilities)
    SELECT :study, :rater, :item, {OF_GIVEN}, q.answered_at, q.asked_at, :left, :right, q.number,
           nullif(CAST(:condition AS text), ''), CAST(:repeat AS smallint), g.probabilities
    FROM jsonb_to_recordset(CAST(:answers AS jsonb)) AS g ({TYPED}, n integer, probabilities text)
    CROSS JOIN model_requests q WHERE q.study_id = :study AND q.id = :request
    ORDER BY g.n
    ON CONFLICT DO NOTHING
""")  # noqa: S608 - constants only
_PAIR = 2


def record_judgement(
    db: Connection,
    view: AssignmentView,
    rater_id: int,
    request_id: int,
    answers: Sequence[Answer],
    probabilities: Mapping[str, Mapping[str, float]] | None = None,
) -> None:
    """Store the answers of a judge to one page.

    Args:
        db: the transaction.
        view: the page, with its condition and repeat.
        rater_id: the judge.
        request_id: the request, whose times are those of the answers.
        answers: validated answers.
        probabilities: the probability of each allowed answer, or only of the one given, by the slot of the answer.
    """
    left, right = view.response_ids if len(view.response_ids) == _PAIR else (None, None)
    db.execute(
        _INSERT,
        {
            "study": view.study_id,
            "rater": rater_id,
            "item": view.item_id,
            "left": left,
            "right": right,
            "condition": view.condition,
            "repeat": view.repeat,
            "request": request_id,
            "answers": json.dumps(_rows(view, answers, probabilities or {})),
        },
    )


def _rows(
    view: AssignmentView, answers: Sequence[Answer], probabilities: Mapping[str, Mapping[str, float]]
) -> list[dict[str, object]]:
    labels = dict(zip(view.response_ids, view.shown_labels or (), strict=False))
    found = {slot: json.dumps(by_value, ensure_ascii=False) for slot, by_value in probabilities.items()}
    return [
        row | {"n": n, "probabilities": found.get(answer.slot.name)}
        for n, answer in enumerate(answers)
        for row in answer_rows(answer, labels, len(view.response_ids))
    ]
