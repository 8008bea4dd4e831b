"""Open, pause and close a study. Each may be asked for twice: the second time changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.opening import OpeningError, StudyEmptyError, check_carried_out, check_feasible
from app.design.feasibility import feasibility
from app.design.plan import planned_trials
from app.design.special import special_trials
from app.design.trials import kind_of_trials
from app.storage.protocols import get_protocol
from app.storage.trials import (
    get_study_for_update,
    get_yaml,
    list_items,
    list_named_raters,
    record_special_trials,
    record_status,
    record_trials,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection


class StudyMissingError(LookupError):
    """No study has this slug."""


def open_study(db: Connection, slug: str) -> None:
    """Make the trials and their seats, and let raters in. Items added since the last time get theirs.

    Raises:
        StudyMissingError: no such study.
        OpeningError: nothing to rate, a design that cannot be met, or one that this version does not carry out.
    """
    study_id, _, version, seed = _study(db, slug)
    protocol = get_protocol(db, study_id, version)
    check_carried_out(protocol, get_yaml(db, study_id, version))
    items = list_items(db, study_id)
    trials = planned_trials(protocol, items)
    if not trials:
        kind = kind_of_trials(protocol, (len(item.responses) for item in items))
        raise StudyEmptyError(f"The study {slug} has nothing to rate: no {kind} can be made of its responses.")
    special = special_trials(protocol, items)
    check_feasible(protocol, feasibility(protocol, trials, list_named_raters(db, study_id), special.faults))
    record_trials(db, study_id, seed, trials)
    record_special_trials(db, study_id, special.trials)
    record_status(db, study_id, "open")


def pause_study(db: Connection, slug: str) -> None:
    """Let no new rater in; who has begun may finish."""
    study_id, status, _, _ = _study(db, slug)
    if status == "open":
        record_status(db, study_id, "paused")


def close_study(db: Connection, slug: str) -> None:
    """End the rating; what was rated stays."""
    study_id, status, _, _ = _study(db, slug)
    if status in {"open", "paused"}:
        record_status(db, study_id, "closed")


def _study(db: Connection, slug: str) -> tuple[int, str, int, int]:
    study = get_study_for_update(db, slug)
    if study is None:
        raise StudyMissingError(f"No study is called {slug}.")
    return study


__all__ = ["OpeningError", "StudyEmptyError", "StudyMissingError", "close_study", "open_study", "pause_study"]
