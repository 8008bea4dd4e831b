"""The job that computes a report: one of each study and filters at a time, whatever number of workers there are.

The worker compares the marks of the data; its side process reads the study, computes the report and keeps it, within
limits of processor time and memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from typing import Protocol as Interface

from sqlalchemy import Connection

from app.analysis.data.filter_options import filtered_protocol
from app.analysis.data.report_filters import Filters
from app.base.database.engine import Begin, on_database
from app.base.jobs.queue import Kind, defer
from app.base.problem import BlindedError
from app.base.processes.side_process import OutOfTimeError, SideProcessError, tell_parent
from app.protocol.study import Protocol
from app.results.data.study_mark import Data, get_data
from app.results.making.bounded_jobs import BoundedJobs, Place, progress, stops_kept
from app.results.reports.kept_results import (
    get_outline,
    part_of,
    record_answer,
    record_report,
    record_same_data,
    record_stopped,
)
from app.results.reports.outcomes import ESTIMATING, READING, Computing, LiveReport, Stopped, Tell
from app.studies.studies import StudyRow, get_study_by_id

if TYPE_CHECKING:
    from app.analysis.data.frames import Frames
    from app.analysis.report.report import Report


class Analyze(Interface):
    """A function that computes a report; see `app.analysis.analyze`."""

    def __call__(
        self,
        frames: Frames,
        protocol: Protocol,
        *,
        filters: Filters,
        watch: Callable[[int, int], None],
        first: Callable[[Report], None],
    ) -> Report: ...


# A small report never waits for a large one: each has a lane, which does one at a time. One of at most so many ratings
# is first given so many seconds of processor time in the lane for quick ones.
QUICK, LARGE = Kind("quick-report", "quick"), Kind("report", "large")
QUICK_RATINGS, QUICK_S = 50_000, 30


def ask_for_report(db: Connection, study: StudyRow, filters: Filters, data: Data) -> None:
    """Ask the worker for a report."""
    from app.analysis.report.stored_report import stored_text

    kind = QUICK if data.n_ratings <= QUICK_RATINGS else LARGE
    defer(db, kind, _key(study.id, filters), study=study.id, filters=stored_text(filters))


def get_report_progress(db: Connection, study_id: int, filters: Filters) -> Computing | None:
    """How far the job for this report is; None if there is none."""
    of = _key(study_id, filters)
    return progress(db, LARGE, of) or progress(db, QUICK, of)


def _key(study_id: int, filters: Filters) -> str:
    return f"{study_id} {part_of(filters)}"


def _filters(stored: str) -> Filters:
    from app.analysis.report.stored_report import read_stored

    found: Filters = read_stored(stored)
    return found


class ReportJobs(BoundedJobs):
    """Does the jobs."""

    def work(self, kind: Kind, study: int, filters: str) -> None:
        """Compute a report and keep it, or keep why there is none.

        Raises:
            SideProcessError: the process ended, which may have been by chance.
        """
        of, place, start = _filters(filters), self._place(), time.monotonic()
        seen = self._seen(place, study, of)
        if seen is None:
            return
        row, data = seen

        def keep(words: str) -> None:
            self._keep_stopped(row, of, data, words, start)

        with stops_kept(f"the report of the study {row.slug}", keep), suppress(BlindedError):
            try:
                self._compute(kind, place, row, of, data)
            except OutOfTimeError:
                if kind is LARGE or self._bounds.seconds <= QUICK_S:
                    raise
                with self._begin() as db:
                    defer(db, LARGE, _key(study, of), study=study, filters=filters)

    def give_up(self, _: Kind, study: int, filters: str) -> None:
        """Record that no report can be made: its process ended at each attempt."""
        of = _filters(filters)
        if seen := self._seen(self._place(), study, of):
            self._keep_stopped(seen[0], of, seen[1], SideProcessError.words, time.monotonic(), took_too_much=False)

    def _seen(self, place: Place, study_id: int, filters: Filters) -> tuple[StudyRow, Data] | None:
        """The study and its data; None if it is gone, or the report of these data is kept."""
        with self._begin() as db:
            study = get_study_by_id(db, study_id)
        if study is None:
            return None
        with self._reading(place) as reading, reading() as db:
            data = get_data(db, study_id)
        with self._begin() as db:
            outline = get_outline(db, study_id, part_of(filters))
        return None if outline and outline.is_of(study, data) else (study, data)

    def _reading(self, place: Place) -> AbstractContextManager[Begin]:
        return on_database(place.reading)

    def _compute(self, kind: Kind, place: Place, study: StudyRow, filters: Filters, data: Data) -> None:
        """Run `compute` in the process."""
        seconds = min(self._bounds.seconds, QUICK_S) if kind is QUICK else None
        self._ask(kind, _key(study.id, filters), compute_there, place, study, filters, data, seconds=seconds)

    def _keep_stopped(
        self, study: StudyRow, filters: Filters, data: Data, words: str, start: float, *, took_too_much: bool = True
    ) -> None:
        stopped = Stopped(datetime.now(UTC), words, took_too_much, time.monotonic() - start)
        with self._begin() as db:
            record_stopped(db, study, filters, data, stopped, self._bounds.in_words)


def compute_there(place: Place, study: StudyRow, filters: Filters, data: Data) -> None:
    """Run `compute` in the process: it reads the database itself, because the worker would be busy."""
    from app.analysis import analyze, load_libraries

    load_libraries()
    with on_database(place.primary) as begin, on_database(place.reading) as reading:
        compute(reading, begin, study, filters, data, analyze, tell=tell_parent, max_lag=place.max_lag)


def compute(
    reading: Begin,
    begin: Begin,
    study: StudyRow,
    filters: Filters,
    data: Data,
    analyze: Analyze,
    *,
    tell: Tell = lambda _: None,
    max_lag: timedelta = timedelta(),
) -> None:
    """Read the study, compute its report unless it is that of other marks, and keep it: its answer first.

    The transaction that reads ends before the computation, because estimates may take minutes.

    Raises:
        BlindedError: the study's estimates are hidden until it closes.
    """
    from app.analysis.data.filters import options_of
    from app.results.reports.report_input import fingerprint, read_study

    tell(READING)
    start, read_at = time.monotonic(), datetime.now(UTC) - max_lag
    with reading() as db:
        frames, protocol = read_study(db, study)
    name, part = fingerprint(frames, protocol, filters), part_of(filters)
    with begin() as db:
        outline = get_outline(db, study.id, part)
        if outline and outline.name == name and outline.n_deleted == data.n_deleted:
            record_same_data(db, study, part, data)
            return
    tell(ESTIMATING)

    def watch(n_done: int, n_all: int) -> None:
        share = ESTIMATING.share + (1 - ESTIMATING.share) * n_done / n_all
        tell(Computing(f"{ESTIMATING.step}: part {n_done + 1} of {n_all}", share=share))

    kept, options = filtered_protocol(protocol, filters), options_of(frames, protocol)

    def made(report: Report) -> LiveReport:
        return LiveReport(name, read_at, report, kept, options, data.n_deleted, time.monotonic() - start)

    def keep_answer(report: Report) -> None:
        with begin() as db:
            record_answer(db, study, data, made(report))

    report = analyze(frames, protocol, filters=filters, watch=watch, first=keep_answer)
    with begin() as db:
        record_report(db, study, data, made(report))
