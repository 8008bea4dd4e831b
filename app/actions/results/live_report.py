"""Reports of running studies: computed once for the same answers; pages wait for them only for a moment."""

from __future__ import annotations

import time
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from threading import Lock, Thread
from typing import TYPE_CHECKING

from app.actions.process_bounds import SideProcessError
from app.actions.results.blinding import refuse_if_blinded
from app.actions.results.computing import ELSEWHERE, WAITING, FirstNumbers, LiveReport
from app.actions.results.kept_results import ComputedElsewhereError
from app.actions.results.known_marks import KnownMarks, Seen
from app.actions.results.outcomes import ReportStoppedError, Shown, Stopped, holds, took_too_much
from app.actions.results.recent_results import RecentResults
from app.actions.results.report_job import ReportJob
from app.analysis.data.filters.report_filters import ALL
from app.storage.database.outages import OUTAGES
from app.storage.raters.withdrawals import count_deleted_raters
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions.results.computing import Computing
    from app.actions.results.kept_results import KeptResults
    from app.actions.results.report_job import Work
    from app.analysis.data.filters.report_filters import Filters
    from app.storage.database.engine import Begin
    from app.storage.studies.studies import StudyRow

__all__ = ["FirstNumbers", "LiveReport", "LiveReports", "StillComputingError"]


class StillComputingError(SideProcessError):
    """The report is not available yet; it is still being computed."""

    words = "The results are still being computed. Try again in a minute."


# A page that can show earlier results or counts does not wait for the mark of a large study.
GLANCE_S = 0.02
# How often is looked whether another process is done.
LOOK_S = 0.5


