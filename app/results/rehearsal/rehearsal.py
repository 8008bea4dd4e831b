"""A draft rated by simulated raters and analysed, in a transaction that is rolled back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection

from app.base.processes.side_process import SideProcess
from app.rating.life_cycle import get_needs
from app.rating.simulation.simulate import simulate
from app.rating.trial_run.trial_run import open_copy
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.analysis.data.frames import Frames
    from app.analysis.report.report import Report
    from app.base.documents.blocks import Section
    from app.protocol.study import Protocol

REST_S, TIMEOUT_S = 300, 60
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
        TrialRunError: the draft cannot be rated.
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


def analysed(job: tuple[Frames, Protocol]) -> tuple[Report, tuple[Section, ...]]:
    """The primary part of the report and the first page of its document, computed in that process."""
    from app.analysis import analyze_primary
    from app.analysis.document.study_report import first_page

    frames, protocol = job
    report = analyze_primary(frames, protocol)
    return report, first_page(report, protocol)


# One for each web process.
REHEARSAL_PROCESS = SideProcess(analysed, name="attune-rehearsal", rest_s=REST_S)
