"""Skip a trial, with a reason and without penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.rating.rating import protocol_of
from app.design.pages.skip_reasons import skip_reasons
from app.storage.answers.skips import record_skip

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.design.protocol.study import Protocol
    from app.storage.assignments.assignment_view import AssignmentView
    from app.storage.raters.rating_sessions import RatingSession


class SkipReasonError(ValueError):
    """The study does not accept this reason."""


def reasons_at(protocol: Protocol, view: AssignmentView) -> tuple[str, ...]:
    """The reasons a rater can give to skip the trial now; none if the trial is already rated.

    A trial that was served by the current statement still has the state `planned`.
    """
    if view.state not in {"planned", "leased"}:
        return ()
    return skip_reasons(protocol, has_note=bool(view.content_note))


def skip(db: Connection, session: RatingSession, view: AssignmentView, reason: str, page_ms: int) -> None:
    """Skip an open trial; a second click changes nothing, and nor does a click before the last answer (`page_ms`).

    Raises:
        SkipReasonError: the study does not accept this reason.
    """
    if view.state != "leased":
        return
    if reason not in reasons_at(protocol_of(db, session), view):
        raise SkipReasonError
    record_skip(db, view, reason, page_ms)
