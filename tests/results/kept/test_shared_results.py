"""Several server processes on one database: each shows what one of them has computed, and none computes it again."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.analysis.data.report_filters import ALL, Filters
from app.base.database.process_locks import only_process
from app.base.problem import BlindedError
from app.base.processes.side_process import SideProcessError
from app.results.reports import kept_results as table
from app.results.reports import live_report, outcomes, report_maker
from app.results.reports.computing import ELSEWHERE
from app.results.reports.kept_results import WORK
from tests.results.kept.steps import change, n_kept, until
from tests.results.reports.test_live_report import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

    from app.results.reports.live_report import LiveReports
    from app.studies.studies import StudyRow
    from tests.results.reports.test_live_report import Maker


SOURCES = Filters(sources=("person", "model-1"))


@pytest.mark.parametrize("filters", [ALL, SOURCES])
def test_new_process_shows_the_kept_report_and_computes_nothing(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker, filters: Filters
) -> None:
    made, _ = process().soon(engine.begin, study, filters)
    again, is_current = process().soon(engine.begin, study, filters)
    assert again == made
    assert is_current
    assert make.n_made == 1


def test_new_process_shows_earlier_results_while_it_computes_newer_ones(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "PACE", 0)
    before = process().now(engine.begin, study)
    change(engine)
    make.may_end.clear()
    second = process(patience_s=0.2)
    assert second.soon(engine.begin, study) == (before, False)
    assert second.computing(study.id)
    make.may_end.set()
    after = second.now(engine.begin, study)
    assert after.read_at > before.read_at
    assert process().now(engine.begin, study) == after
    assert make.n_made == 2


def test_other_process_waits_for_a_report_and_does_not_compute_it(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_maker, "LOOK_S", 0.05)
    make.may_end.clear()
    one, other = process(patience_s=0), process(patience_s=0)
    assert one.soon(engine.begin, study) == (None, False)
    assert make.began.wait(PATIENCE_S)
    assert other.soon(engine.begin, study) == (None, False)
    until(lambda: (found := other.computing(study.id)) is not None and found.step == ELSEWHERE.step)
    until(lambda: (found := other.computing(study.id)) is not None and found.share == 0.4)
    assert other.first_numbers(study.id)
    make.may_end.set()
    assert other.now(engine.begin, study) == one.now(engine.begin, study)
    assert make.n_made == 1


def test_file_of_a_page_finds_the_report_of_the_process_that_showed_it(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    one, other = process(), process()
    other.now(engine.begin, study)
    change(engine)
    shown = one.now(engine.begin, study)
    assert other.now(engine.begin, study, shown.name) == shown
    assert make.n_made == 2


def test_process_that_ends_frees_the_study(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_maker, "LOOK_S", 0.05)
    lock = only_process(engine, WORK, study.id)
    held = lock.__enter__()
    held.say("0.70")
    waiting = process(patience_s=0)
    waiting.soon(engine.begin, study)
    until(lambda: waiting.computing(study.id) == replace(ELSEWHERE, share=0.7))
    with engine.begin() as db:  # PostgreSQL does the same when a process is killed: its connection is gone
        db.execute(text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"))
    started = time.monotonic()
    assert waiting.now(engine.begin, study).report.estimates
    assert time.monotonic() - started < PATIENCE_S / 3
    held.say("1.00")
    lock.__exit__(None, None, None)


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
    assert process().now(engine.begin, study).name == first.name
    with engine.begin() as db:
        mark = db.execute(text("SELECT mark FROM kept_results WHERE part = 'report'")).scalar_one()
    process().now(engine.begin, study)
    with engine.begin() as db:
        assert db.execute(text("SELECT mark FROM kept_results WHERE part = 'report'")).scalar_one() == mark
    assert make.n_made == 1


def test_few_reports_are_kept_for_each_study(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "MAX_KEPT", 2)
    reports = process()
    for filters in (ALL, SOURCES, Filters(without_flagged=True)):
        reports.now(engine.begin, study, filters=filters)
    assert n_kept(engine) == 2


def test_report_that_was_stopped_is_not_kept(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    make.fails_with = SideProcessError()
    with pytest.raises(SideProcessError):
        process().now(engine.begin, study)
    assert n_kept(engine) == 0
    make.fails_with = None
    assert process().now(engine.begin, study).report.estimates
