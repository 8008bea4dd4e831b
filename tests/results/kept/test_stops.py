"""An attempt that was stopped by its limits is not repeated, by any process, without a reason."""

from __future__ import annotations

import time
from threading import Event
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from app.base.database.process_locks import is_locked
from app.base.processes.side_process import OutOfMemoryError, OutOfTimeError, SideProcessError
from app.results.reports import outcomes, recent_results, report_maker
from app.results.reports.computing import ELSEWHERE
from app.results.reports.kept_results import WORK, KeptResults
from app.results.reports.outcomes import ReportStoppedError, Shown, Stopped
from tests.results.kept.steps import change, until
from tests.results.reports.test_live_report import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from sqlalchemy import Engine

    from app.results.reports.known_marks import Seen
    from app.results.reports.live_report import LiveReports
    from app.studies.studies import StudyRow
    from tests.results.reports.test_live_report import Maker

OUT_OF_TIME = OutOfTimeError("The computation took more than 2 seconds of processor time and was stopped.")


def stop(reports: LiveReports, engine: Engine, study: StudyRow, after: datetime | None = None) -> Stopped:
    """Ask for a report, which is not there; return what stopped it."""
    with pytest.raises(ReportStoppedError) as raised:
        reports.now(engine.begin, study, after=after)
    return raised.value.stopped


@pytest.mark.parametrize("error", [OUT_OF_TIME, OutOfMemoryError()])
def test_no_process_repeats_what_was_stopped_by_its_limits(
    error: SideProcessError, process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    make.fails_with = error
    one = process()
    first = stop(one, engine, study)
    assert first.words == str(error)
    assert stop(one, engine, study) == stop(process(), engine, study) == first
    assert make.n_made == 1
    make.fails_with = None
    assert process(limits="more").now(engine.begin, study).report.estimates


def test_attempt_whose_process_was_killed_is_soon_repeated_and_not_kept(
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make.fails_with = SideProcessError()
    one = process()
    for ended_s in (60, 60, 0):
        monkeypatch.setattr(outcomes, "ENDED_S", ended_s)
        stop(one, engine, study)
    assert make.n_made == 2
    make.fails_with = None
    assert process().now(engine.begin, study).report.estimates


def test_stopped_attempt_is_repeated_after_newer_ratings_when_it_is_due(
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make.fails_with = OUT_OF_TIME
    monkeypatch.setattr(outcomes, "PACE", 1e6)
    first = stop(process(patience_s=0), engine, study)
    change(engine)
    assert stop(process(patience_s=0), engine, study) == first
    assert make.n_made == 1
    monkeypatch.setattr(outcomes, "PACE", 0)
    assert stop(process(patience_s=0), engine, study).read_at > first.read_at
    assert make.n_made == 2


def test_stopped_attempt_is_repeated_when_a_lead_asks_and_others_show_the_report(
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outcomes, "PACE", 0)
    one, other = process(), process()
    earlier = one.now(engine.begin, study)
    change(engine)
    make.fails_with = OUT_OF_TIME
    first = stop(one, engine, study)
    assert stop(other, engine, study) == first
    assert other.latest(study.id) == earlier
    second = stop(one, engine, study, after=first.read_at)
    assert stop(one, engine, study, after=first.read_at) == stop(other, engine, study) == second
    make.fails_with = None
    made = other.now(engine.begin, study, after=second.read_at)
    until(lambda: one.soon(engine.begin, study) == Shown(made, is_current=True))
    assert make.n_made == 4


def test_stopped_attempt_does_not_replace_a_later_report(
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not even if the process no longer remembers the attempt, which is still kept in the database."""
    monkeypatch.setattr(recent_results, "KEPT", 1)
    monkeypatch.setattr(outcomes, "PACE", 0)
    reports = process(patience_s=0)
    make.fails_with = OUT_OF_TIME
    stop(reports, engine, study)
    make.fails_with = None
    change(engine)
    made = reports.now(engine.begin, study)
    monkeypatch.setattr(outcomes, "PACE", 1e6)
    change(engine, "another")
    assert reports.now(engine.begin, study) == made
    assert make.n_made == 2


def test_process_that_waits_for_another_learns_that_it_was_stopped(
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    has_looked, is_kept = Event(), Event()
    keep = KeptResults.keep_stopped

    def keep_late(kept: KeptResults, study: StudyRow, seen: Seen, made: Stopped) -> None:
        has_looked.wait(2)
        keep(kept, study, seen, made)
        is_kept.set()

    def sleep(_: float) -> None:
        time.sleep(0.02)
        with engine.begin() as db:
            is_over = not is_locked(db, WORK, study.id)
        if is_over:
            has_looked.set()
            is_kept.wait(PATIENCE_S)

    monkeypatch.setattr(KeptResults, "keep_stopped", keep_late)
    monkeypatch.setattr(report_maker, "time", SimpleNamespace(monotonic=time.monotonic, sleep=sleep))
    make.fails_with = OUT_OF_TIME
    make.may_end.clear()
    one, other = process(patience_s=0), process(patience_s=0)
    one.soon(engine.begin, study)
    assert make.began.wait(PATIENCE_S)
    other.soon(engine.begin, study)
    until(lambda: (found := other.computing(study.id)) is not None and found.step == ELSEWHERE.step)
    make.may_end.set()
    assert stop(other, engine, study).words == str(OUT_OF_TIME)
    assert make.n_made == 1
