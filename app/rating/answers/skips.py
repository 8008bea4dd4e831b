"""Skipped trials: with a reason and without penalty. The seat is released, and the answers on the page are deleted."""

from sqlalchemy import Connection

from app.protocol.questions.form import PageTimes
from app.protocol.study import Protocol
from app.rating.answers.submit import Sent, store
from app.rating.rater_path import protocol_of
from app.rating.seats.assignment_view import AssignmentView
from app.rating.sessions import RatingSession

CONTENT_NOTE = "content note"


class SkipReasonError(ValueError):
    """The study does not accept this reason."""


def reasons_at(protocol: Protocol, view: AssignmentView) -> tuple[str, ...]:
    """The reasons a rater can give to skip the trial now; none if the trial is already rated.

    A trial that was served by the current statement still has the state `planned`.
    """
    if view.state not in {"planned", "leased"}:
        return ()
    return skip_reasons(protocol, has_note=bool(view.content_note))


def skip_reasons(protocol: Protocol, *, has_note: bool) -> tuple[str, ...]:
    """The reasons a rater may give for skipping a trial; without any, it cannot be skipped.

    Args:
        protocol: the study.
        has_note: whether the item has a content note. Raters must be able to act on the warning, so it is always a
            valid reason.
    """
    return (*protocol.flow.skip_reasons, *([CONTENT_NOTE] if has_note else []))


def skip(db: Connection, session: RatingSession, view: AssignmentView, reason: str, page_ms: int) -> None:
    """Skip an open trial; a second click changes nothing, and nor does a click before the last answer (`page_ms`).

    Raises:
        SkipReasonError: the study does not accept this reason.
    """
    if view.state != "leased":
        return
    if reason not in reasons_at(protocol_of(db, session), view):
        raise SkipReasonError
    store(db, session, view, Sent("skip", PageTimes(page_ms), reason=reason))
