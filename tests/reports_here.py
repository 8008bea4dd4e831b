"""Reports computed in the test's own process, on its own transaction, which no other process could read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.actions.results.computing import compute, first_numbers, read_for_report

if TYPE_CHECKING:
    from collections.abc import Collection

    from app.actions.results.computing import Analyze, FirstNumbers, LiveReport, ReadStudy, Tell
    from app.analysis.data.filters.report_filters import Filters
    from app.storage.database.engine import Begin
    from app.storage.studies.studies import StudyRow


@dataclass(frozen=True)
class PreparedHere:
    """What was read and counted in the thread of the request; `analyze` is called in the background."""

    first: FirstNumbers
    read: ReadStudy
    analyze: Analyze

    def count(self, _: Tell) -> FirstNumbers:
        return self.first

    def report(self, _: int, settled: Collection[str], tell: Tell) -> LiveReport | str:
        return compute(self.read, settled, tell, self.analyze)


class ReportsHere:
    """In the place of `ReportWork`: `analyze` computes the reports."""

    def __init__(self, analyze: Analyze) -> None:
        self._analyze = analyze

    def prepare(self, begin: Begin, study: StudyRow, filters: Filters) -> PreparedHere:
        return PreparedHere(first_numbers(begin, study), read_for_report(begin, study, filters), self._analyze)
