"""The end of what a rater writes before the questions: it becomes a response, which the questions are about."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from sqlalchemy import Connection, text

from app.protocol.authorship import is_kept, share_of_model
from app.protocol.conversation import ConversationPartner
from app.protocol.dialogue import n_words
from app.protocol.keystrokes import typing_of
from app.protocol.questions.form import PageTimes
from app.protocol.study import Protocol
from app.rating.answers.submit import Sent, store
from app.rating.conversations.drafts import DraftText, close, draft_of, read_draft
from app.rating.conversations.dyads import record_response, writers_of
from app.rating.conversations.keystrokes import list_changes
from app.rating.conversations.turns import ConversationTurn, Talk, end_for_both, read_talk, talk_of
from app.rating.rater_path import end_trials
from app.rating.seats.assignment_view import AssignmentView, texts_of
from app.rating.sessions import NO_PARTNER, RatingSession
from app.stats.text_words import first_person_share, words

# How the rater is called in transcripts, in which the partner has a name.
RATER, PARTNER = "Participant", "Partner"
_STORE = text("""
    INSERT INTO responses (study_id, key, position, item_id, source_id, text, turns, rater_id, attributes)
    SELECT a.study_id, concat(CAST(:kind AS text), '-', r.key, '-', n.place), n.place, :item, s.id,
           CAST(:text AS text), CAST(:turns AS jsonb), r.id,
           CAST(:attributes AS jsonb) || jsonb_build_object('written_by', r.key)
    FROM assignments a
    JOIN raters r ON r.study_id = a.study_id AND r.id = a.rater_id
    JOIN sources s ON s.study_id = a.study_id AND s.key = :source
    CROSS JOIN (SELECT coalesce(max(position), 0) + 1 AS place FROM responses WHERE study_id = :study) AS n
    WHERE a.study_id = :study AND a.id = :writer RETURNING id
""")
# The time of the questions begins with them. What is over stays as it is.
_ASK = text("""
    UPDATE assignments SET response_ids = ARRAY[CAST(:response AS bigint)], served_at = now(),
      shown_labels = CASE WHEN CAST(:label AS text) IS NULL THEN NULL ELSE ARRAY[CAST(:label AS text)] END
    WHERE study_id = :study AND id = :assignment AND response_ids = '{}'
