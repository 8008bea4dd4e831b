"""Reports of running studies: computed once for the same answers; pages wait for them only for a moment."""

from __future__ import annotations

import time
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import replace
from threading import Lock, Thread
from typing import TYPE_CHECKING

from app.actions.process_bounds import OutOfMemoryError, SideProcessError, SideProcessTimeoutError
from app.actions.results.blinding import refuse_if_blinded
from app.actions.results.computing import ELSEWHERE, WAITING, FirstNumbers, LiveReport
from app.actions.results.kept_results import ComputedElsewhereError
from app.actions.results.known_marks import KnownMarks
from app.actions.results.recent_results import RecentResults
from app.actions.results.report_job import ReportJob
from app.analysis.data.filters.report_filters import ALL
from app.storage.raters.withdrawals import count_deleted_raters
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions.results.computing import Computing
    from app.actions.results.kept_results import KeptResults
    from app.actions.results.known_marks import Seen
    from app.actions.results.report_job import Work
    from app.analysis.data.filters.report_filters import Filters
    from app.storage.database.engine import Begin
    from app.storage.studies.studies import StudyRow

__all__ = ["FirstNumbers", "LiveReport", "LiveReports", "StillComputingError", "took_too_much"]


class StillComputingError(SideProcessError):
    """The report is not available yet; it is still being computed."""

    words = "The results are still being computed. Try again in a minute."


# A page that can show earlier results or counts does not wait for the mark of a large study.
GLANCE_S = 0.02
# How long a report that exceeded its limits is not computed again from the same answers.
STOPPED_S = 300
# A process that was killed may have been so by chance: the next attempt is soon, but not before a page that refreshes
# itself has shown what happened.
ENDED_S = 10
# How often is looked whether another process is done.
LOOK_S = 0.5


