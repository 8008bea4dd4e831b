"""The reports and counts that a process remembers; what other processes have kept is taken over when it is newer."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from app.results.reports.computing import LiveReport
from app.results.reports.kept_results import has_grown
from app.results.reports.known_marks import MANY
from app.results.reports.outcomes import Stopped
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.analysis.data.report_filters import Filters
    from app.results.reports.computing import FirstNumbers
    from app.results.reports.kept_results import KeptResults
    from app.results.reports.known_marks import KnownMarks, Seen
    from app.results.reports.outcomes import Outcome

# A page, its charts and its files request the same report within seconds.
KEPT = 8
One = TypeVar("One", LiveReport, Stopped)


class RecentResults:
    """The most recent reports by study and name, and the counts by study."""

    def __init__(self, kept: KeptResults | None, marks: KnownMarks) -> None:
        """`marks` learns what is taken over from `kept`."""
        self._kept, self._marks = kept, marks
        self._guard = Lock()
        self._outcomes: OrderedDict[tuple[int, str], Outcome] = OrderedDict()
        self._first: OrderedDict[int, tuple[FirstNumbers, Seen | None]] = OrderedDict()

    def get(self, study_id: int, name: str) -> Outcome | None:
        """The report or stopped attempt of this name if it is here."""
        return self._outcomes.get((study_id, name))

    def find(self, study: StudyRow, filters: Filters, name: str) -> LiveReport | None:
        """The report of this name, here or kept."""
        if (study.id, name) not in self._outcomes:
            self.recall(study, filters)
        found = self.get(study.id, name)
        return found if isinstance(found, LiveReport) else None

    def names(self, study_id: int) -> set[str]:
        """The names of the study's reports that are here."""
        with self._guard:
            return {
                name for (of, name), one in self._outcomes.items() if of == study_id and isinstance(one, LiveReport)
            }

    def latest(self, study_id: int, filters: Filters) -> LiveReport | None:
        """The last report with these filters that is here, of whatever answers."""
        return self._latest(LiveReport, study_id, filters)

    def _latest(self, kind: type[One], study_id: int, filters: Filters) -> One | None:
        with self._guard:
            mine = [one for (of, _), one in self._outcomes.items() if of == study_id and one.filters == filters]
        return max((one for one in mine if isinstance(one, kind)), key=lambda one: one.read_at, default=None)

    def first_numbers(self, study_id: int) -> FirstNumbers | None:
        """The counts of the study."""
        first = self._first.get(study_id)
        return first[0] if first else None

    def are_counted(self, study_id: int, seen: Seen | None) -> bool:
        """Whether there are counts of nearly as many ratings as were seen."""
        first = self._first.get(study_id)
        return bool(first and first[1] and seen and not has_grown(first[1].n_ratings, seen.n_ratings))

    def is_slow(self, study_id: int) -> bool:
        """Whether there are counts of so many ratings that a report takes longer than a page should wait."""
        first = self._first.get(study_id)
        return bool(first and first[1] and first[1].n_ratings > MANY)

    def put(self, study_id: int, outcome: Outcome) -> None:
        """Remember a report or a stopped attempt."""
        with self._guard:
            self._outcomes[study_id, outcome.name] = outcome
            self._outcomes.move_to_end((study_id, outcome.name))
            while len(self._outcomes) > KEPT:
                self._outcomes.popitem(last=False)

    def put_counts(self, study_id: int, first: FirstNumbers, seen: Seen | None) -> None:
        """Remember counts."""
        with self._guard:
            self._first[study_id] = first, seen
            self._first.move_to_end(study_id)
            while len(self._first) > KEPT:
                self._first.popitem(last=False)

    def recall(self, study: StudyRow, filters: Filters) -> bool:
        """Take over a report that is newer than that here, and a later stopped attempt; whether there are any.

        A report from before a stopped attempt that is here is taken over too, to be shown beside it; the attempt
        remains the last one.
        """
        if self._kept is None:
            return False
        report = self._latest(LiveReport, study.id, filters)
        stopped = self._latest(Stopped, study.id, filters)
        last = max((one.read_at for one in (report, stopped) if one), default=None)
        found: tuple[tuple[Outcome, Seen] | None, ...] = (
            self._kept.report(study, filters, report.read_at if report else None),
            self._kept.stopped(study, filters, last),
        )
        newer = sorted(filter(None, found), key=lambda one: one[0].read_at)
        for outcome, seen in newer:
            self.put(study.id, outcome)
            if last is None or outcome.read_at > last:
                self._marks.keep(seen, outcome.name)
        return bool(newer)

    def recall_counts(self, study: StudyRow, seen: Seen | None) -> None:
        """Take over newer counts; forget those from before something that leads decided."""
        if seen is None or seen.key.filters:
            return
        with self._guard:
            first = self._first.get(study.id)
            if first and first[1] and first[1].key != seen.key:
                del self._first[study.id]
                first = None
        found = self._kept.counts(study, seen, first[0].read_at if first else None) if self._kept else None
        if found:
            self.put_counts(study.id, *found)

    def forget(self, study_id: int, n_deleted: int) -> None:
        """Remove reports and counts from before the answers of the last of so many raters were deleted."""
        with self._guard:
            for key, made in list(self._outcomes.items()):
                if key[0] == study_id and made.n_deleted < n_deleted:
                    del self._outcomes[key]
            first = self._first.get(study_id)
            if first and first[0].n_deleted < n_deleted:
                del self._first[study_id]
