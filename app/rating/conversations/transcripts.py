"""The end of a conversation: its transcript becomes a response, which the questions are about."""

from __future__ import annotations

import json
from dataclasses import replace

from sqlalchemy import Connection, text

from app.protocol.dialogue import n_words
from app.rating.conversations.turns import ConversationTurn, Talk
from app.rating.seats.assignment_view import AssignmentView, texts_of

# How the rater is called in transcripts, in which the partner has a name.
RATER, PARTNER = "Participant", "Partner"
# The time of the questions begins with them. A conversation that is over stays as it is.
_END = text("""
    WITH written AS (
      INSERT INTO responses (study_id, key, position, item_id, source_id, turns, rater_id, attributes)
      SELECT a.study_id, concat('conversation-', r.key, '-', n.place), n.place, :item, s.id, CAST(:turns AS jsonb),
             r.id, CAST(:attributes AS jsonb) || jsonb_build_object('written_by', r.key)
      FROM assignments a
      JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
      JOIN sources s ON s.study_id = a.study_id AND s.key = :source
      CROSS JOIN (SELECT coalesce(max(position), 0) + 1 AS place FROM responses WHERE study_id = :study) AS n
      WHERE a.study_id = :study AND a.id = :assignment AND a.response_ids = '{}' RETURNING id
    )
    UPDATE assignments a SET response_ids = ARRAY[w.id], served_at = now(),
      shown_labels = CASE WHEN CAST(:label AS text) IS NULL THEN NULL ELSE ARRAY[CAST(:label AS text)] END
    FROM written w WHERE a.study_id = :study AND a.id = :assignment RETURNING w.id
""")


def end(db: Connection, view: AssignmentView, talk: Talk) -> AssignmentView:
    """End a conversation for good; the page of the assignment then asks its questions. A second click changes nothing.

    Args:
        db: the transaction that locked the rating session.
        view: the assignment.
        talk: its conversation, in which the rater has written something.
    """
    said = [turn for turn in talk.turns if turn.state == "said"]
    values = {
        "study": view.study_id,
        "assignment": view.id,
        "item": view.item_id,
        "source": talk.source,
        "label": talk.label,
        "turns": json.dumps([_turn(talk, turn) for turn in said], ensure_ascii=False),
        "attributes": json.dumps(attributes_of(talk)),
    }
    response: int | None = db.execute(_END, values).scalar_one_or_none()
    if response is None:
        return view
    shown = (talk.label,) if talk.label is not None else None
    texts = texts_of(db, view.study_id, view.item_id, [response])
    return replace(view, response_ids=(response,), shown_labels=shown, responses=texts["responses"])


def _turn(talk: Talk, turn: ConversationTurn) -> dict[str, str]:
    name = RATER if turn.is_own else talk.partner.name or PARTNER
    return {"speaker": name, "text": turn.text or "", "by": turn.speaker}


def attributes_of(talk: Talk) -> dict[str, str]:
    """What is counted in a conversation, as columns of responses.csv.

    Returns:
        `ended_by`; `n_messages` of the rater and `n_replies`; `rater_words` and `partner_words`; `seconds` from the
        first message to the last turn; `flags`, if there are any. `written_by` is added when it is stored.
    """
    own = [turn for turn in talk.turns if turn.is_own]
    others = [turn for turn in talk.turns if not turn.is_own and turn.state == "said"]
    times = [turn.said_at for turn in talk.turns if turn.said_at is not None and turn.number >= own[0].number]
    flags = sorted({flag for turn in talk.turns for flag in turn.flags})
    found = {
        "ended_by": talk.ended_by,
        "n_messages": len(own),
        "n_replies": sum(turn.number > own[0].number for turn in others),
        "rater_words": sum(n_words(turn.text, None) for turn in own),
        "partner_words": sum(n_words(turn.text, None) for turn in others),
        "seconds": round((max(times) - min(times)).total_seconds()),
        "flags": " ".join(flags),
    }
    return {name: str(value) for name, value in found.items() if value != ""}
