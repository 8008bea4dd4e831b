"""The turns of what a rater writes with a partner, said and awaited; and when a conversation is over."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, Literal, TypeVar

from sqlalchemy import Connection, text

from app.base.language.message import Message, message, messages
from app.protocol.conversation import Conversation, ConversationPartner
from app.protocol.presentation import presentation, shown_labels
from app.protocol.study import Protocol
from app.protocol.writing import Partner, SafeWriting
from app.rating.conversations.dyads import (
    Member,
    Room,
    enter,
    example_room,
    lock_dyad,
    partner_of,
    read_room,
    record_end,
    writers_of,
)
from app.rating.seats.assignment_view import AssignmentView

State = Literal["said", "awaited", "withheld", "failed"]
# Why a conversation is over, or why its rater ended it.
EndedBy = Literal["rater", "rater_early", "partner", "partner_left", "messages", "time", "budget", "no_reply"]
# What a rater did with a suggestion in a draft.
Decision = Literal["taken", "ignored", "taken_back"]
# The problem of a reply that was not asked for, because the budget would not have been enough.
NO_BUDGET = "budget"
NOTES = message("Your notes")
# Flags of the rater's turns.
ALERT, SIMULATED = "alert", "simulated"

_TURN = """
    id, number, state, text, flags, asked_at, said_at, problem, decision, revision,
    extract(epoch FROM now() - CASE WHEN number = 0 THEN asked_at ELSE said_at END) AS age_s
"""
_LIST = text(f"""
    SELECT {_TURN}, speaker FROM conversation_turns
    WHERE study_id = :study AND assignment_id = :assignment ORDER BY number
""")  # noqa: S608 - constants only
# Of two raters, each sees the other as the partner.
_LIST_DYAD = text(f"""
    SELECT {_TURN}, CASE WHEN assignment_id = :assignment THEN 'rater' ELSE 'partner' END AS speaker
    FROM conversation_turns WHERE study_id = :study AND dyad_id = :dyad ORDER BY number
""")  # noqa: S608 - constants only
_ADD = text("""
    INSERT INTO conversation_turns (study_id, assignment_id, number, speaker, state, text, flags, said_at)
    VALUES (:study, :assignment, :number, :speaker, :state, CAST(:text AS text), CAST(:flags AS text[]),
            CASE WHEN :state = 'said' THEN now() END)
    ON CONFLICT (study_id, assignment_id, number) DO NOTHING
""")
# The lock on the dyad lets one of two raters write at a time.
_ADD_TO_DYAD = text("""
    INSERT INTO conversation_turns (study_id, assignment_id, dyad_id, number, speaker, state, text, flags, said_at)
    SELECT :study, :assignment, :dyad, coalesce(max(number), 0) + 1, 'rater', 'said', :text, CAST(:flags AS text[]),
           clock_timestamp()
    FROM conversation_turns WHERE study_id = :study AND dyad_id = :dyad
""")
_AGAIN = text("""
    UPDATE conversation_turns SET state = 'awaited', problem = NULL, claimed_until = NULL, asked_at = now()
    WHERE study_id = :study AND assignment_id = :assignment AND number = :number AND state = 'failed'
""")


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """A turn as stored; number 0 is the text of a draft. `age_s`: the seconds since it was said, or the text begun."""

    id: int
    number: int
    speaker: Literal["rater", "partner"]
    state: State
    text: str | None
    flags: Sequence[str] = ()
    asked_at: datetime | None = None
    said_at: datetime | None = None
    problem: str | None = None
    decision: Decision | None = None
    revision: int = 0
    age_s: float | None = None

    @property
    def is_own(self) -> bool:
        """Whether the rater said it."""
        return self.speaker == "rater"


P = TypeVar("P", bound=Partner)
B = TypeVar("B", bound=SafeWriting)


@dataclass(frozen=True, slots=True)
class Exchange(Generic[P, B]):
    """What a rater writes with a partner, as far as it is.

    `label`: what they are told about the partner. `room`: where they are, if the partner is another rater.
    """

    source: str
    partner: P
    bounds: B
    turns: tuple[ConversationTurn, ...]
    label: str | None = None
    room: Room | None = None

    @property
    def next_number(self) -> int:
        """The number of the rater's next message."""
        return len(self.turns) + 1

    @property
    def last(self) -> ConversationTurn | None:
        """The last turn."""
        return self.turns[-1] if self.turns else None

    @property
    def awaited(self) -> ConversationTurn | None:
        """The reply that is being made."""
        return self.last if self.last and self.last.state == "awaited" else None

    @property
    def failed(self) -> ConversationTurn | None:
        """The reply that did not come, and can be tried again."""
        return self.last if self.last and self.last.state == "failed" and self.last.problem != NO_BUDGET else None

    @property
    def flags(self) -> list[str]:
        """What a lead should look at in any of the turns."""
        return sorted({flag for turn in self.turns for flag in turn.flags})


