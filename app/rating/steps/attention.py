"""Attention checks: questions between trials that say which answer to choose. They flag raters and exclude no one."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, text

from app.protocol.checks import AttentionCheck, slot_of_check
from app.protocol.questions.form import Answers, Form, read_answers
from app.protocol.study import Protocol
from app.rating.sessions import RatingSession

# Answered checks: events of the kind `check`, which the report and checks.csv read.

_RECORD = text("""
    INSERT INTO events (study_id, rater_id, kind, detail) VALUES (:study, :rater, 'check', CAST(:detail AS jsonb))
""")
_LIST = text("""
    SELECT detail FROM events WHERE study_id = :study AND rater_id = :rater AND kind = 'check' ORDER BY id
""")
_PASSED = text("""
    SELECT count(*) FROM assignments
    WHERE study_id = :study AND rating_session_id = :session AND state IN ('done', 'skipped')
""")


def record_check(db: Connection, session: RatingSession, detail: Mapping[str, object]) -> None:
    """Store how a check was answered. `detail` contains `check` (its key) and `is_passed`."""
    words = json.dumps(detail, ensure_ascii=False)
    db.execute(_RECORD, {"study": session.study_id, "rater": session.rater_id, "detail": words})


def list_checks(db: Connection, session: RatingSession) -> list[dict[str, Any]]:
    """The checks that a rater has answered, in order."""
    return list(db.execute(_LIST, {"study": session.study_id, "rater": session.rater_id}).scalars())


def count_passed_trials(db: Connection, session: RatingSession) -> int:
    """Number of trials that a rating session has completed or skipped."""
    values = {"study": session.study_id, "session": session.session_id}
    return int(db.execute(_PASSED, values).scalar_one())


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
