"""Reports of running studies: computed once for the same answers; pages wait for them only for a limited time."""

from __future__ import annotations

import time
from collections import OrderedDict
from concurrent.futures import Future, wait
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from app.actions.process_bounds import OutOfMemoryError, SideProcessError, SideProcessTimeoutError
from app.actions.results.known_marks import KnownMarks
from app.analysis.data.filters.report_filters import ALL
from app.storage.raters.withdrawals import get_last_deletion

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol as Typed

    from app.actions.results.known_marks import Seen
    from app.analysis.data.filters.filtering import FilterOptions
    from app.analysis.data.filters.report_filters import Filters
    from app.analysis.data.frames import Frames
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol
    from app.storage.database.engine import Begin
    from app.storage.studies.studies import StudyRow

    class Analyze(Typed):
        """A function that computes a report."""

        def __call__(self, frames: Frames, protocol: Protocol, *, filters: Filters) -> Report: ...


T = TypeVar("T")


class StillComputingError(SideProcessError):
    """The report is not available yet; it is still being computed."""

    words = "The results are still being computed. Try again in a minute."


# A page, its charts and its files request the same report within seconds, and the mixed models take seconds each.
KEPT = 8
# A page does not wait for the report of more ratings than this: it would not be there in time.
MAX_AWAITED = 50_000
# How long a report that exceeded its limits is not computed again from the same answers.
STOPPED_S = 300
# A process that was killed may have been so by chance: the next attempt is soon, but not before a page that refreshes
# itself has shown what happened.
ENDED_S = 10


def took_too_much(error: SideProcessError) -> bool:
    """Whether the same computation would be stopped again: it reached a limit, and did not just end."""
    return isinstance(error, SideProcessTimeoutError | OutOfMemoryError)


@dataclass(frozen=True, slots=True)
class LiveReport:
    """A report, when its data were read, and its name, which depends only on the data."""

    name: str
    read_at: datetime
    report: Report
    protocol: Protocol
    options: FilterOptions

    @property
    def filters(self) -> Filters:
        """The filters that select the answers of the report."""
        return self.report.filters


