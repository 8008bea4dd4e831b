"""The reports and counts that a process remembers; what other processes have kept is taken over when it is newer."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from app.actions.results.kept_results import has_grown
from app.actions.results.known_marks import MANY

if TYPE_CHECKING:
    from app.actions.results.computing import FirstNumbers, LiveReport
    from app.actions.results.kept_results import KeptResults
    from app.actions.results.known_marks import KnownMarks, Seen
    from app.analysis.data.filters.report_filters import Filters
    from app.storage.studies.studies import StudyRow

# A page, its charts and its files request the same report within seconds.
KEPT = 8


class RecentResults:
    """The most recent reports by study and name, and the counts by study."""

    def __init__(self, kept: KeptResults | None, marks: KnownMarks) -> None:
        """`marks` learns what is taken over from `kept`."""
        self._kept, self._marks = kept, marks
        self._guard = Lock()
        self._made: OrderedDict[tuple[int, str], LiveReport] = OrderedDict()
        self._first: OrderedDict[int, tuple[FirstNumbers, Seen | None]] = OrderedDict()

    def get(self, study_id: int, name: str) -> LiveReport | None:
        """The report of this name if it is here."""
        return self._made.get((study_id, name))

    def find(self, study: StudyRow, filters: Filters, name: str) -> LiveReport | None:
        """The report of this name, here or kept."""
        if (study.id, name) not in self._made:
            self.recall(study, filters)
        return self.get(study.id, name)

    def names(self, study_id: int) -> set[str]:
        """The names of the study's reports that are here."""
        with self._guard:
            return {name for of, name in self._made if of == study_id}

    def latest(self, study_id: int, filters: Filters) -> LiveReport | None:
        """The last report with these filters that is here, of whatever answers."""
        with self._guard:
            mine = [made for (of, _), made in self._made.items() if of == study_id and made.filters == filters]
        return max(mine, key=lambda made: made.read_at, default=None)

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

    def put(self, study_id: int, made: LiveReport) -> None:
        """Remember a report."""
        with self._guard:
            self._made[study_id, made.name] = made
            self._made.move_to_end((study_id, made.name))
            while len(self._made) > KEPT:
                self._made.popitem(last=False)

    def put_counts(self, study_id: int, first: FirstNumbers, seen: Seen | None) -> None:
        """Remember counts."""
        with self._guard:
            self._first[study_id] = first, seen
            self._first.move_to_end(study_id)
            while len(self._first) > KEPT:
                self._first.popitem(last=False)

    def recall(self, study: StudyRow, filters: Filters) -> None:
        """Take over the kept report if it is newer than the one here."""
        latest = self.latest(study.id, filters)
        found = self._kept.report(study, filters, latest.read_at if latest else None) if self._kept else None
        if found:
            made, seen = found
            self.put(study.id, made)
            self._marks.keep(seen, made.name)

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
            for key, made in list(self._made.items()):
                if key[0] == study_id and made.n_deleted < n_deleted:
                    del self._made[key]
            first = self._first.get(study_id)
            if first and first[0].n_deleted < n_deleted:
                del self._first[study_id]
