"""Several web processes on one database: each shows what a worker has computed, and none asks for it again."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from app.analysis.data.report_filters import ALL, Filters
from app.base.jobs.worker import Worker
from app.base.problem import BlindedError
from app.results.reports import kept_results as table
from app.results.reports import live_report, outcomes
from app.results.reports.live_report import LiveReports
from app.results.reports.outcomes import StillComputingError
from app.studies.studies import StudyRow, delete_study
from tests.results.kept.conftest import Maker
from tests.results.kept.steps import PATIENCE_S, change, n_kept, until

SOURCES = Filters(sources=("person", "model-1"))


@pytest.mark.parametrize("filters", [ALL, SOURCES])
def test_new_process_shows_the_kept_report_and_computes_nothing(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker, filters: Filters
) -> None:
    first = process().soon(engine.begin, study, filters)
    again = process().soon(engine.begin, study, filters)
    assert again == first
    assert again.is_current
    assert make.n_made == 1


def test_new_process_shows_earlier_results_while_newer_ones_are_computed(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "PACE", 0)
    before = process().now(engine.begin, study)
    change(engine)
    make.may_end.clear()
    second = process(patience_s=0.2)
    shown = second.soon(engine.begin, study)
    assert (shown.made, shown.is_current) == (before, False)
    assert shown.computing
    make.may_end.set()
    after = second.now(engine.begin, study)
    assert after.read_at > before.read_at
    assert process().now(engine.begin, study) == after
    assert make.n_made == 2


def test_two_processes_and_two_workers_compute_a_report_once(
    process: Callable[..., LiveReports], worker: Callable[[], Worker], engine: Engine, study: StudyRow, make: Maker
) -> None:
    worker()
    make.may_end.clear()
    one, other = process(patience_s=0), process(patience_s=0)
    for reports in (one, other, one):
        shown = reports.soon(engine.begin, study)
        assert shown.made is None
        assert shown.computing
    assert make.began.wait(PATIENCE_S)
    assert other.soon(engine.begin, study).computing
    make.may_end.set()
    assert other.now(engine.begin, study) == one.now(engine.begin, study)
    assert make.n_made == 1


def test_page_keeps_its_named_report_after_new_answers(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow
) -> None:
    reports = process()
    first = reports.now(engine.begin, study)
    change(engine)
    second = reports.now(engine.begin, study)
    assert second.report.as_document() != first.report.as_document()
    assert reports.now(engine.begin, study, first.name) is first
    assert reports.now(engine.begin, study, "a name that is not kept") is second


def test_parts_of_a_page_whose_report_was_replaced_do_not_wait_for_the_next_one(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each waited up to 90 s, so that a lead had no turn left for another page while raters answered."""
    monkeypatch.setattr(live_report, "MAX_READ", 1)
    one, other = process(), process()
    first = one.now(engine.begin, study)
    change(engine)
    second = other.now(engine.begin, study)
    change(engine, "another")
    make.may_end.clear()
    other._file_patience_s = 0
    assert other.now(engine.begin, study, first.name) is second
    with pytest.raises(StillComputingError):
        other.now(engine.begin, study, first.name, after=second.read_at)
    with pytest.raises(StillComputingError):
        other.now(engine.begin, study)
    make.may_end.set()
    other._file_patience_s = PATIENCE_S
    assert other.now(engine.begin, study, first.name, after=second.read_at).read_at > second.read_at


def test_file_of_a_page_finds_the_report_that_another_process_showed(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    one, other = process(), process()
    other.now(engine.begin, study)
    change(engine)
    shown = one.now(engine.begin, study)
    assert other.now(engine.begin, study, shown.name) == shown
    assert make.n_made == 2


def test_blinded_study_shows_no_kept_results(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    process().now(engine.begin, study)

    def refuse(*_: object) -> None:
        raise BlindedError

    monkeypatch.setattr(live_report, "refuse_if_blinded", refuse)
    with pytest.raises(BlindedError):
        process().soon(engine.begin, study)


def test_report_of_another_program_or_that_cannot_be_read_is_computed_again(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    first = process().now(engine.begin, study)
    for statement in ("UPDATE kept_results SET program = 'another'", "UPDATE kept_results SET content = 'x'"):
        with engine.begin() as db:
            db.execute(text(statement))
        again = process().now(engine.begin, study)
        assert again.report == first.report
    assert make.n_made == 3
    process().now(engine.begin, study)
    assert make.n_made == 3


def test_same_data_with_another_mark_are_computed_once(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    first = process().now(engine.begin, study)
    with engine.begin() as db:
        db.execute(text("UPDATE ratings SET number = number"))
    for _ in range(2):
        again = process().soon(engine.begin, study)
        assert again.made == first
        assert again.is_current
    assert make.n_made == 1


def test_few_reports_are_kept_for_each_study(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "MAX_KEPT", 2)
    reports = process()
    for filters in (ALL, SOURCES, Filters(without_flagged=True)):
        reports.now(engine.begin, study, filters=filters)
    assert n_kept(engine) == 2


def test_job_of_a_study_that_was_deleted_ends(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    make.may_end.clear()
    process(patience_s=0).soon(engine.begin, study)
    assert make.began.wait(PATIENCE_S)
    with engine.begin() as db:
        delete_study(db, study.id)
    make.may_end.set()
    until(lambda: n_jobs(engine) == 0)
    assert n_kept(engine) == 0
    assert make.n_made == 1


def n_jobs(engine: Engine) -> int:
    with engine.begin() as db:
        return int(db.execute(text("SELECT count(*) FROM procrastinate_jobs")).scalar_one())
