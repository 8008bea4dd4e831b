"""Open, pause and close a study. Repeating one of these changes nothing."""

from __future__ import annotations

from collections.abc import Container
from typing import assert_never

from sqlalchemy import Connection

from app.protocol.allocation.feasibility import DrawnUp, Feasibility, draw_up
from app.protocol.allocation.trials import kind_of_trials
from app.protocol.study import Protocol
from app.rating.arrival.admission import make_admission_seats
from app.rating.arrival.conditions import make_condition_seats
from app.rating.seats.trials import (
    get_study_for_update,
    get_yaml,
    list_items,
    list_named_raters,
    record_item_cells,
    record_special_trials,
    record_status,
    record_trials,
)
from app.studies.editor.protocol_edits import check_draft
from app.studies.opening_checks import (
    OpeningError,
    StudyEmptyError,
    check_carried_out,
    check_declared,
    check_feasible,
    check_placeholders,
)
from app.studies.protocols import get_protocol
from app.studies.studies import GivenStatus, StudyMissingError, StudyRow
from app.studies.walk_throughs import forget_walk_throughs

SEEN = "This study cannot be reopened: its design hides estimates until it closes, and they have been visible since."


def change_status(db: Connection, study: StudyRow, status: GivenStatus, as_written: Container[str] = ()) -> None:
    """Open, pause or close a study for its lead; see `open_study` for `as_written` and errors.

    Raises:
        OpeningError: also if the draft of the design has problems.
    """
    match status:
        case "open":
            check_draft(db, study)
            open_study(db, study.slug, as_written)
            forget_walk_throughs(db, study.id)
        case "paused":
            pause_study(db, study.slug)
        case "closed":
            close_study(db, study.slug)
        case _:
            assert_never(status)


def open_study(db: Connection, slug: str, as_written: Container[str] | None = None) -> None:
    """Create the trials and their seats, and admit raters. Items added since the last time get theirs.

    Args:
        db: a connection in a transaction.
        slug: the study.
        as_written: placeholders that raters should read as they are, others prevent the opening; None for no check.
            They count when a study opens for the first time; later versions are checked when they are published.

    Raises:
        StudyMissingError: the study does not exist.
        OpeningError: there is nothing to rate, placeholders are left, or the design is not feasible or not supported
            by this version.
    """
    study_id, status, version, seed = _study(db, slug)
    protocol = get_protocol(db, study_id, version)
    if status == "closed" and protocol.monitoring.blind_interim:
        raise OpeningError(SEEN)
    check_carried_out(protocol, get_yaml(db, study_id, version))
    check_declared(protocol)
    if status == "draft" and as_written is not None:
        check_placeholders(protocol, as_written)
    drawn = drawn_up(db, study_id, protocol)
    if not drawn.trials:
        kind = kind_of_trials(protocol, (len(item.responses) for item in drawn.items))
        raise StudyEmptyError(
            f"The study {protocol.slug} has nothing to rate: no {kind} can be made from its responses."
        )
    check_feasible(protocol, drawn.needs)
    record_item_cells(db, study_id, {key: chance.cells for key, chance in drawn.chances.items()})
    record_trials(db, study_id, seed, drawn.trials)
    for pool in sorted({seats.pool or "" for trial in drawn.trials for seats in trial.seats}):
        make_condition_seats(db, study_id, protocol, seed, pool)
    make_admission_seats(db, study_id, protocol)
    record_special_trials(db, study_id, drawn.special.trials)
    record_status(db, study_id, "open")


def get_needs(db: Connection, study_id: int, protocol: Protocol) -> Feasibility:
    """The trials, raters and seats that a design needs."""
    return drawn_up(db, study_id, protocol).needs


def pause_study(db: Connection, slug: str) -> None:
    """Admit no new raters; raters who have started can finish."""
    study_id, status, _, _ = _study(db, slug)
    if status == "open":
        record_status(db, study_id, "paused")


def close_study(db: Connection, slug: str) -> None:
    """End data collection; ratings are kept."""
    study_id, status, _, _ = _study(db, slug)
    if status in {"open", "paused"}:
        record_status(db, study_id, "closed")


def drawn_up(db: Connection, study_id: int, protocol: Protocol) -> DrawnUp:
    """Plan the trials of a study; nothing is stored."""
    return draw_up(protocol, list_items(db, study_id), list_named_raters(db, study_id))


def _study(db: Connection, slug: str) -> tuple[int, str, int, int]:
    study = get_study_for_update(db, slug)
    if study is None:
        raise StudyMissingError(f"No study has the slug {slug}.")
    return study


__all__ = [
    "DrawnUp",
    "OpeningError",
    "StudyEmptyError",
    "StudyMissingError",
    "change_status",
    "close_study",
    "drawn_up",
    "get_needs",
    "open_study",
    "pause_study",
]
