"""Reports computed in the test's own process: on its own transaction, which no other process could read, or by jobs."""

from contextlib import AbstractContextManager, nullcontext
from functools import partial

import pytest
from sqlalchemy import Connection, Engine, text

from app.analysis.data.report_filters import Filters
from app.analysis.report.stored_report import stored_text
from app.base.database.engine import Begin
from app.base.jobs.children import Children
from app.base.jobs.queue import Kind
from app.base.jobs.worker import Work
from app.base.processes.side_process import SideProcessError
from app.results.data import study_mark
from app.results.data.study_mark import Data
from app.results.making.bounded_jobs import Place, ReportBounds
from app.results.reports.live_report import LiveReports
from app.results.reports.report_job import LARGE, QUICK, Analyze, ReportJobs, compute
from app.studies.studies import StudyRow


class JobsHere(ReportJobs):
    """Jobs without a process of their own: `analyze` computes the reports."""

    def __init__(self, begin: Begin, analyze: Analyze, bounds: ReportBounds | None = None) -> None:
        super().__init__(begin, lambda: Place("", ""), bounds or ReportBounds(), Children())
        self._analyze = analyze

    def _reading(self, _: Place) -> AbstractContextManager[Begin]:
        return nullcontext(self._begin)

    def _compute(self, _kind: Kind, _place: Place, study: StudyRow, filters: Filters, data: Data) -> None:
        compute(self._begin, self._begin, study, filters, data, self._analyze)


def reports_here(begin: Begin, analyze: Analyze, *, patience_s: float = 600) -> LiveReports:
    """Reports that are computed where they are asked for. The last attempt is the first."""
    jobs = JobsHere(begin, analyze)

    def ask(_: Connection, study: StudyRow, filters: Filters, __: Data) -> None:
        given = study.id, stored_text(filters)
        try:
            jobs.work(LARGE, *given)
        except SideProcessError:
            jobs.give_up(LARGE, *given)

    return LiveReports(begin, ReportBounds().in_words, ask=ask, patience_s=patience_s)


def works_here(engine: Engine, analyze: Analyze, bounds: ReportBounds | None = None) -> list[Work]:
    """The work for reports of a worker on a database of the test's own."""
    jobs = JobsHere(engine.begin, analyze, bounds)
    return [Work(kind, partial(jobs.work, kind), 0, give_up=partial(jobs.give_up, kind)) for kind in (QUICK, LARGE)]


@pytest.fixture
def exact_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Marks that see changes within one transaction, which those of the application do not."""
    for name, tables in (("_MARK", study_mark._FROM), ("_DECISIONS", study_mark._DECIDED)):
        query = " UNION ALL ".join(
            f"SELECT {n} AS place, count(*) AS n, sum(hashtext(CAST({rows.split()[0]} AS text))) AS written FROM {rows}"  # noqa: S608
            for n, rows in enumerate(tables)
        )
        monkeypatch.setattr(study_mark, name, text(query))
