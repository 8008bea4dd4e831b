"""Reports of running studies for pages and files: the kept one, or a job for the worker; pages wait only a moment."""

import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from app.analysis.data.report_filters import ALL, Filters
from app.base.database.engine import Begin
from app.rating.withdrawal.withdraw import count_deleted_raters
from app.results.blinding import refuse_if_blinded
from app.results.data.study_mark import Data, RecentData
from app.results.reports.kept_results import ANSWER, STOPPED, Outline, get_outline, get_report, get_stopped, part_of
from app.results.reports.outcomes import (
    WAITING,
    Computing,
    LiveReport,
    ReportStoppedError,
    Shown,
    StillComputingError,
    Stopped,
    holds,
)
from app.results.reports.report_job import ask_for_report, get_report_progress
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

__all__ = ["LiveReport", "LiveReports"]

# How often a request that waits looks whether the job is done, and how often it asks again if that left no report.
LOOK_S, MAX_ASKED = 0.03, 3
# A page, its charts and its files request the same report within seconds.
MAX_READ = 8

Ask = Callable[[Connection, StudyRow, Filters, Data], None]


@dataclass(frozen=True, slots=True)
class _Found:
    """What there is: the data, the last report, and an attempt of the same decisions that ended later, if any."""

    data: Data
    n_deleted: int
    outline: Outline | None
    report: LiveReport | None
    stopped: Stopped | None
    is_decided: bool
    is_behind: bool

    def holds(self, after: datetime | None, patience_s: float) -> bool:
        last = self.stopped or self.report
        if last is None or not self.is_decided:
            return False
        return holds(last, is_behind=self.is_behind, after=after, patience_s=patience_s)


class LiveReports:
    """The reports that are kept, and jobs for those that are not."""

    def __init__(
        self,
        begin: Begin,
        limits: str = "",
        *,
        ask: Ask = ask_for_report,
        patience_s: float = 0.5,
        file_patience_s: float = 90,
    ) -> None:
        """`begin` opens transactions on the primary, also if reports are read from a replica.

        `limits` says what a report may take: an attempt that was stopped by other limits is not known. `ask` defers
        the job. A page waits for a report up to `patience_s` seconds, a file up to `file_patience_s`, because a waiting
        request occupies a turn that another lead could use.
        """
        self._begin, self._limits, self._ask = begin, limits, ask
        self._patience_s, self._file_patience_s = patience_s, max(patience_s, file_patience_s)
        self._data = RecentData()
        self._read: OrderedDict[tuple[int, str], LiveReport] = OrderedDict()

    def now(
        self,
        begin: Begin,
        study: StudyRow,
        name: str | None = None,
        filters: Filters = ALL,
        after: datetime | None = None,
    ) -> LiveReport:
        """The report with this name, otherwise that of the current answers; see `soon`.

        A page shows many parts of one report. Once that is replaced, they are of the last one that there is: each
        would otherwise wait for the next report, and be late for that too while raters answer.

        Raises:
            BlindedError: the study's estimates are hidden until it closes.
            ReportStoppedError: there is none.
            StillComputingError: it is not there in time; it will be there for a later request.
        """
        if name:
            found = self._look(begin, study, filters)
            read = self._read.get((study.id, name))
            if read and read.n_deleted == found.n_deleted:
                return read
            if found.report and (after is None or found.report.read_at > after):
                return found.report
        shown = self._shown(begin, study, filters, after, self._file_patience_s)
        if shown.made is None or not shown.is_settled:
            raise StillComputingError
        return shown.made

    def soon(self, begin: Begin, study: StudyRow, filters: Filters = ALL, after: datetime | None = None) -> Shown:
        """The last report, None if there is none, and whether it is that of the current answers, as far as is known.

        A newer one is computed by the worker if that is due (see `outcomes.holds`), or if the ratings of the last one
        were not read later than `after`. It is available to later requests.

        Raises:
            BlindedError: the study's estimates are hidden until it closes.
            ReportStoppedError: there is none of the current answers.
        """
        return self._shown(begin, study, filters, after, self._patience_s)

    def _shown(
        self, begin: Begin, study: StudyRow, filters: Filters, after: datetime | None, patience_s: float
    ) -> Shown:
        end, n_asked = time.monotonic() + patience_s, 0
        first = found = self._look(begin, study, filters)
        while not found.holds(after, self._patience_s):
            is_new = found.outline != first.outline
            if found.report and is_new and found.is_decided and (after is None or found.report.read_at > after):
                break  # its ratings were read while this waited
            if self._computing(study, filters) is None and n_asked < MAX_ASKED:
                found = self._look(begin, study, filters)
                if found.holds(after, self._patience_s):
                    break  # a job has ended since the last look
                with self._begin() as db:
                    self._ask(db, study, filters, found.data)
                n_asked += 1
            while (computing := self._computing(study, filters)) and time.monotonic() < end:
                time.sleep(LOOK_S)
            if computing or n_asked == MAX_ASKED:
                early = self._early(study, filters, found.data)
                return Shown(found.report, False, computing or WAITING, is_settled=False, early=early)
            found = self._look(begin, study, filters)
        if found.stopped:
            raise ReportStoppedError(found.stopped, found.report)
        return Shown(found.report, not found.is_behind, self._computing(study, filters) if found.is_behind else None)

    def _computing(self, study: StudyRow, filters: Filters) -> Computing | None:
        with self._begin() as db:
            return get_report_progress(db, study.id, filters)

    def _early(self, study: StudyRow, filters: Filters, data: Data) -> LiveReport | None:
        """The primary contrasts of these data, if they are computed while the rest is not."""
        with self._begin() as db:
            outline = get_outline(db, study.id, part_of(filters, ANSWER))
            return get_report(db, study.id, filters, outline) if outline and outline.is_of(study, data) else None

    def _look(self, begin: Begin, study: StudyRow, filters: Filters) -> _Found:
        """What there is. Results from before a deletion are neither read nor remembered."""
        with self._begin() as db:
            refuse_if_blinded(study, get_protocol(db, study.id, study.protocol_version))
            n_deleted = count_deleted_raters(db, study.id)
            outline = get_outline(db, study.id, part_of(filters))
            report = self._report(db, study, filters, outline) if outline else None
            tried = get_outline(db, study.id, part_of(filters, STOPPED), self._limits)
            if tried and outline and tried.read_at < outline.read_at:
                tried = None
            stopped = get_stopped(db, study.id, tried) if tried else None
        last = tried if stopped else outline if report else None
        with begin() as db:
            data = self._data.get(db, study.id, last.mark if last else "")
        if tried and not tried.is_decided(study, data):
            last, stopped = (outline if report else None), None
        is_decided = last is not None and last.is_decided(study, data)
        is_behind = last is None or not last.is_of(study, data)
        return _Found(data, n_deleted, outline, report, stopped, is_decided, is_behind)

    def _report(self, db: Connection, study: StudyRow, filters: Filters, outline: Outline) -> LiveReport | None:
        read = self._read.get((study.id, outline.name))
        if read and (read.read_at, read.n_deleted) == (outline.read_at, outline.n_deleted):
            return read
        read = get_report(db, study.id, filters, outline)
        if read:
            self._read[study.id, outline.name] = read
            self._read.move_to_end((study.id, outline.name))
            with suppress(KeyError):  # another thread was faster
                while len(self._read) > MAX_READ:
                    self._read.popitem(last=False)
        return read
