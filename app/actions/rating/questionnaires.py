"""Steps before and after the trials: consent, pages of questions, debriefing. Each is completed once."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from app.actions.rating.rating import current_step, protocol_of
from app.design.questions.saves import Save, read_page, read_save
from app.design.steps import is_eligible, questionnaire_of, slots_of_step
from app.storage.answers.rater_answers import forget_rater_answers, record_rater_answers
from app.storage.raters.departures import record_refusal
from app.storage.raters.rating_sessions import get_rater, record_state, record_step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from app.design.questions.form import Answers
    from app.design.questions.slot import Slot
    from app.storage.raters.rating_sessions import RatingSession

    Form = Mapping[str, Sequence[str]]


def agree(db: Connection, session: RatingSession) -> None:
    """Record that the rater consents, with the version and the hash of the text that they read."""
    consent = protocol_of(db, session).flow.consent
    if consent and current_step(db, session) == "consent":
        sha256 = hashlib.sha256(consent.text.encode()).hexdigest()
        record_step(db, session, "consent", {"version": consent.version, "sha256": sha256})


def refuse(db: Connection, session: RatingSession) -> bool:
    """Delete a rater who does not consent; False if they have already consented."""
    if current_step(db, session) != "consent":
        return False
    record_refusal(db, session)
    return True


def pass_debrief(db: Connection, session: RatingSession) -> None:
    """Record that the rater has read the debriefing."""
    if current_step(db, session) == "debrief":
        record_step(db, session, "debrief")


def questions_of(db: Connection, session: RatingSession, step: str) -> tuple[Slot, ...]:
    """The slots of a page of questions for this rater, in their order."""
    protocol = protocol_of(db, session)
    page = questionnaire_of(protocol, step)
    rater = get_rater(db, session)[0] if page and page.shuffle else ""
    return slots_of_step(protocol, step, condition=session.condition, seed=session.seed, rater=rater)


def submit_questions(db: Connection, session: RatingSession, step: str, form: Form) -> Answers:
    """Check and store a page of questions about the rater, and complete its step, which the caller has verified.

    For raters who are not eligible, the session ends here and their answers are deleted.
    """
    slots = questions_of(db, session, step)
    answers = read_page(slots, form, ())
    if answers.wrong:
        return answers
    eligibility = protocol_of(db, session).flow.eligibility
    if step == "eligibility" and eligibility and not is_eligible(eligibility, answers.given):
        forget_rater_answers(db, session, [slot.question.key for slot in slots])
        record_state(db, session, "screened_out")
        return answers
    record_rater_answers(db, session, answers.given, slots)
    record_step(db, session, step, {"protocol_version": session.protocol_version, "protocol_sha256": session.sha256})
    return answers


def save_questions(db: Connection, session: RatingSession, step: str, form: Form) -> Save:
    """Store the answers of a page that is not submitted yet; invalid answers do not block valid ones."""
    slots = questions_of(db, session, step)
    save = read_save(slots, form, ())
    if save.answers:
        record_rater_answers(db, session, save.answers, slots, is_submitted=False)
    return save
