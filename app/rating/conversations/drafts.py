"""The text that a rater writes: kept while it is written, with the suggestions that they ask for.

The text is the turn with number 0, whose `revision` rises with each change. Each request for a suggestion is a turn
with the text as it then was; the suggestion is the turn after it.
"""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from random import Random
from typing import Literal

from sqlalchemy import Connection, text

from app.base.language.message import Message, message, messages
from app.protocol.authorship import Earlier
from app.protocol.dialogue import n_words
from app.protocol.draft import Draft, DraftPartner
from app.protocol.keystrokes import Change
from app.protocol.study import Protocol
from app.rating.conversations.keystrokes import add_batch
from app.rating.conversations.turns import (
    ALERT,
    NO_BUDGET,
    SIMULATED,
    ConversationTurn,
    Decision,
    Exchange,
    add_turn,
    is_alert,
    label_in,
    read_turns,
    source_in,
    too_long,
    with_line_feeds,
)
from app.rating.seats.assignment_view import AssignmentView

_WRITE = text("""
    UPDATE conversation_turns SET text = :text, revision = revision + 1, said_at = now(),
      flags = CASE WHEN CAST(:flag AS text) IS NULL OR :flag = ANY (flags) THEN flags
              ELSE array_append(flags, CAST(:flag AS text)) END
    WHERE study_id = :study AND assignment_id = :assignment AND number = 0
""")
_DECIDE = text("""
    UPDATE conversation_turns SET decision = :decision
    WHERE study_id = :study AND assignment_id = :assignment AND number = :number
""")
_REPLACED = text("""
    UPDATE conversation_turns SET text = :text
    WHERE study_id = :study AND assignment_id = :assignment AND number = :number AND text <> :text
""")
# Both texts of two windows: when the rater goes on with the refused one, the other is no longer the draft.
_KEEP_BOTH = text("""
    WITH texts AS (
      SELECT study_id, rater_id, id, jsonb_build_object(
        'stored', CAST(:stored AS text), 'refused', CAST(:refused AS text)) AS detail
      FROM assignments WHERE study_id = :study AND id = :assignment
    )
    INSERT INTO events (study_id, rater_id, assignment_id, kind, detail)
    SELECT study_id, rater_id, id, 'two_windows', detail FROM texts t
    WHERE NOT EXISTS (
      SELECT FROM events e WHERE e.study_id = t.study_id AND e.rater_id = t.rater_id AND e.assignment_id = t.id
      AND e.kind = 'two_windows' AND e.detail = t.detail)
""")
# What the rater did not wait for is not shown to them, so it is nothing that was suggested.
_GIVE_UP = text("""
    UPDATE conversation_turns SET state = 'failed', problem = :problem, text = NULL, said_at = NULL
    WHERE study_id = :study AND assignment_id = :assignment
    AND (state = 'awaited' OR speaker = 'partner' AND state = 'said' AND decision IS NULL)
""")
NOT_WAITED_FOR = "The rater went on without it."
BETWEEN = "\n\n"


