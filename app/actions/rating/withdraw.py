"""Withdraw: stop at any moment, and take one's answers back if one wishes."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from app.actions.rating.rating import current_step
from app.design.steps import AFTER_RATINGS
from app.storage.raters.withdrawals import delete_answers, record_withdrawal

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

# Without letters and digits that are mistaken for each other when a receipt is copied by hand.
_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
# Who ended before keeps the code of that ending.
_OUTCOMES = {"screened_out": "screened_out", "failed_checks": "failed_checks", "full": "full"}


class NotHereError(PermissionError):
    """An ID alone does not delete answers: anybody may know it."""


def withdraw(db: Connection, session: RatingSession, *, is_deletion: bool) -> str:
    """End a rater's participation, with their answers deleted or kept. Repeated calls return the same receipt.

    Raises:
        NotHereError: a deletion, from a browser that only has an ID.
    """
    if is_deletion and session.is_moved:
        raise NotHereError
    receipt = record_withdrawal(db, session, new_receipt(), outcome_of(db, session))
    if is_deletion:
        delete_answers(db, session, receipt)
    return receipt


def outcome_of(db: Connection, session: RatingSession) -> str:
    """Which code is earned: taking answers back after the last one does not undo that the work was done."""
    if session.session_state in _OUTCOMES:
        return _OUTCOMES[session.session_state]
    return "completed" if current_step(db, session) in AFTER_RATINGS else "withdrew"


def new_receipt() -> str:
    """Eight letters and digits, easy to copy."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"
