"""Steps before and after the trials: pages of questions, debriefing. Each is completed once."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from app.base.language.message import message
from app.protocol.pages.shown_questions import askable, not_yet_asked, shown, shown_in_form, values_of
from app.protocol.pages.steps import DONE, is_eligible, questionnaire_of, slots_of_step
from app.protocol.questions.form import Answers, Form, read_page_ms
from app.protocol.questions.saves import Save, read_page, read_save
from app.protocol.questions.slot import Slot
from app.protocol.waves import end_step
from app.rating.rater_path import current_step, protocol_of, wave_now
from app.rating.sessions import NotHereError, RatingSession, get_rater, record_state, record_step
from app.rating.steps.rater_answers import forget_rater_answers, list_rater_answers, record_rater_answers

FOLLOWS = message("Please answer this question too: it follows from your answers.")


def pass_debrief(db: Connection, session: RatingSession) -> None:
    """Record that the rater has read the debriefing."""
    if current_step(db, session) == "debrief":
        record_step(db, session, "debrief")


def questions_of(db: Connection, session: RatingSession, step: str) -> tuple[Slot, ...]:
    """The slots that a page may ask this rater, in their order; the answers on earlier pages rule out some."""
    return _page_of(db, session, step)[0]


def shown_now(
    db: Connection, session: RatingSession, step: str, form: Form | None = None
) -> tuple[tuple[Slot, ...], frozenset[str]]:
    """The slots that a page may ask, and the names of those that it asks after the answers in a form or so far."""
    slots, earlier, own = _page_of(db, session, step)
    if form is None:
        now = shown(slots, earlier, lambda slot: own.get(slot.question.key, ()))
    else:
        now = shown_in_form(slots, earlier, form)
    return slots, frozenset(slot.name for slot in now)


def pass_if_empty(db: Connection, session: RatingSession, step: str) -> bool:
    """Complete a page that has no question for this rater after their earlier answers; False if it has some."""
    if questionnaire_of(protocol_of(db, session), step) is None or questions_of(db, session, step):
        return False
    _record_step(db, session, step)
    return True


def submit_questions(db: Connection, session: RatingSession, step: str, form: Form) -> Answers:
    """Check and store a page of questions about the rater, and complete its step, which the caller has verified.

    Questions that the page had hidden and that follow from the answers are asked first. Answers to questions that are
    not asked are not stored. For raters who are not eligible, the session ends here and their answers are deleted.

    Raises:
        NotHereError: the answers would end the session, and the browser has only the rater's ID.
    """
    slots, earlier, _ = _page_of(db, session, step)
    asked = shown_in_form(slots, earlier, form)
    answers = read_page(asked, form, ())
    if more := not_yet_asked(asked, form):
        return replace(answers, wrong=answers.wrong | {slot.name: FOLLOWS for slot in more})
    if answers.wrong:
        return answers
    eligibility = protocol_of(db, session).flow.eligibility
    if step == "eligibility" and eligibility and not is_eligible(eligibility, answers.given):
        if session.is_moved:
            raise NotHereError
        forget_rater_answers(db, session, [slot.question.key for slot in slots])
        record_state(db, session, "screened_out")
        return answers
    record_rater_answers(db, session, answers.given, asked)
    _forget_hidden(db, session, slots, asked)
    _record_step(db, session, step)
    return answers


def save_questions(db: Connection, session: RatingSession, step: str, form: Form) -> Save:
    """Store the answers of a page that is not submitted yet; invalid answers do not block valid ones."""
    slots = questions_of(db, session, step)
    save = read_save(slots, form, ())
    if save.answers:
        record_rater_answers(db, session, save.answers, slots, saved_ms=read_page_ms(form))
        _, names = shown_now(db, session, step)
        _forget_hidden(db, session, slots, [slot for slot in slots if slot.name in names])
    return save


def _page_of(
    db: Connection, session: RatingSession, step: str
) -> tuple[tuple[Slot, ...], dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The slots that a page may ask this rater, their answers on other pages, and their answers on this one."""
    protocol = protocol_of(db, session)
    page = questionnaire_of(protocol, step)
    rater = get_rater(db, session)[0] if page and page.shuffle else ""
    slots = slots_of_step(protocol, step, condition=session.condition, seed=session.seed, rater=rater)
    if not any(slot.question.show_if for slot in slots):
        return slots, {}, {}
    values, keys = values_of(protocol, list_rater_answers(db, session)), {slot.question.key for slot in slots}
    earlier = {key: value for key, value in values.items() if key not in keys}
    return askable(slots, earlier), earlier, {key: value for key, value in values.items() if key in keys}


def _forget_hidden(db: Connection, session: RatingSession, slots: Sequence[Slot], asked: Sequence[Slot]) -> None:
    """Delete what was saved for questions before another answer hid them."""
    if hidden := {slot.question.key for slot in slots} - {slot.question.key for slot in asked}:
        forget_rater_answers(db, session, sorted(hidden))


def _record_step(db: Connection, session: RatingSession, step: str) -> None:
    version = {"protocol_version": session.protocol_version, "protocol_sha256": session.sha256}
    wave = wave_now(db, session)
    session = record_step(db, session, step, version)
    if wave is not None and current_step(db, session) == DONE:
        record_step(db, session, end_step(wave), {**version, "move": session.move_id})