class DraftText(Exchange[DraftPartner, Draft]):
    """A rater's text as far as it is. Its `turns` are requests and suggestions, and last the text itself."""

    __slots__ = ()

    @property
    def own(self) -> ConversationTurn:
        """The text, with number 0."""
        return self.turns[0]

    @property
    def requests(self) -> tuple[ConversationTurn, ...]:
        """Requests and suggestions in turn."""
        return self.turns[1:]

    @property
    def text(self) -> str:
        """The text so far."""
        return self.own.text or ""

    @property
    def n_words(self) -> int:
        """The number of words so far."""
        return n_words(self.text, None)

    @property
    def next_number(self) -> int:
        """The number of the next request."""
        return len(self.turns)

    @property
    def last(self) -> ConversationTurn | None:
        """The last request or suggestion."""
        return self.requests[-1] if self.requests else None

    @property
    def suggestions(self) -> list[ConversationTurn]:
        """The suggestions that the rater was shown."""
        return [turn for turn in self.requests if not turn.is_own and turn.state == "said"]

    @property
    def offered(self) -> ConversationTurn | None:
        """The suggestion that the rater can take or ignore. One that came after the time was over is not shown."""
        last = self.last
        is_open = last and last.state == "said" and last.decision is None
        return last if last and is_open and not self._is_late(last) else None

    def _is_late(self, turn: ConversationTurn) -> bool:
        begun, minutes = self.own.asked_at, self.bounds.minutes
        return bool(minutes and begun and turn.said_at and turn.said_at >= begun + timedelta(minutes=minutes))

    @property
    def inserted(self) -> ConversationTurn | None:
        """The suggestion that has taken the place of the text, as long as the rater has not changed it."""
        last = self.last
        is_there = last and self.partner.suggestions == "inserted" and last.decision == "taken"
        return last if last and is_there and last.text == self.text else None

    @property
    def minutes_left(self) -> float | None:
        """Minutes until the rater can write no more; None without a limit."""
        if self.bounds.minutes is None or self.own.age_s is None:
            return None
        return self.bounds.minutes - float(self.own.age_s) / 60

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return self.minutes_left is not None and self.minutes_left <= 0

    @property
    def has_help(self) -> bool:
        """Whether somebody suggests words."""
        return self.partner.replies == "model"

    @property
    def n_left(self) -> int:
        """How many suggestions the rater can still ask for. One that did not come does not count."""
        if not self.has_help or self.is_over or (self.last and self.last.problem == NO_BUDGET):
            return 0
        asked = sum(turn.state != "failed" for turn in self.requests if not turn.is_own)
        return max(0, self.bounds.max_suggestions - asked)

    @property
    def ended_by(self) -> Literal["rater", "rater_early", "time"]:
        """Why it is over if it ends now."""
        if self.is_over:
            return "time"
        return "rater" if self.n_words >= self.bounds.min_words else "rater_early"

    def earlier(self) -> Iterator[Earlier]:
        """The texts and suggestions before the text as it is now, in their order."""
        for turn in self.requests:
            if turn.state == "said":
                yield Earlier("rater" if turn.is_own else "model", turn.text or "")


def draft_of(db: Connection, protocol: Protocol, view: AssignmentView) -> DraftText:
    """The text of an assignment, which begins when it is first shown.

    A suggestion that is `inserted` takes the place of the text here, unless the rater has changed it meanwhile or the
    time is over.

    Raises:
        LookupError: the study has no drafts.
    """
    draft = read_draft(db, protocol, view)
    if not draft.own.id:
        add_turn(db, view, 0, "rater", "")
        draft = read_draft(db, protocol, view)
    takes_place = draft.offered and draft.partner.suggestions == "inserted" and not draft.is_over
    if takes_place and draft.requests[-2].text == draft.text:
        _insert(db, view, draft)
        draft = read_draft(db, protocol, view)
    return draft


def read_draft(db: Connection, protocol: Protocol, view: AssignmentView) -> DraftText:
    """The text of an assignment as it is stored."""
    return _draft(protocol, view.condition, read_turns(db, view))


def example_draft(protocol: Protocol, condition: str) -> DraftText:
    """A text that begins, for a preview."""
    return _draft(protocol, condition, ())


def _draft(protocol: Protocol, condition: str, turns: tuple[ConversationTurn, ...]) -> DraftText:
    if protocol.draft is None:
        raise LookupError(protocol.slug)
    source = source_in(protocol, condition)
    turns = turns or (ConversationTurn(0, 0, "rater", "said", ""),)
    return DraftText(
        source, protocol.draft.partners[source], protocol.draft, turns, label_in(protocol, condition, source)
    )


# What a rater does. All of it is done in the transaction that locked the rating session.

NOTHING = message("Write your text first.")
ELSEWHERE = message(
    "This text was changed in another window. Yours is kept in the field below; if you go on with it, it replaces the "
    "other one, which you find above the field."
)


