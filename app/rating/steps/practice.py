"""Practice trials with feedback before the real ones, following the protocol's settings."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Connection, text

from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.trials import is_declared_as
from app.protocol.checks import Score, practice_outcome, score_of
from app.protocol.flow import Practice, PracticeTrial
from app.protocol.pages.reveal import PRACTICE
from app.protocol.presentation import shown_labels
from app.protocol.questions.form import Answers, Form, asked_answers, read_answers
from app.protocol.study import Protocol
from app.rating.rater_path import protocol_of, slots_of
from app.rating.seats.assignment_view import AssignmentView, texts_of
from app.rating.sessions import RatingSession, get_rater, record_state, record_step

# Practice trials, and what raters answered. Practice answers are not ratings.

_TEXTS = text("""
    SELECT t.id AS trial_id, i.key AS item, i.id AS item_id,
           array(SELECT jsonb_build_object('id', r.id, 'key', r.key, 'source', s.key)
                 FROM unnest(t.response_ids) WITH ORDINALITY AS o (id, place)
                 JOIN responses r ON r.study_id = t.study_id AND r.id = o.id
                 JOIN sources s ON s.study_id = r.study_id AND s.id = r.source_id ORDER BY o.place) AS responses
    FROM trials t JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
    WHERE t.study_id = :study AND t.purpose = 'practice' ORDER BY i.position, t.id
""")
_RECORD = text("""
    INSERT INTO events (study_id, rater_id, kind, detail)
    VALUES (:study, :rater, 'practice_trial', CAST(:detail AS jsonb))
""")
_LIST = text("""
    SELECT detail FROM events WHERE study_id = :study AND rater_id = :rater AND kind = 'practice_trial' ORDER BY id
""")


@dataclass(frozen=True, slots=True)
class PracticeText:
    """A practice trial. Each response has id, key and source."""

    trial_id: int
    item: str
    item_id: int
    responses: list[dict[str, Any]]


def list_practice_texts(db: Connection, study_id: int) -> list[PracticeText]:
    """Every practice trial of the study."""
    return [PracticeText(*row) for row in db.execute(_TEXTS, {"study": study_id})]


def record_practice(db: Connection, session: RatingSession, detail: Mapping[str, object]) -> None:
    """Store what a rater answered in a practice trial."""
    words = json.dumps(detail, ensure_ascii=False)
    db.execute(_RECORD, {"study": session.study_id, "rater": session.rater_id, "detail": words})


def list_practice(db: Connection, session: RatingSession) -> list[dict[str, Any]]:
    """A rater's practice answers so far, in order."""
    return list(db.execute(_LIST, {"study": session.study_id, "rater": session.rater_id}).scalars())


Outcome = Literal["passed", "again", "go_on", "end"]


@dataclass(frozen=True, slots=True)
class PracticePage:
    """One practice page: `number` counts this rater's pages over all attempts, from 1. `keys`: response keys by ID."""

    number: int
    declared: PracticeTrial
    view: AssignmentView
    keys: dict[int, str]


@dataclass(frozen=True, slots=True)
class Feedback:
    """The result of a page: its answers, written as in ratings.csv, and the outcome if it is the last of an attempt."""

    page: PracticePage
    answers: Mapping[str, Sequence[str]]
    outcome: Outcome | None
    score: Score


def next_practice(db: Connection, session: RatingSession) -> int:
    """The number of the rater's current page, from 1 over all attempts."""
    return len(list_practice(db, session)) + 1


def practice_page(db: Connection, session: RatingSession, number: int) -> PracticePage:
    """A practice page, with its responses in an order drawn for this rater and attempt.

    Raises:
        LookupError: the study was not opened with this practice.
    """
    protocol = protocol_of(db, session)
    practice = _practice(protocol)
    attempt, place = divmod(number - 1, len(practice.trials))
    declared = practice.trials[place]
    texts = list_practice_texts(db, session.study_id)
    found = next((t for t in texts if is_declared_as(declared, t.item, [str(r["key"]) for r in t.responses])), None)
    if found is None:
        raise LookupError(declared.item)
    shown = list(found.responses)
    seeded(session.seed, "practice", get_rater(db, session)[0], attempt, place).shuffle(shown)
    view = _view(db, session, protocol, found, shown, number=number, place=place + 1)
    return PracticePage(number, declared, view, {response["id"]: response["key"] for response in shown})


