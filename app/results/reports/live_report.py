"""Reports of running studies: computed once for the same answers; pages wait for them only for a moment."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import wait
from datetime import datetime
from threading import Lock, Thread
from typing import TYPE_CHECKING

from app.analysis.data.report_filters import ALL
from app.base.database.engine import Begin
from app.base.processes.side_process import SideProcessError
from app.rating.withdrawal.withdraw import count_deleted_raters
from app.results.blinding import refuse_if_blinded
from app.results.reports.computing import FirstNumbers, LiveReport
from app.results.reports.known_marks import KnownMarks, Seen
from app.results.reports.outcomes import ReportStoppedError, Shown
from app.results.reports.recent_results import RecentResults
from app.results.reports.report_job import ReportJob
from app.results.reports.report_maker import ReportMaker
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.analysis.data.report_filters import Filters
    from app.results.reports.computing import Computing
    from app.results.reports.kept_results import KeptResults
    from app.results.reports.report_job import Work

__all__ = ["FirstNumbers", "LiveReport", "LiveReports", "StillComputingError"]


class StillComputingError(SideProcessError):
    """The report is not available yet; it is still being computed."""

    words = "The results are still being computed. Try again in a minute."


# A page that can show earlier results or counts does not wait for the mark of a large study.
GLANCE_S = 0.02


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
        self._work, self._watch = work, watch or (lambda _n: None)
        self._patience_s, self._file_patience_s = patience_s, max(patience_s, file_patience_s)
        self._guard = Lock()
        self._at_work: dict[int, ReportJob] = {}
        self._marks = KnownMarks()
        self._recent = RecentResults(kept, self._marks)
        self._maker = ReportMaker(kept, self._marks, self._recent, patience_s)

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
        glanced = self._glance(begin, study, filters)
        if name and (found := self._recent.find(study, filters, name) or self._last(begin, study, filters, after)):
            return found
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

    def _last(self, begin: Begin, study: StudyRow, filters: Filters, after: datetime | None) -> LiveReport | None:
        """The last report, also if the attempt at a newer one was stopped; None if there is none read after `after`."""
        try:
            made = self.soon(begin, study, filters, after).made
        except ReportStoppedError:
            made = self.latest(study.id, filters)
        return made if made and (after is None or made.read_at > after) else None

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
        if self.latest(study.id, filters) is None or (glanced and self._maker.can_be_replaced(glanced)):
            has_more = self._recent.recall(study, filters)
            glanced = Seen(glanced.key, glanced.moment) if glanced and has_more else glanced
        if self.latest(study.id, filters) is None:
            self._recent.recall_counts(study, glanced)
        return glanced

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
            if glanced and (shown := self._maker.held(glanced, after)):
                return shown
            job, is_mine = self._begin(begin, study, filters, glanced, after)
            if not wait([job.future], max(0.0, deadline - time.monotonic())).done:
                return None
            if is_mine:
                return job.future.result()
            glanced = self._glance(begin, study, filters)

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
            shown = self._maker.shown_for(job)
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