class LiveReports:
    """The most recent reports, and those being computed: one at a time per study.

    They are kept in the database too, so that a new process shows them at once, and several compute none twice.
    """

    def __init__(
        self,
        work: Work,
        kept: KeptResults | None = None,
        *,
        patience_s: float = 0.5,
        file_patience_s: float = 90,
        watch: Callable[[int], None] | None = None,
    ) -> None:
        """`work` computes, outside of the request and of any transaction, and keeps the results in `kept`.

        Without `kept`, reports end with this process. A page waits for a report up to `patience_s` seconds, a file up
        to `file_patience_s`, because a waiting request occupies a turn that another lead could use.

        `watch` is told the number of reports being computed whenever it changes.
        """
        self._work, self._kept, self._watch = work, kept, watch or (lambda _n: None)
        self._patience_s, self._file_patience_s = patience_s, max(patience_s, file_patience_s)
        self._guard = Lock()
        self._at_work: dict[int, ReportJob] = {}
        self._marks = KnownMarks()
        self._recent = RecentResults(kept, self._marks)

    def now(
        self,
        begin: Begin,
        study: StudyRow,
        name: str | None = None,
        filters: Filters = ALL,
        after: datetime | None = None,
    ) -> LiveReport:
        """The report with this name if it is cached, otherwise that of the current answers; see `soon`.

        Raises:
            BlindedError: the study's estimates are hidden until it closes.
            ReportStoppedError: there is none.
            StillComputingError: it is not there in time; it will be there for a later request.
        """
        glanced = self._glance(begin, study, filters)
        if name and (named := self._recent.find(study, filters, name)):
            return named
        shown = self._get(begin, study, self._file_patience_s, filters, glanced, after)
        if shown is None or shown.made is None:
            raise StillComputingError
        return shown.made

    def soon(self, begin: Begin, study: StudyRow, filters: Filters = ALL, after: datetime | None = None) -> Shown:
        """The last report, None if there is none, and whether it is that of the current answers, as far as is known.

        A newer one is computed in the background if that is due (see `outcomes.holds`), or if the ratings of the last
        one were not read later than `after`. Its result is available to later requests.

        Raises:
            BlindedError: the study's estimates are hidden until it closes.
            ReportStoppedError: there is none of the current answers.
        """
        glanced, latest = self._glance(begin, study, filters), self.latest(study.id, filters)
        is_slow = self._marks.is_slow(study.id) if latest else self._recent.is_slow(study.id)
        patience_s = GLANCE_S if is_slow else self._patience_s
        shown = self._get(begin, study, patience_s, filters, glanced, after)
        is_behind = latest is None or (glanced and glanced.is_behind) or self.computing(study.id)
        return shown or Shown(latest, not is_behind)

    def computing(self, study_id: int) -> Computing | None:
        """How far the computation for this study has come; None if nothing is known to be computed."""
        job = self._at_work.get(study_id)
        return job.computing if job else None

    def first_numbers(self, study_id: int) -> FirstNumbers | None:
        """What counts of the answers suffice for, if they were counted while there was no report."""
        return self._recent.first_numbers(study_id)

    def latest(self, study_id: int, filters: Filters = ALL) -> LiveReport | None:
        """The last report with these filters that is kept, of whatever answers."""
        return self._recent.latest(study_id, filters)

    def _glance(self, begin: Begin, study: StudyRow, filters: Filters) -> Seen | None:
        """What can be said about the data at once. Reports from before a deletion are forgotten.

        The transaction ends here: the pool has few connections, and estimates may take minutes.
        """
        with begin() as db:
            refuse_if_blinded(study, get_protocol(db, study.id, study.protocol_version))
            self._recent.forget(study.id, count_deleted_raters(db, study.id))
            glanced = self._marks.glance(db, study, filters)
        if self.latest(study.id, filters) is None or (glanced and self._can_be_replaced(glanced)):
            has_more = self._recent.recall(study, filters)
            glanced = Seen(glanced.key, glanced.moment) if glanced and has_more else glanced
        if self.latest(study.id, filters) is None:
            self._recent.recall_counts(study, glanced)
        return glanced

    def _can_be_replaced(self, seen: Seen) -> bool:
        """Whether another process may have something newer to show."""
        return seen.is_behind or isinstance(self._recent.get(seen.key.study_id, seen.name), Stopped)

    def _get(
        self,
        begin: Begin,
        study: StudyRow,
        patience_s: float,
        filters: Filters,
        glanced: Seen | None,
        after: datetime | None,
    ) -> Shown | None:
        deadline = time.monotonic() + patience_s
        while True:
            if glanced and (shown := self._held(glanced, after)):
                return shown
            job, is_mine = self._begin(begin, study, filters, glanced, after)
            if not wait([job.future], max(0.0, deadline - time.monotonic())).done:
                return None
            if is_mine:
                return job.future.result()
            glanced = self._glance(begin, study, filters)

    def _held(self, seen: Seen, after: datetime | None) -> Shown | None:
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

    def _begin(
        self, begin: Begin, study: StudyRow, filters: Filters, glanced: Seen | None, after: datetime | None
    ) -> tuple[ReportJob, bool]:
        """A job for this report and True; or that of an earlier report still being computed and False."""
        if at_work := self._at_work.get(study.id):
            return at_work, False
        job = ReportJob(study, filters, self._work.prepare(begin, study, filters), begin, glanced, after)
        with self._guard:
            if at_work := self._at_work.get(study.id):
                return at_work, False
            self._at_work[study.id] = job
            self._watch(len(self._at_work))
        Thread(target=self._settle, args=(job,), name=f"report of study {study.id}", daemon=True).start()
        return job, True

    def _settle(self, job: ReportJob) -> None:
        """Find or compute the report; the job's future gets it, or the error."""
        try:
            shown = self._shown_for(job)
        except BaseException as error:  # noqa: BLE001 - it is raised again for those who wait
            self._end(job)
            job.future.set_exception(error)
        else:
            self._end(job)
            job.future.set_result(shown)

    def _end(self, job: ReportJob) -> None:
        with self._guard:
            del self._at_work[job.study.id]
            self._watch(len(self._at_work))

    def _shown_for(self, job: ReportJob) -> Shown:
        """The last report if no other is due, or a new one, of this process or of another."""
        while True:
            if shown := self._known(job):
                return shown
            if self._has_waited(job):
                continue
            if not job.filters and self.latest(job.study.id) is None:
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
        if not job.seen.name or self._can_be_replaced(job.seen):
            self._recent.recall(job.study, job.filters)
            job.seen = self._marks.named(job.seen)
        return self._held(job.seen, job.after)

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