def _practice(protocol: Protocol) -> Practice:
    if protocol.flow.practice is None:
        raise LookupError(protocol.slug)
    return protocol.flow.practice


def _view(
    db: Connection,
    session: RatingSession,
    protocol: Protocol,
    found: PracticeText,
    shown: Sequence[Mapping[str, Any]],
    *,
    number: int,
    place: int,
) -> AssignmentView:
    labels = shown_labels(protocol, "", [response["source"] for response in shown])
    response_ids = tuple(response["id"] for response in shown)
    texts = texts_of(db, session.study_id, found.item_id, response_ids)
    return AssignmentView(
        study_id=session.study_id,
        id=0,
        token=UUID(int=0),
        rater_id=session.rater_id,
        trial_id=found.trial_id,
        position=number,
        response_ids=response_ids,
        shown_labels=labels if any(labels) else None,
        repeat=0,
        state=PRACTICE,
        n_turns_done=0,
        served_at=None,
        condition="",
        item_id=found.item_id,
        n_all=len(_practice(protocol).trials),
        place=place,
        **texts | {"responses": texts["responses"] or []},
    )


def submit_practice(db: Connection, session: RatingSession, page: PracticePage, form: Form) -> Answers:
    """Check and store a page; after the last page of an attempt, the practice is passed, repeated or over.

    The caller has verified that this is the rater's current page.
    """
    protocol = protocol_of(db, session)
    slots = slots_of(protocol, page.view)
    answers = read_answers(slots, form, page.view.response_ids)
    if answers.wrong:
        return answers
    asked = asked_answers(slots, answers.given, page.keys)
    score = score_of(page.declared.expect, asked)
    n_each = len(_practice(protocol).trials)
    record_practice(
        db,
        session,
        {
            "attempt": (page.number - 1) // n_each + 1,
            "trial": page.view.place,
            "item": page.declared.item,
            "responses": [page.keys[response_id] for response_id in page.view.response_ids],
            "answers": asked,
            "n_right": score.n_right,
            "n_expected": score.n_expected,
            **({"move": session.move_id} if session.is_moved else {}),
        },
    )
    _end_attempt(db, session, _practice(protocol), n_attempts=page.number // n_each)
    return answers


def _end_attempt(db: Connection, session: RatingSession, practice: Practice, *, n_attempts: int) -> None:
    """Record how the practice ended, if it did."""
    outcome = _outcome(practice, list_practice(db, session))
    if outcome in {"passed", "go_on"}:
        record_step(db, session, "practice", {"outcome": outcome, "n_attempts": n_attempts})
    elif outcome == "end":
        record_state(db, session, "failed_checks")


def feedback_on(db: Connection, session: RatingSession, number: int) -> Feedback | None:
    """The feedback on a page; None if it has not been answered, or was answered in another browser."""
    done = list_practice(db, session)
    if not 1 <= number <= len(done) or (session.is_moved and done[number - 1].get("move") != session.move_id):
        return None
    page = practice_page(db, session, number)
    practice = _practice(protocol_of(db, session))
    outcome = _outcome(practice, done[:number])
    return Feedback(page, done[number - 1]["answers"], outcome, _scores(practice, done[:number])[-1])


def _outcome(practice: Practice, done: Sequence[Mapping[str, Any]]) -> Outcome | None:
    """The outcome after the last answered page; None in the middle of an attempt.

    Attempts of a browser that has only the ID do not end a participation: more may follow.
    """
    if len(done) % len(practice.trials):
        return None
    outcome = practice_outcome(practice, [score.share for score in _scores(practice, done)])
    return "again" if outcome == "end" and any("move" in page for page in done) else outcome


def _scores(practice: Practice, done: Sequence[Mapping[str, Any]]) -> list[Score]:
    """The score of each attempt so far."""
    n = len(practice.trials)
    attempts = [done[first : first + n] for first in range(0, len(done), n)]
    return [
        Score(sum(page["n_right"] for page in pages), sum(page["n_expected"] for page in pages)) for pages in attempts
    ]
