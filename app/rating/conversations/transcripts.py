"""The end of what a rater writes before the questions: it becomes a response, which the questions are about."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from sqlalchemy import Connection, text

from app.protocol.authorship import is_kept, share_of_model
from app.protocol.dialogue import n_words
from app.protocol.keystrokes import typing_of
from app.protocol.study import Protocol
from app.rating.conversations.drafts import DraftText, close, draft_of, read_draft
from app.rating.conversations.keystrokes import list_changes
from app.rating.conversations.turns import ConversationTurn, Talk, read_talk, talk_of
from app.rating.seats.assignment_view import AssignmentView, texts_of
from app.stats.text_words import first_person_share, words

# How the rater is called in transcripts, in which the partner has a name.
RATER, PARTNER = "Participant", "Partner"
# The time of the questions begins with them. What is over stays as it is.
_END = text("""
    WITH written AS (
      INSERT INTO responses (study_id, key, position, item_id, source_id, text, turns, rater_id, attributes)
      SELECT a.study_id, concat(CAST(:kind AS text), '-', r.key, '-', n.place), n.place, :item, s.id,
             CAST(:text AS text), CAST(:turns AS jsonb), r.id,
             CAST(:attributes AS jsonb) || jsonb_build_object('written_by', r.key)
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


def read_writing(db: Connection, protocol: Protocol, view: AssignmentView) -> Talk | DraftText:
    """What the rater of an assignment has written so far, as it is stored."""
    return read_talk(db, protocol, view) if protocol.conversation else read_draft(db, protocol, view)


def writing_of(db: Connection, protocol: Protocol, view: AssignmentView) -> Talk | DraftText:
    """The same as its page shows it."""
    return talk_of(db, protocol, view) if protocol.conversation else draft_of(db, protocol, view)


def end(db: Connection, protocol: Protocol, view: AssignmentView, written: Talk | DraftText) -> AssignmentView:
    """End what is written for good; the page of the assignment then asks its questions. A second click changes nothing.

    Args:
        db: the transaction that locked the rating session.
        protocol: the study.
        view: the assignment.
        written: its conversation or text, in which the rater has written something.
    """
    if isinstance(written, DraftText):
        written = close(db, protocol, view, written)
        content: dict[str, str | None] = {"text": written.text.strip(), "turns": None}
        attributes = attributes_of_draft(written) | _said(typing_of(list_changes(db, view)))
    else:
        said = [turn for turn in written.turns if turn.state == "said"]
        turns = json.dumps([_turn(written, turn) for turn in said], ensure_ascii=False)
        content, attributes = {"text": None, "turns": turns}, attributes_of(written, protocol.language)
    values = {
        "study": view.study_id,
        "assignment": view.id,
        "item": view.item_id,
        "source": written.source,
        "kind": written.bounds.words.kind,
        "label": written.label,
        "attributes": json.dumps(attributes),
    }
    response: int | None = db.execute(_END, values | content).scalar_one_or_none()
    if response is None:
        return view
    shown = (written.label,) if written.label is not None else None
    texts = texts_of(db, view.study_id, view.item_id, [response])
    return replace(view, response_ids=(response,), shown_labels=shown, responses=texts["responses"])


def _turn(talk: Talk, turn: ConversationTurn) -> dict[str, str]:
    name = RATER if turn.is_own else talk.partner.name or PARTNER
    return {"speaker": name, "text": turn.text or "", "by": turn.speaker}


def attributes_of(talk: Talk, language: str) -> dict[str, str]:
    """What is counted in a conversation, as columns of responses.csv.

    Returns:
        `ended_by`; `n_messages` of the rater and `n_replies`; `rater_words` and `partner_words`; `seconds` from the
        first message to the last turn; `flags`, if there are any. In English, `rater_first_person_share`: the share
        of the rater's words that are first-person singular pronouns, a marker of self-disclosure (Tausczik and
        Pennebaker 2010, https://doi.org/10.1177/0261927X09351676). `written_by` is added when it is stored.
    """
    own = [turn for turn in talk.turns if turn.is_own]
    others = [turn for turn in talk.turns if not turn.is_own and turn.state == "said"]
    times = [turn.said_at for turn in talk.turns if turn.said_at is not None and turn.number >= own[0].number]
    said = "\n".join(turn.text or "" for turn in own)
    is_counted = language.partition("-")[0] == "en" and words(said)
    return _said(
        {
            "ended_by": talk.ended_by,
            "n_messages": len(own),
            "n_replies": sum(turn.number > own[0].number for turn in others),
            "rater_words": _words(own),
            "partner_words": _words(others),
            "seconds": round((max(times) - min(times)).total_seconds()),
            "flags": " ".join(talk.flags),
            "rater_first_person_share": f"{first_person_share(said):.4f}" if is_counted else "",
        }
    )


def attributes_of_draft(draft: DraftText) -> dict[str, str]:
    """What is counted in a text, as columns of responses.csv.

    Returns:
        `ended_by`; `n_words`; `n_suggestions` that the rater was shown, `n_taken` of them, and `n_changed`: taken, and
        not in the final text as they were; `share_of_model`, see `app.protocol.authorship`; `seconds` from when the
        item was first shown to the last change; `flags`, if there are any. `written_by` is added when it is stored.
    """
    taken = [turn for turn in draft.suggestions if turn.decision == "taken"]
    share = share_of_model(draft.earlier(), draft.text)
    begun, last = draft.own.asked_at, draft.own.said_at
    return _said(
        {
            "ended_by": draft.ended_by,
            "n_words": draft.n_words,
            "n_suggestions": len(draft.suggestions),
            "n_taken": len(taken),
            "n_changed": sum(not is_kept(turn.text or "", draft.text) for turn in taken),
            "share_of_model": "" if share is None else round(share, 4),
            "seconds": round((last - begun).total_seconds()) if begun and last else "",
            "flags": " ".join(draft.flags),
        }
    )


def _words(turns: Iterable[ConversationTurn]) -> int:
    return sum(n_words(turn.text, None) for turn in turns)


def _said(found: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in found.items() if value != ""}
