"""Skipped trials: the reason is stored, the seat is released, and the answers on the page are deleted."""

from __future__ import annotations

from sqlalchemy import Connection, text

from app.protocol.study import Protocol
from app.rating.answers.ratings import IS_LATEST
from app.rating.rating import protocol_of
from app.rating.seats.assignment_view import AssignmentView
from app.rating.sessions import RatingSession

# A planned repeat is returned with its trial. Answers that were not submitted are deleted.
_SKIP = text(f"""
    WITH gone AS (
      UPDATE assignments SET state = 'skipped', skip_reason = :reason
      WHERE study_id = :study AND id = :assignment AND state = 'leased' AND {IS_LATEST}
      RETURNING id, study_id, rater_id, trial_id, repeat, position
    ), freed AS (
      UPDATE seats s SET assignment_id = NULL FROM gone WHERE s.study_id = gone.study_id AND s.assignment_id = gone.id
    ), never_repeated AS (
      UPDATE assignments a SET state = 'returned' FROM gone
      WHERE a.study_id = gone.study_id AND a.rater_id = gone.rater_id AND a.trial_id = gone.trial_id
        AND a.repeat > gone.repeat AND a.state = 'planned'
    ), forgotten AS (
      DELETE FROM ratings r USING gone WHERE r.study_id = gone.study_id AND r.assignment_id = gone.id
    )
    INSERT INTO events (study_id, rater_id, assignment_id, kind, detail)
    SELECT gone.study_id, gone.rater_id, gone.id, 'skip', jsonb_build_object(
             'reason', CAST(:reason AS text), 'item', i.key, 'position', gone.position, 'repeat', gone.repeat)
    FROM gone JOIN trials t ON t.study_id = gone.study_id AND t.id = gone.trial_id
    JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
""")  # noqa: S608 - constants only


def record_skip(db: Connection, view: AssignmentView, reason: str, page_ms: int) -> None:
    """Mark a trial as skipped, unless it is no longer open, or an answer left the browser later (`page_ms`)."""
    db.execute(_SKIP, {"study": view.study_id, "assignment": view.id, "reason": reason, "page_ms": page_ms})


# Skip a trial, with a reason and without penalty.
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
    record_skip(db, view, reason, page_ms)
