"""Steps other than trials, answered as an eligible, attentive person would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.rating.attention import attention_now, submit_attention
from app.actions.rating.comprehension import comprehension_now, submit_comprehension
from app.actions.rating.practice import next_practice, practice_page, submit_practice
from app.actions.rating.questionnaires import agree, pass_debrief, questions_of, submit_questions
from app.actions.rating.rating import begin_rating, protocol_of, slots_of
from app.actions.simulation.simulated_checks import expected_form
from app.design.pages.shown_questions import ASKED
from app.design.protocol.parts.checks import slot_of_check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from app.design.questions.form import Answers
    from app.design.questions.slot import Slot
    from app.storage.assignments.assignment_view import AssignmentView
    from app.storage.raters.rating_sessions import RatingSession

    Fill = Callable[[Sequence[Slot], AssignmentView | None], dict[str, list[str]]]


def pass_step(db: Connection, session: RatingSession, step: str, fill: Fill) -> None:
    """Complete one step.

    Args:
        db: the transaction.
        session: the rater's rating session, whose current step this is.
        step: a step in `design.pages.steps` other than `rating`.
        fill: returns the form data for a page of questions, given the trial if it is one.

    Raises:
        RuntimeError: the answers were rejected.
    """
    if step == "consent":
        agree(db, session)
    elif step == "instructions":
        begin_rating(db, session)
    elif step == "debrief":
        pass_debrief(db, session)
    elif step == "attention":
        _attend(db, session)
    elif step == "comprehension":
        _understand(db, session)
    elif step == "practice":
        _practise(db, session, fill)
    else:
        _answer(db, session, step, fill)


def _attend(db: Connection, session: RatingSession) -> None:
    check = attention_now(db, session, protocol_of(db, session))
    if check:
        form = {slot_of_check(check).name: [check.correct]}
        _demand("attention", submit_attention(db, session, check, form))


def _understand(db: Connection, session: RatingSession) -> None:
    now = comprehension_now(db, session)
    form = {slot.name: [check.correct] for slot, check in zip(now.slots, now.open, strict=True)}
    _demand("comprehension", submit_comprehension(db, session, now, form))


def _practise(db: Connection, session: RatingSession, fill: Fill) -> None:
    page = practice_page(db, session, next_practice(db, session))
    slots = slots_of(protocol_of(db, session), page.view)
    form = fill(slots, page.view) | expected_form(page.declared.expect, slots, page.view, page.keys)
    _demand("practice", submit_practice(db, session, page, form))


def _answer(db: Connection, session: RatingSession, step: str, fill: Fill) -> None:
    slots = questions_of(db, session, step)
    form = fill(slots, None) | {ASKED: [slot.name for slot in slots]}
    eligibility = protocol_of(db, session).flow.eligibility
    if step == "eligibility" and eligibility:
        form |= {slot.name: list(eligibility.accept[slot.question.key][:1]) for slot in slots}
    _demand(step, submit_questions(db, session, step, form))


def _demand(step: str, answers: Answers) -> None:
    if answers.wrong:
        raise RuntimeError(f"answers to {step} were refused: {answers.wrong}")
