"""Reports computed in the test's own process, on its own transaction, which no other process could read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from app.base.database.engine import transactions
from app.results.reports.computed_once import ComputedOnce
from app.results.reports.computing import compute, first_numbers, read_for_report

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Engine

    from app.analysis.data.report_filters import Filters
    from app.base.database.engine import Begin
    from app.results.reports.computing import Analyze, FirstNumbers, LiveReport, ReadStudy, Tell
    from app.results.reports.known_marks import Seen
    from app.studies.studies import StudyRow


@dataclass(frozen=True)
class PreparedHere:
    """What was read and counted in the thread of the request; `analyze` is called in the background."""

    first: FirstNumbers
    read: ReadStudy
    analyze: Analyze

    def count(self, _seen: Seen | None, _: Tell) -> FirstNumbers:
        return self.first

    def report(self, _: Seen | None, settled: Collection[str], tell: Tell) -> LiveReport | str:
        return compute(self.read, settled, tell, self.analyze)


class ReportsHere:
    """In the place of `ReportWork`: `analyze` computes the reports."""

    def __init__(self, analyze: Analyze) -> None:
        self._analyze = analyze

    def prepare(self, begin: Begin, study: StudyRow, filters: Filters) -> PreparedHere:
        return PreparedHere(first_numbers(begin, study), read_for_report(begin, study, filters), self._analyze)


@dataclass(frozen=True)
class PreparedOnce:
    """The computations as in a side process, in the thread that asks."""

    engine: Engine
    study: StudyRow
    filters: Filters
    analyze: Analyze

    def count(self, seen: Seen | None, tell: Tell) -> FirstNumbers:
        return self._once(tell).count(self.study, seen)

    def report(self, seen: Seen | None, settled: Collection[str], tell: Tell) -> LiveReport | str:
        return self._once(tell).report(self.study, self.filters, seen, settled, self.analyze)

    def _once(self, tell: Tell) -> ComputedOnce:
        return ComputedOnce(self.engine, transactions(self.engine), timedelta(), tell)


@dataclass(frozen=True)
class KeptHere:
    """In the place of `ReportWork`, with what it keeps and locks on a database of its own."""

    engine: Engine
    analyze: Analyze

    def prepare(self, _: Begin, study: StudyRow, filters: Filters) -> PreparedOnce:
        return PreparedOnce(self.engine, study, filters, self.analyze)
