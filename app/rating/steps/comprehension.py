"""Comprehension checks: raters who answer incorrectly read the explanation and try again. No one is excluded."""

from dataclasses import dataclass

from sqlalchemy import Connection

from app.protocol.checks import ComprehensionCheck, slot_of_check
from app.protocol.questions.form import Answers, Form, read_answers
from app.protocol.questions.slot import Slot
from app.rating.rater_path import protocol_of
from app.rating.sessions import RatingSession, record_step
from app.rating.steps.attention import list_checks, record_check


@dataclass(frozen=True, slots=True)
class Comprehension:
    """A rater's progress: checks not yet correct, attempts so far, and whether another attempt is allowed."""

    open: tuple[ComprehensionCheck, ...]
    n_attempts: int
    is_over: bool

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of the page; from the second attempt on with the explanations."""
        return tuple(
            slot_of_check(check, number, check.explanation if self.n_attempts else "")
            for number, check in enumerate(self.open, start=1)
        )


def comprehension_now(db: Connection, session: RatingSession) -> Comprehension:
    """The rater's current progress in the comprehension checks."""
    rule = protocol_of(db, session).checks
    keys = {check.key for check in rule.comprehension}
    answered = [detail for detail in list_checks(db, session) if detail["check"] in keys]
    right = {detail["check"] for detail in answered if detail["is_passed"]}
    # Checks imported with a folder have no number of attempts.
    n_attempts = max((detail.get("attempt", 1) for detail in answered), default=0)
    still_open = tuple(check for check in rule.comprehension if check.key not in right)
    return Comprehension(still_open, n_attempts, n_attempts >= rule.comprehension_attempts)


def submit_comprehension(db: Connection, session: RatingSession, now: Comprehension, form: Form) -> Answers:
    """Check a page and record each answer; the step is completed when all are correct, or the correct ones were read.

    The caller has verified that this is the rater's current step.
    """
    if now.is_over:
        record_step(db, session, "comprehension", {"n_attempts": now.n_attempts, "is_passed": False})
        return Answers(())
    answers = read_answers(now.slots, form, ())
    if answers.wrong:
        return answers
    attempt = now.n_attempts + 1
    is_right = []
    for check, answer in zip(now.open, answers.given, strict=True):
        (code,) = answer.codes or ("",)
        is_right.append(code == check.correct)
        record_check(db, session, {"check": check.key, "is_passed": is_right[-1], "answer": code, "attempt": attempt})
    if all(is_right):
        record_step(db, session, "comprehension", {"n_attempts": attempt, "is_passed": True})
    return answers
