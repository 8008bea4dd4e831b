"""What becomes of a job: the report that a process has, or a new one; it is shown and kept, or noted as stopped."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.analysis.data.report_filters import ALL
from app.base.database.outages import OUTAGES
from app.base.processes.side_process import SideProcessError
from app.rating.withdrawal.withdraw import count_deleted_raters
from app.results.reports.computing import ELSEWHERE, WAITING, LiveReport
from app.results.reports.kept_results import ComputedElsewhereError
from app.results.reports.outcomes import ReportStoppedError, Shown, Stopped, holds, took_too_much

if TYPE_CHECKING:
    from app.results.reports.kept_results import KeptResults
    from app.results.reports.known_marks import KnownMarks, Seen
    from app.results.reports.recent_results import RecentResults
    from app.results.reports.report_job import ReportJob

# How often is looked whether another process is done.
LOOK_S = 0.5


class ReportMaker:
    """Finds or computes reports, in the threads of their jobs."""

    def __init__(self, kept: KeptResults | None, marks: KnownMarks, recent: RecentResults, patience_s: float) -> None:
        """A report that takes no longer than `patience_s` is always that of the current ratings."""
        self._kept, self._marks, self._recent, self._patience_s = kept, marks, recent, patience_s

    def can_be_replaced(self, seen: Seen) -> bool:
        """Whether another process may have something newer to show."""
        return seen.is_behind or isinstance(self._recent.get(seen.key.study_id, seen.name), Stopped)

    def held(self, seen: Seen, after: datetime | None) -> Shown | None:
        """What the last attempt gave, if no other is due.

        Raises:
            ReportStoppedError: it gave no report.
        """
        outcome = self._recent.get(seen.key.study_id, seen.name)
        if outcome is None or not holds(outcome, is_behind=seen.is_behind, after=after, patience_s=self._patience_s):
            return None
        if isinstance(outcome, Stopped):
            raise ReportStoppedError(outcome)
        return Shown(outcome, not seen.is_behind)

    def shown_for(self, job: ReportJob) -> Shown:
        """The last report if no other is due, or a new one, of this process or of another."""
        while True:
            if shown := self._known(job):
                return shown
            if self._has_waited(job):
                continue
            if not job.filters and self._recent.latest(job.study.id, ALL) is None:
                self._count(job)
            with suppress(ComputedElsewhereError):
                if made := self._computed(job):
                    return Shown(made, is_current=True)

    def _known(self, job: ReportJob) -> Shown | None:
        """What a process has of the data as they are now, if no other attempt is due."""
        if job.glanced is None:
            return None
        with job.begin() as db:
            job.seen = self._marks.look(db, job.glanced)
        if not job.seen.name or self.can_be_replaced(job.seen):
            self._recent.recall(job.study, job.filters)
            job.seen = self._marks.named(job.seen)
        return self.held(job.seen, job.after)

    def _computed(self, job: ReportJob) -> LiveReport | None:
        """The report, computed now; None if answers in it were deleted meanwhile.

        Raises:
            ComputedElsewhereError: another process computes results of the study.
            ReportStoppedError: the attempt gave no report.
        """
        job.tell(WAITING)
        try:
            found = job.prepared.report(job.seen, self._recent.names(job.study.id), job.tell)
        except ComputedElsewhereError:
            raise
        except SideProcessError as error:
            raise ReportStoppedError(self._stopped(job, error)) from error
        if isinstance(found, LiveReport):
            self._recent.put(job.study.id, found)
        made = found if isinstance(found, LiveReport) else self._recent.find(job.study, job.filters, found)
        if job.seen is None or made is None:
            return made
        self._marks.keep(job.seen, made.name)
        with job.begin() as db:
            self._recent.forget(job.study.id, count_deleted_raters(db, job.study.id))
        return self._recent.find(job.study, job.filters, made.name)

    def _stopped(self, job: ReportJob, error: SideProcessError) -> Stopped:
        """Note that the attempt was stopped, for the next requests and other processes."""
        at = datetime.now(UTC)
        name = f"stopped {at.isoformat()}"
        stopped = Stopped(name, at, job.filters, str(error), took_too_much(error), took_s=job.took_s)
        if job.seen:
            with suppress(*OUTAGES), job.begin() as db:
                stopped = replace(stopped, n_deleted=count_deleted_raters(db, job.study.id))
            self._recent.put(job.study.id, stopped)
            self._marks.keep(job.seen, name)
        if job.seen and self._kept and stopped.took_too_much:
            with suppress(*OUTAGES):
                self._kept.keep_stopped(job.study, job.seen, stopped)
        return stopped

    def _has_waited(self, job: ReportJob) -> bool:
        """Wait while another process computes results of the study, and take them over; False if there is none."""
        has_waited = False
        while self._kept and (share := self._kept.share_elsewhere(job.study.id)) is not None:
            has_waited = True
            job.tell(replace(ELSEWHERE, share=share))
            time.sleep(LOOK_S)
            self._recent.recall_counts(job.study, job.glanced)
        if has_waited and not self._recent.recall(job.study, job.filters):
            time.sleep(LOOK_S)  # that process is about to keep why its computation was stopped, if it was
        return has_waited

    def _count(self, job: ReportJob) -> None:
        """Count the answers, if that succeeds; the report does not depend on it."""
        if self._recent.are_counted(job.study.id, job.seen):
            return
        job.tell(WAITING)
        try:
            first = job.prepared.count(job.seen, job.tell)
        except SideProcessError:
            return
        self._recent.put_counts(job.study.id, first, job.seen)