""")


def read_writing(db: Connection, protocol: Protocol, view: AssignmentView) -> Talk | DraftText:
    """What the rater of an assignment has written so far, as it is stored."""
    return read_talk(db, protocol, view) if protocol.conversation else read_draft(db, protocol, view)


def writing_of(db: Connection, protocol: Protocol, view: AssignmentView) -> Talk | DraftText:
    """The same as its page shows it."""
    return talk_of(db, protocol, view) if protocol.conversation else draft_of(db, protocol, view)


def end(
    db: Connection, protocol: Protocol, view: AssignmentView, written: Talk | DraftText, suggested: str = ""
) -> AssignmentView:
    """End what is written for good; the page of the assignment then asks its questions. A second click changes nothing.

    Args:
        db: the transaction that locked the rating session.
        protocol: the study.
        view: the assignment.
        written: its conversation or text, in which the rater has written something.
        suggested: the number of the suggestion that the rater's page showed, as its form has it.
    """
    if view.response_ids:
        return view
    if isinstance(written, DraftText):
        written = close(db, protocol, view, written, suggested)
        content: dict[str, str | None] = {"text": written.text.strip(), "turns": None}
        attributes = attributes_of_draft(written) | _said(typing_of(list_changes(db, view)))
        response = _store(db, view, written, content, attributes)
    elif written.room:
        response = _end_dyad(db, protocol, view, written)
    else:
        response = _store(db, view, written, _turns_of(written), attributes_of(written, protocol.language))
    values = {"study": view.study_id, "assignment": view.id, "response": response, "label": written.label}
    db.execute(_ASK, values)
    shown = (written.label,) if written.label is not None else None
    texts = texts_of(db, view.study_id, view.item_id, [response])
    # A rater may have been matched since the page was read.
    role = written.room.role if written.room else None
    return replace(view, response_ids=(response,), shown_labels=shown, responses=texts["responses"], role=role)


def _store(
    db: Connection,
    view: AssignmentView,
    written: Talk | DraftText,
    content: Mapping[str, str | None],
    attributes: Mapping[str, str],
    writer: int | None = None,
) -> int:
    """Store what was written as a response, by the rater of the assignment `writer`; default: that of the page."""
    values = {
        "study": view.study_id,
        "writer": writer or view.id,
        "item": view.item_id,
        "source": written.source,
        "kind": written.bounds.words.kind,
        "attributes": json.dumps(attributes),
    }
    return int(db.execute(_STORE, values | dict(content)).scalar_one())


def _end_dyad(db: Connection, protocol: Protocol, view: AssignmentView, talk: Talk) -> int:
    """The response of two raters: made by who ends first, and the same for the other."""
    room = end_for_both(db, talk)
    if room.response_id is not None:
        return room.response_id
    talk = read_talk(db, protocol, view)
    writers = writers_of(db, room)
    # One of the two may have had everything deleted.
    first, *others = (writers[role] for role in talk.partner.roles if role in writers)
    attributes = attributes_of_dyad(talk, protocol.language)
    if others:
        attributes["written_with"] = others[0].rater
    response = _store(db, view, talk, _turns_of(talk), attributes, first.assignment_id)
    record_response(db, room, response)
    return response


def leave_item(
    db: Connection, session: RatingSession, view: AssignmentView, partner: ConversationPartner, page_ms: int
) -> None:
    """Leave an item without a conversation; nothing is asked about it, and the rater goes on as the design says."""
    store(db, session, view, Sent("skip", PageTimes(page_ms), reason=NO_PARTNER))
    end_trials(db, session, only_if_none_left=partner.when_alone == "next")


def _turns_of(talk: Talk) -> dict[str, str | None]:
    said = [turn for turn in talk.turns if turn.state == "said"]
    return {"text": None, "turns": json.dumps([_turn(talk, turn) for turn in said], ensure_ascii=False)}


def _turn(talk: Talk, turn: ConversationTurn) -> dict[str, str]:
    """A turn as it is stored: by `rater` or `partner`, or by a role if both are raters."""
    if role := role_of(talk, turn):
        return {"speaker": talk.partner.roles[role].label, "text": turn.text or "", "by": role}
    name = RATER if turn.is_own else talk.partner.name or PARTNER
    return {"speaker": name, "text": turn.text or "", "by": turn.speaker}


def role_of(talk: Talk, turn: ConversationTurn) -> str | None:
    """The role of who said something; None if the partner is no rater."""
    own = talk.room.role if talk.room else None
    return own if turn.is_own else next((role for role in talk.partner.roles if own and role != own), None)


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


def attributes_of_dyad(talk: Talk, language: str) -> dict[str, str]:
    """What is counted in a conversation of two raters, as columns of responses.csv.

    Returns:
        `ended_by` and `ended_role`; `ROLE_messages` and `ROLE_words` of each role; `seconds` from the first message to
        the last; `flags`, if there are any. In English, `ROLE_first_person_share`, as in `attributes_of`.
        `written_by`, the rater in the first role, and `written_with` are added when it is stored.
    """
    room, times = talk.room, [turn.said_at for turn in talk.turns if turn.said_at is not None]
    found: dict[str, object] = {
        "ended_by": (room and room.ended_by) or "",
        "ended_role": (room and room.ended_role) or "",
        "seconds": round((max(times) - min(times)).total_seconds()),
        "flags": " ".join(talk.flags),
    }
    for role in talk.partner.roles:
        own = [turn for turn in talk.turns if role_of(talk, turn) == role]
        said = "\n".join(turn.text or "" for turn in own)
        found |= {f"{role}_messages": len(own), f"{role}_words": _words(own)}
        if language.partition("-")[0] == "en" and words(said):
            found[f"{role}_first_person_share"] = f"{first_person_share(said):.4f}"
    return _said(found)


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