def took_too_much(error: SideProcessError) -> bool:
    """Whether the same computation would be stopped again: it reached a limit, and did not just end."""
    return isinstance(error, SideProcessTimeoutError | OutOfMemoryError)


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
        self._stopped: dict[tuple[int, str], tuple[SideProcessError, float]] = {}
        self._marks = KnownMarks()
        self._recent = RecentResults(kept, self._marks)

    def now(self, begin: Begin, study: StudyRow, name: str | None = None, filters: Filters = ALL) -> LiveReport:
        """The report with this name if it is cached, otherwise that of the current answers.

        Raises:
            BlindedError: the study's estimates are hidden until it closes.
            StillComputingError: it is not there in time; it will be there for a later request.
        """
        glanced = self._glance(begin, study, filters)
        named = self._recent.find(study, filters, name) if name else None
        made = named or self._get(begin, study, self._file_patience_s, filters, glanced)
        if made is None:
            raise StillComputingError
        return made

    def soon(self, begin: Begin, study: StudyRow, filters: Filters = ALL) -> tuple[LiveReport | None, bool]:
        """The last report, None if there is none, and whether it is that of the current answers, as far as is known.

        The computation of a newer one continues in the background, and its result is available to later requests.

        Raises:
            BlindedError: the study's estimates are hidden until it closes.
        """
        glanced, latest = self._glance(begin, study, filters), self.latest(study.id, filters)
        is_slow = self._marks.is_slow(study.id) if latest else self._recent.is_slow(study.id)
        patience_s = GLANCE_S if is_slow else self._patience_s
        made = self._get(begin, study, patience_s, filters, glanced)
        if made:
            return made, True
        return latest, latest is not None and self.computing(study.id) is None

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
        if self.latest(study.id, filters) is None:
            self._recent.recall(study, filters)
        if self.latest(study.id, filters) is None:
            self._recent.recall_counts(study, glanced)
        return glanced

    def _get(
        self, begin: Begin, study: StudyRow, patience_s: float, filters: Filters, glanced: Seen | None
    ) -> LiveReport | None:
        deadline = time.monotonic() + patience_s
        while True:
            if glanced and glanced.name:
                if kept := self._recent.get(study.id, glanced.name):
                    return kept
                self._refuse_stopped(study.id, glanced.name)
            job, is_mine = self._begin(begin, study, filters, glanced)
            if not wait([job.future], max(0.0, deadline - time.monotonic())).done:
                return None
            if is_mine:
                return job.future.result()
            glanced = self._glance(begin, study, filters)

    def _begin(self, begin: Begin, study: StudyRow, filters: Filters, glanced: Seen | None) -> tuple[ReportJob, bool]:
        """A job for this report and True; or that of an earlier report still being computed and False."""
        if at_work := self._at_work.get(study.id):
            return at_work, False
        job = ReportJob(study, filters, self._work.prepare(begin, study, filters), begin, glanced)
        with self._guard:
            if at_work := self._at_work.get(study.id):
                return at_work, False
            self._at_work[study.id] = job
            self._watch(len(self._at_work))
        Thread(target=self._settle, args=(job,), name=f"report of study {study.id}", daemon=True).start()
        return job, True

    def _settle(self, job: ReportJob) -> None:
        """Compute the report; the job's future gets it, or the error."""
        try:
            made = self._made_for(job)
        except BaseException as error:  # noqa: BLE001 - it is raised again for those who wait
            if isinstance(error, SideProcessError):
                self._remember(job, job.name, error)
            self._end(job, None)
            job.future.set_exception(error)
        else:
            self._remember(job, made.name)
            self._end(job, made)
            job.future.set_result(made)

    def _made_for(self, job: ReportJob) -> LiveReport:
        """The report of the data as they are now: a known one, or a new one, of this process or of another."""
        while True:
            if known := self._known(job):
                return known
            if self._has_waited(job):
                continue
            if not job.filters and self.latest(job.study.id) is None:
                self._count(job)
            with suppress(ComputedElsewhereError):
                made = self._computed(job)
                if not self._is_from_before_a_deletion(job, made):
                    return made

    def _is_from_before_a_deletion(self, job: ReportJob, made: LiveReport) -> bool:
        """Whether a rater's answers were deleted since the data of the report were read."""
        if job.glanced is None:
            return False
        with job.begin() as db:
            return made.n_deleted < count_deleted_raters(db, job.study.id)

    def _known(self, job: ReportJob) -> LiveReport | None:
        """The report of the data as they are now, if a process has it."""
        if job.glanced is None:
            return None
        with job.begin() as db:
            job.seen = self._marks.look(db, job.glanced)
        if not job.seen.name:
            self._recent.recall(job.study, job.filters)
            job.seen = self._marks.named(job.seen)
        return self._settled(job, job.seen.name) if job.seen.name else None

    def _computed(self, job: ReportJob) -> LiveReport:
        """The report, computed now.

        Raises:
            ComputedElsewhereError: another process computes results of the study.
        """
        job.tell(WAITING)
        self._drop_old_stops()
        settled = self._recent.names(job.study.id) | {name for of, name in self._stopped if of == job.study.id}
        found = job.prepared.report(job.seen, settled, job.tell)
        if isinstance(found, LiveReport):
            return found
        job.tell(replace(WAITING, name=found))
        known = self._settled(job, found)
        if known is None:
            raise SideProcessError  # it was forgotten meanwhile; the next request computes it
        return known

    def _has_waited(self, job: ReportJob) -> bool:
        """Wait while another process computes results of the study, and take them over; False if there is none."""
        has_waited = False
        while self._kept and (share := self._kept.share_elsewhere(job.study.id)) is not None:
            has_waited = True
            job.tell(replace(ELSEWHERE, share=share))
            time.sleep(LOOK_S)
            self._recent.recall_counts(job.study, job.glanced)
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

    def _settled(self, job: ReportJob, name: str) -> LiveReport | None:
        """The report of this name if any process has it.

        Raises:
            SideProcessError: it was stopped recently.
        """
        known = self._recent.find(job.study, job.filters, name)
        if known is None:
            self._refuse_stopped(job.study.id, name)
        return known

    def _refuse_stopped(self, study_id: int, name: str) -> None:
        self._drop_old_stops()
        if stopped := self._stopped.get((study_id, name)):
            raise stopped[0]

    def _remember(self, job: ReportJob, name: str, error: SideProcessError | None = None) -> None:
        """Note which report the data give, and the error that stopped it, if any."""
        # A process that ended while it read the data has not said their name.
        name = name or (f"unread {job.seen.mark}" if job.seen else "")
        if job.seen and name:
            self._marks.keep(job.seen, name)
        if error and name and (job.study.id, name) not in self._stopped:
            self._stopped[job.study.id, name] = error, time.monotonic()

    def _end(self, job: ReportJob, made: LiveReport | None) -> None:
        with self._guard:
            if made:
                self._recent.put(job.study.id, made)
            del self._at_work[job.study.id]
            self._watch(len(self._at_work))

    def _drop_old_stops(self) -> None:
        """Forget stops from so long ago that the report may be computed again."""
        for key, (error, at) in list(self._stopped.items()):
            if time.monotonic() - at > (STOPPED_S if took_too_much(error) else ENDED_S):
                self._stopped.pop(key, None)
