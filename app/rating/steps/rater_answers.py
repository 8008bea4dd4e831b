"""Answers about the rater: one row per answer among the ratings, without item or assignment."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, text

from app.protocol.questions.form import Answer
from app.protocol.questions.slot import Slot
from app.rating.answers.ratings import NAMES, NOT_SUBMITTED, OF_GIVEN, TYPED, answer_rows
from app.rating.sessions import RatingSession

# A changed answer replaces the earlier one, as in `submit.sql`: nothing that left the browser earlier replaces a later
# one, and what browsers without scripts do not send is kept.
_IS_CHANGED = """
    (r.number, r.outcome, r.codes, r.text) IS DISTINCT FROM
    (excluded.number, excluded.outcome, excluded.codes, excluded.text)
"""
_RECORD = text(f"""
    INSERT INTO ratings AS r (study_id, rater_id, {NAMES}, position, rated_at, idempotency_key, exclude, page_ms)
    SELECT :study, :rater, {OF_GIVEN}, g.position,
      CASE WHEN g.at_ms IS NULL THEN now() ELSE least(now(), to_timestamp(g.at_ms / 1000.0)) END, g.key, :exclude,
      CASE WHEN CAST(:is_save AS boolean) THEN coalesce(g.at_ms, :page_ms) END
    FROM jsonb_to_recordset(CAST(:answers AS jsonb)) AS g ({TYPED}, position integer, key uuid, at_ms bigint)
    WHERE (g.text IS DISTINCT FROM '' OR EXISTS (
        SELECT FROM ratings o WHERE o.study_id = :study AND o.rater_id = :rater AND o.item_id IS NULL
          AND o.question = g.question))
      AND NOT (CAST(:is_save AS boolean) AND EXISTS (
        SELECT FROM ratings o LEFT JOIN rating_history h ON h.study_id = o.study_id AND h.rating_id = o.id
        WHERE o.study_id = :study AND o.rater_id = :rater AND o.item_id IS NULL AND o.question = g.question
          AND g.key IN (o.idempotency_key, h.idempotency_key)))
    ON CONFLICT (study_id, rater_id, item_id, question, response_id, turn, condition, repeat,
                 least(left_response_id, right_response_id), greatest(left_response_id, right_response_id))
    DO UPDATE SET number = excluded.number, outcome = excluded.outcome, codes = excluded.codes, text = excluded.text,
      comment = excluded.comment, position = excluded.position, device = coalesce(excluded.device, r.device),
      labels_shown = excluded.labels_shown,
      n_keystrokes = coalesce(excluded.n_keystrokes, r.n_keystrokes),
      n_pasted = coalesce(excluded.n_pasted, r.n_pasted), typing_ms = coalesce(excluded.typing_ms, r.typing_ms),
      idempotency_key = CASE WHEN {_IS_CHANGED} THEN excluded.idempotency_key
                             ELSE coalesce(excluded.idempotency_key, r.idempotency_key) END,
      rated_at = CASE WHEN {_IS_CHANGED} THEN excluded.rated_at ELSE r.rated_at END,
      page_ms = greatest(excluded.page_ms, r.page_ms),
      exclude = CASE WHEN r.exclude = :draft AND excluded.exclude IS NULL THEN NULL ELSE r.exclude END
    WHERE (r.page_ms <= excluded.page_ms) IS NOT FALSE
""")  # noqa: S608 - constants only
_LIST = text("""
    SELECT question, number, outcome, codes, text, comment FROM ratings
    WHERE study_id = :study AND rater_id = :rater AND item_id IS NULL
""")
_LATEST = text("SELECT max(page_ms) FROM ratings WHERE study_id = :study AND rater_id = :rater AND item_id IS NULL")
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
    saved_ms: int | None = None,
) -> None:
    """Store a rater's answers about themselves.

    Args:
        db: the transaction.
        session: the rater's rating session.
        answers: validated answers.
        slots: all slots of the page in the order shown; each answer stores its position there.
        saved_ms: when the page sent answers that it saves, without submitting them. An answer that was only saved is
            excluded from every estimate, and is ignored if its key has already been seen or a later answer is stored.
    """
    place = {slot.name: position for position, slot in enumerate(slots, start=1)}
    rows = [row | {"position": place[answer.slot.name]} for answer in answers for row in answer_rows(answer)]
    values = {"study": session.study_id, "rater": session.rater_id, "answers": json.dumps(rows)}
    is_save = saved_ms is not None
    draft = {"draft": NOT_SUBMITTED, "exclude": NOT_SUBMITTED if is_save else None}
    db.execute(_RECORD, {**values, **draft, "is_save": is_save, "page_ms": saved_ms})


def list_rater_answers(db: Connection, session: RatingSession) -> list[dict[str, object]]:
    """A rater's answers about themselves, in the format of `AssignmentView.answers`."""
    rows = db.execute(_LIST, {"study": session.study_id, "rater": session.rater_id}).mappings()
    nothing = {"response_id": None, "turn": None, "side": None, "strength": None}
    return [{**nothing, **row} for row in rows]


def latest_ms(db: Connection, session: RatingSession) -> int | None:
    """When the last of a rater's saved answers about themselves left the browser, as in `AssignmentView.latest_ms`."""
    latest: int | None = db.execute(_LATEST, {"study": session.study_id, "rater": session.rater_id}).scalar_one()
    return latest


def forget_rater_answers(db: Connection, session: RatingSession, questions: Sequence[str]) -> None:
    """Delete a rater's answers to these questions, including their history."""
    db.execute(_FORGET, {"study": session.study_id, "rater": session.rater_id, "questions": list(questions)})
