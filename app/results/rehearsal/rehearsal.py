"""A draft rated by simulated raters and analysed, in a transaction that is rolled back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection

from app.rating.life_cycle import get_needs
from app.rating.simulation.simulate import simulate
from app.rating.walk_through.walk_through import WalkThroughError, open_copy
from app.results.making.task import RefusedError, Task
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.analysis.data.frames import Frames
    from app.protocol.study import Protocol

# A larger design is rehearsed with fewer raters: each trial takes about two milliseconds.
MAX_TRIALS, MIN_RATERS = 600, 8


class Rehearsed(NamedTuple):
    """The answers of simulated raters, how many raters they are of, and how many the design needs."""

    frames: Frames
    protocol: Protocol
    n_raters: int
    n_needed: int


def rehearse(db: Connection, study: StudyRow, seed: int) -> Rehearsed:
    """Let simulated raters rate a copy of a draft, read their answers, and undo all of it.

    Raises:
        WalkThroughError: the draft cannot be rated.
    """
    from app.results.data.frames import study_frames

    with db.begin_nested() as savepoint:
        copied = open_copy(db, study)
        needs = get_needs(db, copied.study_id, copied.protocol)
        n_each = max((group.n_each for group in needs.groups), default=1)
        n_raters = min(needs.n_raters, max(MIN_RATERS, MAX_TRIALS // max(n_each, 1)))

        @contextmanager
        def begin() -> Iterator[Connection]:
            yield db

        simulate(begin, copied.address, n_raters, seed)
        frames = study_frames(db, copied.study_id)
        savepoint.rollback()
    return Rehearsed(frames, copied.protocol, n_raters, needs.n_raters)


def write_rehearsal(task: Task, seed: int) -> None:
    """Write the primary part of the report and the first page of its document, in the process of a job.

    Raises:
        RefusedError: the draft cannot be rated.
    """
    from app.analysis import analyze_primary
    from app.analysis.document.study_report import first_page
    from app.analysis.report.stored_report import stored_text

    try:
        with task.begin() as db:
            made = rehearse(db, task.study, seed)
    except WalkThroughError as error:
        raise RefusedError(str(error)) from error
    report = analyze_primary(made.frames, made.protocol)
    protocol, sections = made.protocol.model_dump(mode="json"), first_page(report, made.protocol)
    found = report, sections, protocol, made.n_raters, made.n_needed
    task.path.write_text(stored_text(found), encoding="utf-8")
