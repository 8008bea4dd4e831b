"""Skip a trial, with a reason and without penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.rating.rating import protocol_of
from app.design.skip_reasons import skip_reasons
from app.storage.answers.skips import record_skip

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.assignments.assignment_view import AssignmentView
    from app.storage.raters.rating_sessions import RatingSession


class SkipReasonError(ValueError):
    """It is none of the reasons that this study takes."""


def reasons_at(db: Connection, session: RatingSession, view: AssignmentView) -> tuple[str, ...]:
    """The reasons a rater can give to skip the trial now; a trial that is already rated cannot be skipped.

    The statement that serves a trial still calls it planned.
    """
    if view.state not in {"planned", "leased"}:
        return ()
    return skip_reasons(protocol_of(db, session), has_note=bool(view.content_note))


def skip(db: Connection, session: RatingSession, view: AssignmentView, reason: str) -> None:
    """Skip a trial that is open; a second click changes nothing.

    Raises:
        SkipReasonError: the study takes no such reason.
    """
    if view.state != "leased":
        return
    if reason not in reasons_at(db, session, view):
        raise SkipReasonError
    record_skip(db, view, reason)