class LiveReports:
    """The most recent reports, and those being computed: one at a time per study.

    This cache is not shared between processes: another process computes a missing report again, with the same result.
    """

    def __init__(
        self,
        analyze: Analyze,
        *,
        patience_s: float = 5,
        file_patience_s: float = 90,
        watch: Callable[[int], None] | None = None,
        max_lag_s: float = 0,
    ) -> None:
        """`analyze` computes a report, outside of any transaction.

        A page waits for it up to `patience_s` seconds, a file up to `file_patience_s`, because a waiting request
        occupies a turn that another lead could use.

        `watch` is told the number of reports being computed whenever it changes. `max_lag_s`: how much older than the
        moment of reading the data may be, on a replica.
        """
        self._age = timedelta(seconds=max_lag_s)
        self._analyze, self._watch = analyze, watch or (lambda _n: None)
        self._patience_s, self._file_patience_s = patience_s, max(patience_s, file_patience_s)
        self._guard = Lock()
        self._made: OrderedDict[tuple[int, str], LiveReport] = OrderedDict()
        self._at_work: dict[int, Future[LiveReport]] = {}
        self._stopped: dict[tuple[int, str], tuple[SideProcessError, float]] = {}
        self._marks = KnownMarks()
        self._beside: WeakKeyDictionary[Future[LiveReport], Any] = WeakKeyDictionary()

    def now(self, begin: Begin, study: StudyRow, name: str | None = None, filters: Filters = ALL) -> LiveReport:
        """The report with this name if it is cached, otherwise that of the current answers.

        Raises:
            StillComputingError: it is not there in time; it will be there for a later request.
        """
        self._forget_deleted(begin, study.id)
        kept = self._made.get((study.id, name)) if name else None
        made = kept or self._get(begin, study, self._file_patience_s, filters)
        if made is None:
            raise StillComputingError
        return made

    def soon(self, begin: Begin, study: StudyRow, filters: Filters = ALL) -> tuple[LiveReport | None, bool]:
        """The report of the current answers and True; or, after the waiting time, the last report if any and False.

        The computation continues in the background, and its result is available to later requests.
        """
        self._forget_deleted(begin, study.id)
        made = self._get(begin, study, self._patience_s, filters, is_page=True)
        return (made, True) if made else (self.latest(study.id, filters), False)

    def _get(
        self, begin: Begin, study: StudyRow, patience_s: float, filters: Filters, *, is_page: bool = False
    ) -> LiveReport | None:
        from app.actions.results.report import read_study

        deadline = time.monotonic() + patience_s
        while True:
            at_work, is_mine = self._at_work.get(study.id), False
            if at_work is None:
                # The transaction ends here: the pool has few connections, and estimates may take minutes.
                with begin() as db:
                    seen = self._marks.look(db, study, filters)
                    if seen and (kept := self._made.get((study.id, seen.name))):
                        return kept
                    if seen and (error := self._stopped_lately(study.id, seen.name)):
                        raise error
                    frames, protocol = read_study(db, study)
                at_work, is_mine = self._begin(study.id, frames, protocol, filters, seen)
                if is_page and len(frames.ratings) > MAX_AWAITED:
                    deadline = 0.0
            if not wait([at_work], max(0.0, deadline - time.monotonic())).done:
                return None
            if is_mine:
                return at_work.result()

    def _begin(
        self, study_id: int, frames: Frames, protocol: Protocol, filters: Filters, seen: Seen | None
    ) -> tuple[Future[LiveReport], bool]:
        """The future for this report and True; or that of an earlier report still being computed and False."""
        from app.actions.results.fingerprint import fingerprint

        name, read_at = fingerprint(frames, protocol, filters), datetime.now(UTC) - self._age
        future: Future[LiveReport] = Future()
        if seen:
            self._marks.keep(seen, name)
        with self._guard:
            if at_work := self._at_work.get(study_id):
                return at_work, False
            if self._is_settled(future, study_id, name):
                return future, True
            self._at_work[study_id] = future
            self._watch(len(self._at_work))

        def make() -> LiveReport:
            from app.analysis.data.filters.filtering import filtered_protocol, options_of

            report = self._analyze(frames, protocol, filters=filters)
            return LiveReport(name, read_at, report, filtered_protocol(protocol, filters), options_of(frames, protocol))

        Thread(
            target=self._settle, args=(future, study_id, name, make), name=f"report of study {study_id}", daemon=True
        ).start()
        return future, True

    def _is_settled(self, future: Future[LiveReport], study_id: int, name: str) -> bool:
        """Give the future the report, or its error, if this report was computed or stopped before."""
        if kept := self._made.get((study_id, name)):
            self._made.move_to_end((study_id, name))
            future.set_result(kept)
        elif error := self._stopped_lately(study_id, name):
            future.set_exception(error)
        return future.done()

    def _settle(self, future: Future[LiveReport], study_id: int, name: str, make: Callable[[], LiveReport]) -> None:
        """Compute the report; the future gets it, or the error."""
        try:
            made = make()
        except BaseException as error:  # noqa: BLE001 - it is raised again for those who wait
            if isinstance(error, SideProcessError):
                self._stopped[study_id, name] = error, time.monotonic()
            self._end(study_id, None)
            future.set_exception(error)
        else:
            self._end(study_id, made)
            future.set_result(made)

    def _end(self, study_id: int, made: LiveReport | None) -> None:
        with self._guard:
            del self._at_work[study_id]
            self._watch(len(self._at_work))
            if made:
                self._made[study_id, made.name] = made
            while len(self._made) > KEPT:
                self._made.popitem(last=False)

    def _stopped_lately(self, study_id: int, name: str) -> SideProcessError | None:
        """Why the same report was stopped recently, if it was; it would be stopped again for the same reason."""
        for key, (error, at) in list(self._stopped.items()):
            if time.monotonic() - at > (STOPPED_S if took_too_much(error) else ENDED_S):
                del self._stopped[key]
        stopped, _ = self._stopped.get((study_id, name), (None, 0))
        return stopped

    def _forget_deleted(self, begin: Begin, study_id: int) -> None:
        """Remove reports from before a rater's answers were deleted."""
        with begin() as db:
            deleted_at = get_last_deletion(db, study_id)
        with self._guard:
            for key, made in list(self._made.items()):
                if deleted_at and key[0] == study_id and made.read_at <= deleted_at:
                    del self._made[key]

    def beside(self, study_id: int, make: Callable[[], T]) -> T:
        """What `make` returns; called once for all pages that are shown while the same report is being computed."""
        at_work = self._at_work.get(study_id)
        if at_work is None:
            return make()
        if at_work not in self._beside:
            self._beside[at_work] = make()
        found: T = self._beside[at_work]
        return found

    def latest(self, study_id: int, filters: Filters = ALL) -> LiveReport | None:
        """The last report with these filters that is kept, of whatever answers."""
        with self._guard:
            mine = [made for (of, _), made in self._made.items() if of == study_id and made.filters == filters]
        return max(mine, key=lambda made: made.read_at, default=None)
