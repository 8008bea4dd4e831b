"""The work behind results: what is computed from a study's data, and how far it has come.

It is done in side processes (`report_process.py`), by one at a time per study (`computed_once.py`). This
module imports nothing heavy, because the web process imports it too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from typing import Protocol as Typed

from app.base.database.engine import Begin
from app.protocol.study import Protocol
from app.rating.withdrawal.withdraw import count_deleted_raters
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.analysis.data.filter_options import FilterOptions
    from app.analysis.data.frames import Frames
    from app.analysis.data.report_filters import Filters
    from app.analysis.findings.counted_result import CountedResult
    from app.analysis.report.report import Report

    class Analyze(Typed):
        """A function that computes a report; `watch` is told how many parts of how many are done."""

        def __call__(
            self, frames: Frames, protocol: Protocol, *, filters: Filters, watch: Callable[[int, int], None]
        ) -> Report: ...


Tell = Callable[["Computing"], None]


@dataclass(frozen=True, slots=True)
class Computing:
    """What is being done, and the share of the whole that is done."""

    step: str
    share: float


WAITING = Computing("Waiting to begin", 0.0)
COUNTING = Computing("Counting the answers", 0.05)
READING = Computing("Reading the answers", 0.15)
ESTIMATING = Computing("Computing the estimates", 0.4)
ELSEWHERE = Computing("Another server process is computing them", 0.0)


@dataclass(frozen=True, slots=True)
class LiveReport:
    """A report, when its data were read, and its name, which depends only on the data.

    `n_deleted` raters had had their answers deleted before. Reading and computing took `took_s` seconds.
    """

    name: str
    read_at: datetime
    report: Report
    protocol: Protocol
    options: FilterOptions
    n_deleted: int = 0
    took_s: float = 0.0

    @property
    def filters(self) -> Filters:
        """The filters that select the answers of the report."""
        return self.report.filters


@dataclass(frozen=True, slots=True)
class FirstNumbers:
    """What counts suffice for, and when the answers were counted."""

    read_at: datetime
    results: tuple[CountedResult, ...]
    protocol: Protocol
    n_deleted: int


@dataclass(frozen=True, slots=True)
class ReadStudy:
    """The data of a report, its name, and when they were read; see `LiveReport`."""

    name: str
    read_at: datetime
    frames: Frames
    protocol: Protocol
    filters: Filters
    n_deleted: int


def first_numbers(begin: Begin, study: StudyRow) -> FirstNumbers:
    """Count the answers.

    Raises:
        BlindedError: the study's estimates are hidden until it closes.
    """
    from app.results.reports.counted import count_results

    read_at = datetime.now(UTC)
    with begin() as db:
        n_deleted = count_deleted_raters(db, study.id)
        found, protocol = count_results(db, study)
    return FirstNumbers(read_at, tuple(found), protocol, n_deleted)


def read_for_report(begin: Begin, study: StudyRow, filters: Filters) -> ReadStudy:
    """Read the data. The transaction ends before the computation, because estimates may take minutes.

    Raises:
        BlindedError: the study's estimates are hidden until it closes.
    """
    from app.results.reports.fingerprint import fingerprint
    from app.results.reports.report import read_study

    read_at = datetime.now(UTC)
    with begin() as db:
        n_deleted = count_deleted_raters(db, study.id)
        frames, protocol = read_study(db, study)
    return ReadStudy(fingerprint(frames, protocol, filters), read_at, frames, protocol, filters, n_deleted)


def compute(read: ReadStudy, settled: Collection[str], tell: Tell, analyze: Analyze) -> LiveReport | str:
    """Compute the report; or return only its name if it is one of `settled`, whose result is known."""
    from app.analysis.data.filter_options import filtered_protocol
    from app.analysis.data.filters import options_of

    if read.name in settled:
        return read.name
    tell(ESTIMATING)

    def watch(n_done: int, n_all: int) -> None:
        share = ESTIMATING.share + (1 - ESTIMATING.share) * n_done / n_all
        tell(Computing(f"{ESTIMATING.step}: part {n_done + 1} of {n_all}", share=share))

    report = analyze(read.frames, read.protocol, filters=read.filters, watch=watch)
    kept = filtered_protocol(read.protocol, read.filters)
    options = options_of(read.frames, read.protocol)
    return LiveReport(read.name, read.read_at, report, kept, options, read.n_deleted)
