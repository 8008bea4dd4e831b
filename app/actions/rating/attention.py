"""Attention checks: questions between trials that say which answer to choose. They flag raters and exclude no one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.protocol.parts.checks import slot_of_check
from app.design.questions.form import Answers, read_answers
from app.storage.answers.checks import count_passed_trials, list_checks, record_check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from app.design.protocol.parts.checks import AttentionCheck
    from app.design.protocol.study import Protocol
    from app.storage.raters.rating_sessions import RatingSession

    Form = Mapping[str, Sequence[str]]


def attention_now(db: Connection, session: RatingSession, protocol: Protocol) -> AttentionCheck | None:
    """The next unanswered check whose position the rater has reached, or None."""
    checks = protocol.checks.attention
    if not checks:
        return None
    n_passed = count_passed_trials(db, session)
    due = [check for check in checks if check.after <= n_passed]
    answered = {detail["check"] for detail in list_checks(db, session)} if due else set()
    return min((check for check in due if check.key not in answered), key=lambda check: check.after, default=None)


def submit_attention(db: Connection, session: RatingSession, check: AttentionCheck, form: Form) -> Answers:
    """Record how a check was answered; the caller has verified that this check is due."""
    answers = read_answers([slot_of_check(check)], form, ())
    for answer in answers.given:
        (code,) = answer.codes or ("",)
        record_check(db, session, {"check": check.key, "is_passed": code == check.correct, "answer": code})
    return answers