def write(db: Connection, view: AssignmentView, draft: DraftText, number: str, words: str) -> Message | None:
    """Keep the text; the same text again changes nothing.

    Args:
        db: the transaction.
        view: the assignment.
        draft: the text so far.
        number: the revision that the text was made from, as its form has it.
        words: the text.

    Returns:
        Why it is not kept; None if it is.
    """
    words = with_line_feeds(words)
    if words == draft.text:
        return None
    most = draft.bounds.max_characters
    if number != str(draft.own.revision):
        values = {"study": view.study_id, "assignment": view.id, "stored": draft.text, "refused": words[:most]}
        db.execute(_KEEP_BOTH, values)
        return ELSEWHERE
    if len(words) > most:
        return too_long(len(words), most)
    _write(db, view, draft, words)
    return None


def _write(db: Connection, view: AssignmentView, draft: DraftText, words: str, flag: str | None = None) -> None:
    flag = ALERT if is_alert(draft.bounds, words) else flag
    db.execute(_WRITE, {"study": view.study_id, "assignment": view.id, "text": words, "flag": flag})


def ask(db: Connection, view: AssignmentView, draft: DraftText, number: str) -> None:
    """Ask for a suggestion; a second click changes nothing. One that is offered is ignored by that."""
    if draft.awaited or not draft.n_left or number != str(draft.next_number):
        return
    if draft.offered:
        _decide(db, view, draft.offered, "ignored")
    add_turn(db, view, draft.next_number, "rater", draft.text)
    add_turn(db, view, draft.next_number + 1, "partner", None)


def decide(db: Connection, view: AssignmentView, draft: DraftText, number: str, does: str) -> Message | None:
    """Do what the rater decided about a suggestion: `take`, `taken`, `ignore` or `back`; once.

    Args:
        db: the transaction.
        view: the assignment.
        draft: the text.
        number: the number of the suggestion.
        does: `take` to have it inserted, `taken` if the page has inserted it; `back` if it is to go out again.

    Returns:
        Why it cannot be done; None if it is.
    """
    if does == "back" and draft.inserted and number == str(draft.inserted.number):
        _decide(db, view, draft.inserted, "taken_back")
        _write(db, view, draft, draft.requests[-2].text or "")
    elif draft.offered and number == str(draft.offered.number):
        if does == "take":
            return _insert(db, view, draft)
        _decide(db, view, draft.offered, "taken" if does == "taken" else "ignored")
    return None


def _insert(db: Connection, view: AssignmentView, draft: DraftText) -> Message | None:
    """Put the offered suggestion in place of the text, which its request then has, or at the text's end."""
    suggestion = draft.offered
    assert suggestion is not None  # noqa: S101 - callers ask
    words = _with(draft, suggestion, draft.text)
    if words is None:
        return message("The text would be too long with this suggestion: shorten the text first.")
    _decide(db, view, suggestion, "taken")
    if not _before(draft, draft.text):
        values = {"study": view.study_id, "assignment": view.id, "number": suggestion.number - 1}
        db.execute(_REPLACED, values | {"text": draft.text})
    _write(db, view, draft, words)
    return None


def _before(draft: DraftText, words: str) -> str:
    """What stays of a text before a suggestion."""
    return "" if draft.partner.suggestions == "inserted" else words.rstrip()


def _with(draft: DraftText, suggestion: ConversationTurn, words: str) -> str | None:
    """A text with a suggestion; None if it would be too long."""
    before, most = _before(draft, words), draft.bounds.max_characters
    made = f"{before}{BETWEEN if before else ''}{suggestion.text}"
    return made if len(made) <= most else None if before else made[:most]


def is_done(draft: DraftText, number: str, does: str, words: str) -> bool:
    """Whether a decision that changes the text is carried out: its request arrived twice, with the text from before."""
    last = draft.last
    if last is None or last.is_own or number != str(last.number):
        return False
    if does == "take":
        return last.decision == "taken" and draft.text == _with(draft, last, words)
    before = draft.requests[-2].text
    return does == "back" and last.decision == "taken_back" and (words, draft.text) == (last.text, before)