class Talk(Exchange[ConversationPartner, Conversation]):
    """A conversation as far as it is."""

    __slots__ = ()

    @property
    def n_messages(self) -> int:
        """How many messages the rater has written."""
        return sum(turn.is_own for turn in self.turns)

    @property
    def next_number(self) -> int:
        """The number of the rater's next message: among all turns, or with another rater among their own."""
        return self.n_messages + 1 if self.room else len(self.turns) + 1

    @property
    def name(self) -> str:
        """The partner's name; empty if they have none."""
        role = self.room.role if self.room else None
        other = next((one.label for key, one in self.partner.roles.items() if role and key != role), None)
        return other or self.partner.name

    @property
    def own_name(self) -> str:
        """The label of the rater's role; empty if they have none."""
        return self.partner.roles[self.room.role].label if self.room and self.room.role else ""

    @property
    def task(self) -> str:
        """What the rater's role is told."""
        return self.partner.roles[self.room.role].task if self.room and self.room.role else ""

    @property
    def is_first(self) -> bool:
        """Whether the rater is the one who begins."""
        return self.room is None or self.room.role == self.partner.begins

    @property
    def minutes_left(self) -> float | None:
        """Minutes until the rater can write no further message; None without a limit, or before the first message."""
        first = next((turn for turn in self.turns if turn.is_own or self.room), None)
        if self.bounds.minutes is None or first is None or first.age_s is None:
            return None
        return self.bounds.minutes - float(first.age_s) / 60

    @property
    def has_left(self) -> bool:
        """Whether the partner is another rater of whom there is no sign."""
        return self.room is not None and self.room.has_left(self.partner)

    @property
    def over(self) -> EndedBy | None:
        """Why the rater can write no further message; None if they can, at the latest after the awaited reply."""
        if self.room and self.room.ended_by:
            return "partner"
        if self.last and self.last.problem == NO_BUDGET:
            return "budget"
        if self.awaited or self.failed:
            return None
        if self.n_messages >= self.bounds.max_messages:
            return "messages"
        return "time" if self.minutes_left is not None and self.minutes_left <= 0 else None

    @property
    def may_write(self) -> bool:
        """Whether the rater can write a message now; of two raters, one begins."""
        is_turn = self.room is None or (self.room.is_paired and (self.is_first or bool(self.turns)))
        return is_turn and not (self.awaited or self.failed or self.over)

    @property
    def ended_by(self) -> EndedBy:
        """Why it is over if it ends now."""
        if self.failed:
            return "no_reply"
        if not self.over and self.has_left:
            return "partner_left"
        return self.over or ("rater" if self.n_messages >= self.bounds.min_messages else "rater_early")

    @property
    def may_end(self) -> bool:
        """Whether it can end now: not before the first message, nor while a reply is made; with a person always."""
        if self.room:
            return self.room.is_paired
        return self.n_messages > 0 and self.awaited is None


def is_writing(protocol: Protocol, view: AssignmentView) -> bool:
    """Whether the page of an assignment is what its rater writes before the questions, which is not over yet."""
    return protocol.writing is not None and not view.response_ids


def partner_in(protocol: Protocol, condition: str) -> tuple[str, Partner]:
    """The source that raters write with in a cell, and who that is.

    Raises:
        LookupError: raters write nothing before the questions.
    """
    if protocol.writing is None:
        raise LookupError(protocol.slug)
    source = source_in(protocol, condition)
    return source, protocol.writing.all_partners[source]


def notes_in(protocol: Protocol, condition: str) -> Message | str | None:
    """What raters' entries are called in a cell without replies; None where somebody replies."""
    partner = partner_in(protocol, condition)[1] if protocol.conversation else None
    return (partner.name or NOTES) if partner and partner.replies == "none" else None


def source_in(protocol: Protocol, condition: str) -> str:
    """The source that raters write with in a cell."""
    return presentation(protocol, condition).source or next(iter(protocol.sources))


