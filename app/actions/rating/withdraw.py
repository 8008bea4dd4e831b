"""Withdrawal: raters can stop at any time, and have their answers deleted."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from app.actions.rating.rating import current_step
from app.design.pages.steps import AFTER_RATINGS
from app.storage.raters.withdrawals import delete_answers, record_withdrawal

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.raters.rating_sessions import RatingSession

# Without letters and digits that are easily confused when a receipt is copied by hand.
_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
# Raters whose session had already ended keep the code for that ending.
_OUTCOMES = {"screened_out": "screened_out", "failed_checks": "failed_checks", "full": "full"}


class NotHereError(PermissionError):
    """An ID alone is not enough to stop or to delete answers, because others may know it."""


def withdraw(db: Connection, session: RatingSession, *, is_deletion: bool) -> str:
    """End a rater's participation, with their answers deleted or kept. Repeated calls return the same receipt.

    Raises:
        NotHereError: the browser only has an ID.
    """
    if session.is_moved:
        raise NotHereError
    receipt = record_withdrawal(db, session, new_receipt(), outcome_of(db, session))
    if is_deletion:
        delete_answers(db, session, receipt)
    return receipt


def outcome_of(db: Connection, session: RatingSession) -> str:
    """The outcome that determines the code: withdrawing after the last answer still counts as completed."""
    if session.session_state in _OUTCOMES:
        return _OUTCOMES[session.session_state]
    return "completed" if current_step(db, session) in AFTER_RATINGS else "withdrew"


def new_receipt() -> str:
    """A receipt of eight letters and digits that is easy to copy."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"
