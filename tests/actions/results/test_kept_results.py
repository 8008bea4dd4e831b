"""Several server processes on one database: each shows what one of them has computed, and none computes it again."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.actions.process_bounds import SideProcessError
from app.actions.results import live_report
from app.actions.results.background_counts import count_large_studies
from app.actions.results.blinding import BlindedError
from app.actions.results.computing import ELSEWHERE
from app.actions.results.kept_results import WORK, KeptResults
from app.actions.results.live_report import LiveReports
from app.analysis.data.filters.report_filters import ALL, Filters
from app.exchange.folder.read import read_files
from app.storage.database.engine import transactions
from app.storage.database.process_locks import only_process
from app.storage.raters.withdrawals import delete_rows
from app.storage.results import kept_results as table
from app.storage.studies.life import delete_study
from app.storage.studies.load import load_study
from app.storage.studies.studies import get_study
from tests.actions.results.test_live_report import PATIENCE_S, Maker, exclude_one, note_a_deletion
from tests.exchange.small import small
from tests.reports_here import KeptHere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Engine

    from app.actions.results.computing import FirstNumbers
    from app.storage.studies.studies import StudyRow

SOURCES = Filters(sources=("person", "model-1"))


@pytest.fixture
def study(engine: Engine) -> StudyRow:
    """A small study whose data are committed."""
    with engine.begin() as db:
        load_study(db, read_files(small()))
        study = get_study(db, "small")
    assert study
    return study


@pytest.fixture
def make() -> Maker:
    """What computes the reports of all processes."""
    return Maker()


@pytest.fixture
def process(engine: Engine, make: Maker) -> Iterator[Callable[..., LiveReports]]:
    """Each call returns what a new server process has; their work ends with the test."""
    started = []

    def new(patience_s: float = PATIENCE_S) -> LiveReports:
        reports = LiveReports(KeptHere(engine, make), KeptResults(transactions(engine)), patience_s=patience_s)
        started.append(reports)
        return reports

    yield new
    make.may_end.set()
    until(lambda: not any(reports._at_work for reports in started))


def change(engine: Engine, why: str = "a test") -> None:
    with engine.begin() as db:
        exclude_one(db, why)


def n_kept(engine: Engine) -> int:
    with engine.begin() as db:
        return int(db.execute(text("SELECT count(*) FROM kept_results WHERE part <> 'counts'")).scalar_one())


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
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
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
    monkeypatch.setattr(live_report, "LOOK_S", 0.05)
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
    monkeypatch.setattr(live_report, "LOOK_S", 0.05)
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


def test_results_are_deleted_with_a_raters_answers(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    before = process().now(engine.begin, study)
    with engine.begin() as db:
        note_a_deletion(db, study)
    make.may_end.clear()
    second = process(patience_s=0)
    assert second.soon(engine.begin, study) == (None, False)
    make.may_end.set()
    after = second.now(engine.begin, study)
    assert after.read_at > before.read_at


def test_deletion_of_a_raters_answers_deletes_kept_results(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow
) -> None:
    process().now(engine.begin, study)
    with engine.begin() as db:
        delete_rows(db, study.id, session_id=1, rater_id=1, receipt="AAAA-BBBB")
    assert n_kept(engine) == 0


def test_results_read_before_a_deletion_are_not_kept(engine: Engine, study: StudyRow, make: Maker) -> None:
    kept = KeptResults(transactions(engine))
    made = LiveReports(KeptHere(engine, make), kept, patience_s=PATIENCE_S).now(engine.begin, study)
    found = kept.report(study, ALL, None)
    assert found
    with engine.begin() as db:
        db.execute(text("DELETE FROM kept_results"))
        note_a_deletion(db, study)
    kept.keep_report(study, found[1], made)
    assert n_kept(engine) == 0


def test_results_are_deleted_with_the_study(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow
) -> None:
    process().now(engine.begin, study)
    assert n_kept(engine) == 1
    with engine.begin() as db:
        delete_study(db, study.id)
    assert n_kept(engine) == 0


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
    for change in ("UPDATE kept_results SET program = 'another'", "UPDATE kept_results SET content = 'x'"):
        with engine.begin() as db:
            db.execute(text(change))
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


def count(engine: Engine, make: Maker) -> list[str]:
    """Look at the ratings as the database does after they have grown, then count in the background."""
    with engine.begin() as db:
        db.execute(text("ANALYZE ratings"))
    return count_large_studies(transactions(engine), KeptHere(engine, make))


@pytest.mark.usefixtures("study")
def test_large_studies_are_counted_when_they_have_grown(
    engine: Engine, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert count(engine, make) == []
    monkeypatch.setattr("app.actions.results.background_counts.MANY", 3)
    assert count(engine, make) == ["small"]
    assert count(engine, make) == []
    with engine.begin() as db:
        db.execute(text("UPDATE kept_results SET n_ratings = n_ratings - n_ratings / 5"))
    assert count(engine, make) == ["small"]
    with engine.begin() as db:
        db.execute(text("UPDATE studies SET status = status"))
        db.execute(text("UPDATE protocols SET version = version"))
    assert count(engine, make) == ["small"]
    assert make.n_made == 0


def test_first_page_has_the_counts_of_the_background_until_leads_decide_something_else(
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.actions.results.background_counts.MANY", 3)
    count(engine, make)
    make.may_end.clear()

    def first(reports: LiveReports) -> FirstNumbers | None:
        assert reports.soon(engine.begin, study) == (None, False)
        return reports.first_numbers(study.id)

    with only_process(engine, WORK, study.id):  # so that no page counts
        reports = process(patience_s=0)
        found = first(reports)
        assert found
        assert found.results
        with engine.begin() as db:
            db.execute(
                text("""
                INSERT INTO rater_exclusions (study_id, rater_id, is_excluded, reason)
                SELECT study_id, min(id), true, '-' FROM raters GROUP BY study_id
            """)
            )
        assert first(reports) is None
        assert first(process(patience_s=0)) is None
        make.may_end.set()


def test_study_with_a_report_or_hidden_estimates_is_not_counted(
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.actions.results.background_counts.MANY", 3)
    with monkeypatch.context() as patch:
        patch.setattr("app.actions.results.background_counts.is_blinded", lambda *_: True)
        assert count(engine, make) == []
    with only_process(engine, WORK, study.id):
        assert count(engine, make) == []
    process().now(engine.begin, study)
    with engine.begin() as db:
        db.execute(text("DELETE FROM kept_results WHERE part = 'counts'"))
    assert count(engine, make) == []


def test_report_that_was_stopped_is_not_kept(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    make.fails_with = SideProcessError()
    with pytest.raises(SideProcessError):
        process().now(engine.begin, study)
    assert n_kept(engine) == 0
    make.fails_with = None
    assert process().now(engine.begin, study).report.estimates


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)