def label_in(protocol: Protocol, condition: str, source: str) -> str | None:
    """What raters are told about their partner in a cell."""
    return shown_labels(protocol, condition, [source])[0]


def talk_of(db: Connection, protocol: Protocol, view: AssignmentView) -> Talk:
    """The conversation of an assignment; at its beginning the partner says the opening, if there is one.

    Raises:
        LookupError: the study has no conversations.
    """
    talk = read_talk(db, protocol, view)
    if talk.partner.is_person:
        return _with_room(db, talk, enter(db, talk.partner, view, protocol.design.seed))
    if not talk.turns and talk.partner.opening.strip():
        add_turn(db, view, 1, "partner", talk.partner.opening.strip())
        talk = read_talk(db, protocol, view)
    return talk


def read_talk(db: Connection, protocol: Protocol, view: AssignmentView) -> Talk:
    """The conversation of an assignment as it is stored."""
    talk = _talk(protocol, view.condition)
    if talk.partner.is_person:
        return _with_room(db, talk, read_room(db, Member(view.study_id, view.id)))
    return replace(talk, turns=read_turns(db, view))


def _with_room(db: Connection, talk: Talk, room: Room | None) -> Talk:
    """The conversation of a rater with another one, who are in a room."""
    if room is None or not room.is_paired:
        return replace(talk, room=room)
    values = {"study": room.study_id, "assignment": room.assignment_id, "dyad": room.dyad_id}
    rows = db.execute(_LIST_DYAD, values).mappings()
    return replace(talk, room=room, turns=tuple(ConversationTurn(**row) for row in rows))


def read_turns(db: Connection, view: AssignmentView) -> tuple[ConversationTurn, ...]:
    """The turns of an assignment as they are stored."""
    rows = db.execute(_LIST, {"study": view.study_id, "assignment": view.id}).mappings()
    return tuple(ConversationTurn(**row) for row in rows)


def example_talk(protocol: Protocol, condition: str) -> Talk:
    """A conversation that begins, for a preview."""
    talk = _talk(protocol, condition)
    if talk.partner.is_person:
        return replace(talk, room=example_room(talk.partner))
    opening = talk.partner.opening.strip()
    first = ConversationTurn(0, 1, "partner", "said", opening)
    return replace(talk, turns=(first,) if opening else ())


def _talk(protocol: Protocol, condition: str) -> Talk:
    """A conversation without turns."""
    if protocol.conversation is None:
        raise LookupError(protocol.slug)
    source = source_in(protocol, condition)
    partner, label = protocol.conversation.partners[source], label_in(protocol, condition, source)
    return Talk(source, partner, protocol.conversation, (), label)


def add_turn(
    db: Connection,
    view: AssignmentView,
    number: int,
    speaker: str,
    words: str | None,
    flags: Iterable[str] = (),
) -> None:
    """Store a turn, unless it is there; without words, a reply is awaited."""
    values = {"study": view.study_id, "assignment": view.id, "number": number, "speaker": speaker, "text": words}
    state = "awaited" if words is None else "said"
    db.execute(_ADD, values | {"state": state, "flags": list(flags)})


def add_to_dyad(db: Connection, room: Room, words: str, flags: Iterable[str]) -> None:
    """Store a message to another rater, as the next turn of both; the dyad is locked."""
    values = {"study": room.study_id, "assignment": room.assignment_id, "dyad": room.dyad_id, "text": words}
    db.execute(_ADD_TO_DYAD, values | {"flags": list(flags)})


def end_for_both(db: Connection, talk: Talk) -> Room:
    """End the conversation of two raters, unless the other one has, and let neither write any more.

    Raises:
        LookupError: there is no partner.
    """
    if talk.room is None or not talk.room.is_paired:
        raise LookupError(talk.source)
    lock_dyad(db, talk.room)
    record_end(db, talk.room, talk.ended_by)
    room = read_room(db, Member(talk.room.study_id, talk.room.assignment_id))
    if room is None:
        raise LookupError(talk.source)
    return room


# What a rater writes.

NOTHING = message("Write something first.")
NOT_SENT = message("Your message has not been sent yet. Send it or empty the field, then go on.")
NOT_ADDED = message("Your entry has not been added yet. Add it or empty the field, then go on.")
ELSEWHERE = message("You went on in another window. What you wrote here was not sent: it is still in the field below.")
ENDED = message("The conversation is over. Your message was not sent: it is still in the field below.")