def _decide(db: Connection, view: AssignmentView, suggestion: ConversationTurn, decision: Decision) -> None:
    values = {"study": view.study_id, "assignment": view.id, "number": suggestion.number, "decision": decision}
    db.execute(_DECIDE, values)


def problem_at_end(draft: DraftText, *, is_early_wanted: bool) -> Message | None:
    """Why a text cannot be final; None if it can. Only the rater's word makes one final that is too short."""
    found, least, most = draft.n_words, draft.bounds.min_words, draft.bounds.max_words
    if not found:
        return NOTHING
    if found > most:
        return messages(
            "Your text has %(found)s words, and at most %(n)s word is allowed. Please shorten it.",
            "Your text has %(found)s words, and at most %(n)s words are allowed. Please shorten it.",
            most,
            found=found,
        )
    if found < least and not (is_early_wanted or draft.is_over):
        return messages(
            "Please write at least %(n)s word; your text has %(found)s. You can also stop here.",
            "Please write at least %(n)s words; your text has %(found)s. You can also stop here.",
            least,
            found=found,
        )
    return None


def close(db: Connection, protocol: Protocol, view: AssignmentView, draft: DraftText, number: str) -> DraftText:
    """The text as it stays: the suggestion with this number, which was shown, is ignored; no other is awaited."""
    if draft.offered and number == str(draft.offered.number):
        _decide(db, view, draft.offered, "ignored")
    db.execute(_GIVE_UP, {"study": view.study_id, "assignment": view.id, "problem": NOT_WAITED_FOR})
    return read_draft(db, protocol, view)


# Simulated raters: no model is asked.

_MOST_ASKED, _TAKEN_SHARE, _WORDS_MORE, _MS_PER_WORD = 3, 0.6, (10, 40), (500, 2500)


def simulate(db: Connection, protocol: Protocol, view: AssignmentView, draft: DraftText, rng: Random) -> None:
    """Write some words more than are asked for, with suggestions of made-up words of which some are taken."""
    bounds = draft.bounds
    target = min(bounds.max_words, bounds.min_words + rng.randint(*_WORDS_MORE))
    # Each word is new, so that those of the suggestions are known.
    words = [f"own{n}" for n in range(1, target // 3 + 1)]
    n_asked = rng.randint(0, min(_MOST_ASKED, bounds.max_suggestions)) if draft.has_help else 0
    for number in range(1, 2 * n_asked, 2):
        suggested = [f"suggested{number}x{n}" for n in range(1, max(1, target // 6) + 1)]
        add_turn(db, view, number, "rater", " ".join(words), [SIMULATED])
        is_taken = rng.random() < _TAKEN_SHARE
        is_whole = draft.partner.suggestions == "inserted"
        add_turn(db, view, number + 1, "partner", " ".join([*words * is_whole, *suggested]), [SIMULATED])
        suggestion = read_draft(db, protocol, view).requests[-1]
        _decide(db, view, suggestion, "taken" if is_taken else "ignored")
        words += suggested * is_taken
    words += [f"own{n}" for n in range(len(words) + 1, target + 1)]
    _write(db, view, draft, " ".join(words), SIMULATED)
    if bounds.keystrokes:
        add_batch(db, view, SIMULATED, _typed(words, rng))


def _typed(words: Iterable[str], rng: Random) -> list[Change]:
    """Words that came one after the other, those of suggestions as a whole."""
    changes: list[Change] = []
    ms, at = 0, 0
    for word in words:
        ms += rng.randint(*_MS_PER_WORD)
        n_added = len(word) + (at > 0)
        changes.append(Change(ms, "suggested" if word.startswith("suggested") else "typed", at, 0, n_added))
        at += n_added
    return changes
