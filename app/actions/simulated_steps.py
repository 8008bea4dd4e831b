"""Steps of the way beside the trials, passed as a person would who is such as the study looks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.flow import agree, pass_debrief, questions_of, submit_questions
from app.actions.rating import begin_rating, protocol_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from app.design.slot import Slot
    from app.storage.rating_sessions import RatingSession

    Fill = Callable[[Sequence[Slot]], dict[str, list[str]]]


def pass_step(db: Connection, session: RatingSession, step: str, fill: Fill) -> None:
    """Pass one step.

    Args:
        db: the transaction.
        session: the rater's sitting, which stands at this step.
        step: as `design.way` names it; not `rating`.
        fill: answers a page of questions.

    Raises:
        RuntimeError: the answers were refused.
    """
    if step == "consent":
        agree(db, session)
    elif step == "instructions":
        begin_rating(db, session)
    elif step == "debrief":
        pass_debrief(db, session)
    else:
        _answer(db, session, step, fill)


def _answer(db: Connection, session: RatingSession, step: str, fill: Fill) -> None:
    slots = questions_of(db, session, step)
    form = fill(slots)
    eligibility = protocol_of(db, session).flow.eligibility
    if step == "eligibility" and eligibility:
        form |= {slot.name: list(eligibility.accept[slot.question.key][:1]) for slot in slots}
    if wrong := submit_questions(db, session, step, form).wrong:
        raise RuntimeError(f"answers to {step} were refused: {wrong}")