def say(db: Connection, view: AssignmentView, talk: Talk, number: str, words: str) -> Message | None:
    """Store a message of the rater, and await the reply; the same message sent again changes nothing.

    Args:
        db: the transaction that locked the rating session.
        view: the assignment.
        talk: its conversation.
        number: the number of the turn, as its form has it.
        words: the message.

    Returns:
        Why it is not stored; None if it is.
    """
    words = with_line_feeds(words).strip()
    if talk.room:
        lock_dyad(db, talk.room)
        talk = _with_room(db, talk, read_room(db, Member(view.study_id, view.id)))
    if number != str(talk.next_number):
        own = [turn for turn in talk.turns if turn.is_own]
        numbers = [nth if talk.room else turn.number for nth, turn in enumerate(own, 1)]
        is_there = (number, words) in ((str(at), turn.text) for at, turn in zip(numbers, own, strict=True))
        return None if is_there else ELSEWHERE
    if not words:
        return NOTHING
    most = talk.bounds.max_characters
    if len(words) > most:
        return too_long(len(words), most)
    if not talk.may_write:
        return ENDED if talk.room or talk.over else ELSEWHERE
    flags = [ALERT] if is_alert(talk.bounds, words) else []
    if talk.room:
        add_to_dyad(db, talk.room, words, flags)
        _reply_simulated(db, talk)
        return None
    add_turn(db, view, talk.next_number, "rater", words, flags)
    if talk.partner.replies == "model":
        add_turn(db, view, talk.next_number + 1, "partner", None)
    return None


def too_long(found: int, most: int) -> Message:
    """What is said of a text of so many characters."""
    return messages(
        "A text has at most %(n)s character; this one has %(found)s. Please shorten it.",
        "A text has at most %(n)s characters; this one has %(found)s. Please shorten it.",
        most,
        found=found,
    )


def with_line_feeds(words: str) -> str:
    """What a form has, with lines as they are stored."""
    return words.replace("\r\n", "\n").replace("\r", "\n")


def try_again(db: Connection, view: AssignmentView, talk: Talk) -> None:
    """Await a reply that did not come once more; a second click changes nothing."""
    if talk.failed:
        db.execute(_AGAIN, {"study": view.study_id, "assignment": view.id, "number": talk.failed.number})


def is_alert(bounds: SafeWriting, words: str) -> bool:
    """Whether a text has one of the words that show the alert, in upper or lower case."""
    return any(re.search(_pattern(word), words, re.IGNORECASE) for word in bounds.alert_words)


def _pattern(word: str) -> str:
    words = r"\s+".join(re.escape(part) for part in word.removesuffix("*").split())
    return rf"(?<!\w){words}" + ("" if word.endswith("*") else r"(?!\w)")


def simulate(db: Connection, view: AssignmentView, talk: Talk) -> None:
    """Store as many messages of a simulated rater as are asked for, with made-up replies: no model is asked.

    Of two raters, whoever comes second writes those of both.
    """
    if talk.room:
        simulate_dyad(db, talk, talk.bounds.min_messages if not talk.turns else 0)
        return
    number = talk.next_number
    for message_number in range(1, talk.bounds.min_messages + 1):
        add_turn(db, view, number, "rater", f"Simulated message {message_number}.", [SIMULATED])
        number += 1
        if talk.partner.replies == "model":
            add_turn(db, view, number, "partner", f"Simulated reply {message_number}.", [SIMULATED])
            number += 1


def _reply_simulated(db: Connection, talk: Talk) -> None:
    """Let the partner of a lead who tries out the pages write a made-up message; people write their own."""
    writers = writers_of(db, talk.room) if talk.room else {}
    other = next(
        (one for role, one in writers.items() if one.is_simulated and role != (talk.room and talk.room.role)), None
    )
    if talk.room and other:
        room = replace(talk.room, assignment_id=other.assignment_id)
        add_to_dyad(db, room, f"Simulated message {talk.next_number}.", [SIMULATED])


def simulate_dyad(db: Connection, talk: Talk, n_messages: int) -> None:
    """Let two raters write made-up messages in turn; without a partner, nothing is stored."""
    if talk.room is None or not talk.room.is_paired:
        return
    lock_dyad(db, talk.room)
    own, other = talk.room, partner_of(db, talk.room)
    rooms = [own, other] if talk.is_first else [other, own]
    for number in range(1, n_messages + 1):
        for room in rooms:
            if room is not None:
                add_to_dyad(db, room, f"Simulated message {number}.", [SIMULATED])
