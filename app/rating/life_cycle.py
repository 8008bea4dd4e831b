"""Open, pause and close a study. Repeating one of these changes nothing."""

from collections.abc import Container, Mapping, Sequence
from typing import assert_never

from sqlalchemy import Connection

from app.base.words import counted
from app.protocol.allocation.feasibility import DrawnUp, Feasibility, draw_up
from app.protocol.allocation.human_sample import grow, last_stage, outside
from app.protocol.allocation.trials import PlannedItem, kind_of_trials
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
    check_help_lines,
    check_placeholders,
)
from app.studies.protocols import get_protocol
from app.studies.studies import GivenStatus, StudyMissingError, StudyRow
from app.studies.walk_throughs import forget_walk_throughs

SEEN = "This study cannot be reopened: its design hides estimates until it closes, and they have been visible since."


def change_status(db: Connection, study: StudyRow, status: GivenStatus, as_written: Container[str]) -> None:
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
    check_help_lines(protocol)
    if status == "draft" and as_written is not None:
        check_placeholders(protocol, as_written)
    drawn = _ratable(db, study_id, protocol)
    _record(db, study_id, protocol, seed, drawn)
    record_status(db, study_id, "open")


def use_version(db: Connection, slug: str) -> None:
    """Create the trials and seats that a new version of an opened study needs; while it is not open, check them only.

    Raises:
        OpeningError: the study could not be opened with this version.
    """
    study_id, status, version, _ = _study(db, slug)
    if status == "open":
        open_study(db, slug)
        return
    protocol = get_protocol(db, study_id, version)
    check_carried_out(protocol, get_yaml(db, study_id, version))
    check_feasible(protocol, _ratable(db, study_id, protocol).needs)


def grow_sample(db: Connection, slug: str, sizes: Mapping[str, float], n: int, *, stage: int) -> int:
    """Draw about n more items for people to rate, and create their trials and seats; see `human_sample.grow`.

    Args:
        db: a connection in a transaction.
        slug: the study.
        sizes: of items, by key.
        n: how many items to add.
        stage: the last stage that the lead knows of.

    Returns:
        The number of items that were added.

    Raises:
        StudyMissingError: the study does not exist.
        OpeningError: the study is not running, has no sample, or not so many items outside it; somebody else added
            items since; or the design is not feasible with more items.
    """
    study_id, status, version, seed = _study(db, slug)
    protocol, items = get_protocol(db, study_id, version), list_items(db, study_id)
    if problem := growth_problem(protocol, items, status):
        raise OpeningError(problem)
    if last_stage(items) != stage:
        raise OpeningError("Items were added to the sample meanwhile. Look at it again before you add more.")
    rest = len(outside(protocol, items))
    if not 0 < n <= rest:
        raise OpeningError(f"The sample can grow by 1 to {counted(rest, 'item')}; found {n}.")
    chances = grow(protocol, items, sizes, n)
    record_item_cells(db, study_id, {key: chance.cells for key, chance in chances.items()})
    _record(db, study_id, protocol, seed, drawn_up(db, study_id, protocol))
    return sum(chance.is_in and chance.stage > stage for chance in chances.values())


def growth_problem(protocol: Protocol, items: Sequence[PlannedItem], status: str) -> str:
    """Why the sample of a study cannot grow, as a sentence; empty if it can."""
    if protocol.design.human_sample is None:
        return "People rate all items. To let them rate a sample, set Human sample on Trials, under More settings."
    if status == "draft":
        return "The sample is drawn when you open the study. It can grow after people have rated it."
    if status == "closed":
        return "The study is closed. Open it again before you add items to the sample."
    if not outside(protocol, items):
        return "All items are in the sample."
    return ""


def _ratable(db: Connection, study_id: int, protocol: Protocol) -> DrawnUp:
    """What is drawn up for a study; at least one trial."""
    drawn = drawn_up(db, study_id, protocol)
    if not drawn.trials:
        kind = kind_of_trials(protocol, (len(item.responses) for item in drawn.items))
        raise StudyEmptyError(
            f"The study {protocol.slug} has nothing to rate: no {kind} can be made from its responses."
        )
    return drawn


def _record(db: Connection, study_id: int, protocol: Protocol, seed: int, drawn: DrawnUp) -> None:
    """Store what was drawn, and create the trials and seats that are missing."""
    check_feasible(protocol, drawn.needs)
    record_item_cells(db, study_id, {key: chance.cells for key, chance in drawn.chances.items()})
    record_trials(db, study_id, seed, drawn.trials)
    for pool in sorted({seats.pool or "" for trial in drawn.trials for seats in trial.seats}):
        make_condition_seats(db, study_id, protocol, seed, pool)
    make_admission_seats(db, study_id, protocol)
    record_special_trials(db, study_id, drawn.special.trials)


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
    "grow_sample",
    "growth_problem",
    "open_study",
    "pause_study",
    "use_version",
]
