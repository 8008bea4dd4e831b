from __future__ import annotations

from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.analysis import analyze
from app.analysis.data.report_filters import ALL, Filters
from app.results.reports import recent_results
from app.results.reports.computing import ESTIMATING
from app.results.reports.live_report import LiveReports, StillComputingError
from app.studies.folder.read import read_files
from app.studies.load import load_study
from app.studies.studies import get_study
from tests.kit.reports_here import ReportsHere
from tests.kit.reports_once import AnalyzedOnce
from tests.kit.small import small

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from app.analysis.data.frames import Frames
    from app.analysis.report.report import Report
    from app.base.database.engine import Begin
    from app.protocol.study import Protocol
    from app.studies.studies import StudyRow

PATIENCE_S = 30
ANALYZED_ONCE = AnalyzedOnce(analyze)


class Maker:
    """Gives real reports, counts how often it is asked, signals when it has started, and waits until it may finish."""

    def __init__(self, *, may_end: bool = True) -> None:
        self.n_made, self.began, self.may_end = 0, Event(), Event()
        self.fails_with: Exception | None = None
        if may_end:
            self.may_end.set()

    def __call__(self, frames: Frames, protocol: Protocol, *, filters: Filters = ALL, **_: object) -> Report:
        self.n_made += 1
        self.began.set()
        assert self.may_end.wait(PATIENCE_S)
        if self.fails_with:
            raise self.fails_with
        return ANALYZED_ONCE(frames, protocol, filters=filters)


@pytest.fixture
def study(db: Connection) -> StudyRow:
    """A study with answers of every kind, whose report takes little time."""
    folder = read_files(small())
    load_study(db, folder)
    study = get_study(db, folder.protocol.slug)
    assert study is not None
    return study


@pytest.fixture
def begin(db: Connection) -> Begin:
    @contextmanager
    def begin() -> Iterator[Connection]:
        yield db

    return begin


def note_a_deletion(db: Connection, study: StudyRow) -> None:
    """Record a deletion as `delete_answers` does first; it deletes the answers and kept results then."""
    db.execute(
        text("""
        INSERT INTO withdrawals (study_id, token_hash, receipt, protocol_version, outcome, deleted_at)
        VALUES (:study, 'gone', 'AAAA-BBBB', 1, 'withdrew', clock_timestamp())
    """),
        {"study": study.id},
    )


def exclude_one(db: Connection, why: str) -> None:
    db.execute(text("UPDATE ratings SET exclude = :why WHERE id = (SELECT min(id) FROM ratings)"), {"why": why})


def test_report_is_reused_until_answers_change(db: Connection, begin: Begin, study: StudyRow) -> None:
    make = Maker()
    reports = LiveReports(ReportsHere(make))
    first = reports.now(begin, study)
    assert reports.now(begin, study) is first
    exclude_one(db, "a test")
    other = reports.now(begin, study)
    assert other.report.as_document() != first.report.as_document()
    assert make.n_made == 2


def test_page_keeps_its_named_report_after_new_answers(db: Connection, begin: Begin, study: StudyRow) -> None:
    reports = LiveReports(ReportsHere(Maker()), patience_s=PATIENCE_S)
    first = reports.now(begin, study)
    exclude_one(db, "a test")
    assert reports.now(begin, study, first.name) is first
    assert reports.now(begin, study, "a name that is not kept").name != first.name


def test_parts_of_a_page_whose_report_was_replaced_do_not_wait_for_the_next_one(
    db: Connection, begin: Begin, study: StudyRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each waited up to 90 s, so that a lead had no turn left for another page while raters answered."""
    monkeypatch.setattr(recent_results, "KEPT", 1)
    make = Maker()
    reports = LiveReports(ReportsHere(make), patience_s=0, file_patience_s=PATIENCE_S)
    first = reports.now(begin, study)
    exclude_one(db, "a test")
    second = reports.now(begin, study)
    exclude_one(db, "another test")
    make.may_end.clear()
    reports._file_patience_s = 0
    assert reports.now(begin, study, first.name) is second
    with pytest.raises(StillComputingError):
        reports.now(begin, study, first.name, after=second.read_at)
    with pytest.raises(StillComputingError):
        reports.now(begin, study)
    make.may_end.set()
    reports._file_patience_s = PATIENCE_S
    assert reports.now(begin, study, first.name, after=second.read_at).read_at > second.read_at


def test_page_returns_immediately_and_finds_report_later(begin: Begin, study: StudyRow) -> None:
    make = Maker(may_end=False)
    reports = LiveReports(ReportsHere(make), patience_s=0)
    assert reports.soon(begin, study) == (None, False)
    assert reports.soon(begin, study) == (None, False)
    make.may_end.set()
    made = reports.now(begin, study)
    assert reports.soon(begin, study) == (made, True)
    assert make.n_made == 1


def test_answers_are_counted_and_progress_is_told_until_there_is_a_report(begin: Begin, study: StudyRow) -> None:
    make = Maker(may_end=False)
    reports = LiveReports(ReportsHere(make), patience_s=0)
    assert reports.computing(study.id) is None
    reports.soon(begin, study)
    assert make.began.wait(PATIENCE_S)
    computing, first = reports.computing(study.id), reports.first_numbers(study.id)
    assert computing
    assert computing.step == ESTIMATING.step
    assert first
    assert first.results
    make.may_end.set()
    reports.now(begin, study)
    assert reports.computing(study.id) is None


def test_previous_report_is_shown_while_a_newer_one_is_computed(db: Connection, begin: Begin, study: StudyRow) -> None:
    make = Maker()
    reports = LiveReports(ReportsHere(make), patience_s=0)
    first = reports.now(begin, study)
    exclude_one(db, "a test")
    make.may_end.clear()
    assert reports.soon(begin, study) == (first, False)
    make.may_end.set()
    second = reports.now(begin, study)
    assert second.read_at > first.read_at
    assert reports.soon(begin, study) == (second, True)


def test_failed_report_raises_for_waiting_page_and_is_retried(begin: Begin, study: StudyRow) -> None:
    make = Maker()
    make.fails_with = MemoryError()
    reports = LiveReports(ReportsHere(make))
    with pytest.raises(MemoryError):
        reports.now(begin, study)
    make.fails_with = None
    assert reports.now(begin, study).report.estimates


def test_only_recent_reports_are_kept(
    db: Connection, begin: Begin, study: StudyRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent_results, "KEPT", 2)
    make = Maker()
    reports = LiveReports(ReportsHere(make))
    first = reports.now(begin, study)
    for n in range(2):
        exclude_one(db, f"reason {n}")
        reports.now(begin, study)
    assert reports.now(begin, study, first.name).name != first.name


def test_report_from_before_a_deletion_is_never_shown(db: Connection, begin: Begin, study: StudyRow) -> None:
    maker = Maker()
    reports = LiveReports(ReportsHere(maker), patience_s=PATIENCE_S)
    before, _ = reports.soon(begin, study)
    assert before
    note_a_deletion(db, study)
    maker.may_end.clear()
    reports._patience_s = 0
    assert reports.soon(begin, study) == (None, False)
    maker.may_end.set()
    after = reports.now(begin, study, before.name)
    assert after.read_at > before.read_at
    assert maker.n_made == 2
