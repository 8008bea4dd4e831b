"""An attempt that was stopped by its limits is not repeated, by any process, without a reason."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import Engine

from app.analysis.data.report_filters import ALL
from app.analysis.report.stored_report import stored_text
from app.base.jobs.queue import Kind, defer
from app.base.jobs.worker import MAX_ATTEMPTS, MAX_LOST
from app.base.processes.side_process import OutOfMemoryError, OutOfTimeError, SideProcessError, SideProcessTimeoutError
from app.results.making.bounded_jobs import UNEXPECTED, ReportBounds
from app.results.reports import live_report, outcomes
from app.results.reports.live_report import LiveReports
from app.results.reports.outcomes import ReportStoppedError, Shown, Stopped
from app.results.reports.report_job import LARGE, QUICK
from app.studies.studies import StudyRow
from tests.kit.reports_here import JobsHere
from tests.results.kept.conftest import Maker
from tests.results.kept.steps import change

TOO_LONG = SideProcessTimeoutError()
OUT_OF_TIME = OutOfTimeError("The computation took more than 2 seconds of processor time and was stopped.")


def stop(reports: LiveReports, engine: Engine, study: StudyRow, after: datetime | None = None) -> Stopped:
    """Ask for a report, which is not there; return what stopped it."""
    with pytest.raises(ReportStoppedError) as raised:
        reports.now(engine.begin, study, after=after)
    return raised.value.stopped


@pytest.mark.parametrize("error", [SideProcessTimeoutError(), OutOfMemoryError()])
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


def test_attempt_whose_process_was_killed_is_repeated_and_then_explained(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    make.fails_with = SideProcessError()
    reports = process()
    first = stop(reports, engine, study)
    assert not first.took_too_much
    assert first.words == SideProcessError.words
    assert make.n_made == MAX_ATTEMPTS
    assert stop(process(), engine, study) == first
    make.fails_with = None
    assert reports.now(engine.begin, study, after=first.read_at).report.estimates
    assert make.n_made == MAX_ATTEMPTS + 1


def test_attempt_that_fails_unexpectedly_is_explained_and_not_repeated(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    make.fails_with = ZeroDivisionError()
    assert stop(process(), engine, study).words == UNEXPECTED
    stop(process(), engine, study)
    assert make.n_made == 1


def test_report_that_kills_its_worker_again_and_again_is_given_up(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    with engine.begin() as db:
        defer(db, QUICK, f"{study.id} report", study=study.id, filters=stored_text(ALL), lost=MAX_LOST)
    assert stop(process(), engine, study).words == SideProcessError.words
    assert make.n_made == 0


def test_attempt_that_ended_since_the_last_look_is_not_repeated(
    engine: Engine, study: StudyRow, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its job is gone when the page looks for one: the page asked for the same again."""
    jobs, asked, looks = JobsHere(engine.begin, make), list[object](), list[object]()

    def end_first(*_: object) -> None:
        if not looks:
            jobs.give_up(QUICK, study.id, stored_text(ALL))
        looks.append(None)

    monkeypatch.setattr(live_report, "get_report_progress", end_first)
    reports = live_report.LiveReports(engine.begin, ReportBounds().in_words, ask=lambda *given: asked.append(given))
    assert stop(reports, engine, study).words == SideProcessError.words
    assert asked == []


def test_small_report_that_takes_long_is_computed_in_the_lane_for_large_ones(
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compute, kinds = JobsHere._compute, []

    def out_of_quick_time(jobs: JobsHere, kind: Kind, *given: Any) -> None:  # noqa: ANN401 - passed on
        kinds.append(kind)
        if kind is QUICK:
            raise OUT_OF_TIME
        compute(jobs, kind, *given)

    monkeypatch.setattr(JobsHere, "_compute", out_of_quick_time)
    assert process().now(engine.begin, study).report.estimates
    assert kinds == [QUICK, LARGE]
    assert make.n_made == 1


def test_stopped_attempt_is_repeated_after_newer_ratings_when_it_is_due(
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make.fails_with = TOO_LONG
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
    make.fails_with = TOO_LONG
    first = stop(one, engine, study)
    assert stop(other, engine, study) == first
    with pytest.raises(ReportStoppedError) as raised:
        other.soon(engine.begin, study)
    assert raised.value.latest == earlier
    second = stop(one, engine, study, after=first.read_at)
    assert stop(one, engine, study, after=first.read_at) == stop(other, engine, study) == second
    make.fails_with = None
    made = other.now(engine.begin, study, after=second.read_at)
    assert one.soon(engine.begin, study) == Shown(made, is_current=True)
    assert make.n_made == 4
