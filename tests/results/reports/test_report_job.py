"""Reports are computed by jobs in processes of their own, within limits, and told how far they are."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NoReturn

import pytest
from sqlalchemy import Engine

from app.analysis.data.report_filters import ALL
from app.analysis.report.report import Report
from app.analysis.report.stored_report import stored_text
from app.base.jobs.children import Children
from app.base.processes.side_process import SideProcessError
from app.results.data.study_mark import get_data
from app.results.making.bounded_jobs import Place, ReportBounds
from app.results.reports import report_job
from app.results.reports.kept_results import get_outline
from app.results.reports.live_report import LiveReports
from app.results.reports.outcomes import ESTIMATING, READING, Computing, ReportStoppedError
from app.results.reports.report_job import LARGE, QUICK, ReportJobs, compute, get_report_progress
from app.studies.folder.read import read_folder
from app.studies.load import load_study
from app.studies.studies import StudyRow, get_study
from tests.analysis.golden import HERE
from tests.kit import bad_work
from tests.kit.study_report import report_of_study


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    """The processes of all tests here: each takes seconds to start, and is started again if it ended."""
    children = Children()
    yield children
    children.stop()


@pytest.fixture
def jobs(engine: Engine, children: Children) -> Callable[..., ReportJobs]:
    """Each call returns what does the jobs, with limits of its own."""
    url = engine.url.render_as_string(hide_password=False)

    def new(bounds: ReportBounds | None = None) -> ReportJobs:
        return ReportJobs(engine.begin, lambda: Place(url, url), bounds or ReportBounds(), children)

    return new


def test_report_of_a_job_is_that_of_the_study_with_its_progress(
    engine: Engine, jobs: Callable[..., ReportJobs]
) -> None:
    with engine.begin() as db:
        load_study(db, read_folder(HERE / "epitome"))
        study = get_study(db, "epitome")
        assert study
        expected = report_of_study(db, study)[0]
        data = get_data(db, study.id)
    told: list[Computing] = []
    pages = LiveReports(engine.begin, ask=lambda *_: None, patience_s=0)

    def analyze(*given: object, **more: object) -> Report:
        assert pages.soon(engine.begin, study).early is None
        more["first"](replace(expected, estimates=()))  # type: ignore[operator]  # as below
        made, _, _, _, early = pages.soon(engine.begin, study)
        assert made is None
        assert early
        assert early.report.primary == expected.primary
        for n in (1, 2):
            more["watch"](n, 4)  # type: ignore[operator]  # of the protocol `Analyze`
        return expected

    compute(engine.begin, engine.begin, study, ALL, data, analyze, tell=told.append)
    assert [(one.step, one.share) for one in told] == [
        (READING.step, READING.share),
        (ESTIMATING.step, ESTIMATING.share),
        ("Computing the estimates: part 2 of 4", pytest.approx(0.55)),
        ("Computing the estimates: part 3 of 4", pytest.approx(0.7)),
    ]
    with engine.begin() as db:
        assert get_outline(db, study.id, "report")
        assert get_outline(db, study.id, "answer") is None
        db.exec_driver_sql("DELETE FROM kept_results")
    jobs().work(QUICK, study.id, stored_text(ALL))
    made = LiveReports(engine.begin, patience_s=0).now(engine.begin, study)
    assert made.report.as_document() == expected.as_document()


def test_job_computes_nothing_where_the_report_is_kept_or_the_study_is_gone(
    engine: Engine, study: StudyRow, jobs: Callable[..., ReportJobs], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = jobs()
    one.work(QUICK, study.id, stored_text(ALL))
    monkeypatch.setattr(one, "_compute", bad_work.die)
    one.work(QUICK, study.id, stored_text(ALL))
    one.work(QUICK, study.id + 1, stored_text(ALL))


@pytest.mark.parametrize(
    ("work", "words"),
    [(bad_work.work_for_ever, "more than 2 seconds of processor time"), (bad_work.take_memory, "more than 300 MB")],
)
def test_a_report_that_takes_too_much_says_so(
    work: Callable[..., NoReturn],
    words: str,
    engine: Engine,
    study: StudyRow,
    jobs: Callable[..., ReportJobs],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report_job, "compute_there", work)
    bounds = ReportBounds(seconds=2, memory_mb=300)
    jobs(bounds).work(QUICK, study.id, stored_text(ALL))
    with pytest.raises(ReportStoppedError, match=words):
        LiveReports(engine.begin, bounds.in_words, patience_s=0).now(engine.begin, study)


@pytest.mark.slow
def test_job_whose_process_ends_is_to_be_repeated(
    engine: Engine, study: StudyRow, jobs: Callable[..., ReportJobs], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = jobs()
    with monkeypatch.context() as patch:
        patch.setattr(report_job, "compute_there", bad_work.die)
        with pytest.raises(SideProcessError):
            one.work(QUICK, study.id, stored_text(ALL))
    with engine.begin() as db:
        assert get_outline(db, study.id, "report") is None
    one.work(QUICK, study.id, stored_text(ALL))
    with engine.begin() as db:
        assert get_outline(db, study.id, "report")


def test_large_study_asks_in_the_lane_for_large_reports(
    engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_job, "QUICK_RATINGS", 1)
    LiveReports(engine.begin, patience_s=0).soon(engine.begin, study)
    with engine.begin() as db:
        [name] = db.exec_driver_sql("SELECT task_name FROM procrastinate_jobs").scalars()
        assert get_report_progress(db, study.id, ALL)
    assert name == LARGE.name
