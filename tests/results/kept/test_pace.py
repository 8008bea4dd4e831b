"""A report that misses newer ratings is computed again when that is due or a lead asks: the same in every process."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from app.results.reports import outcomes
from app.results.reports.live_report import LiveReports
from app.results.reports.outcomes import Shown
from app.studies.studies import StudyRow
from tests.results.kept.conftest import Maker
from tests.results.kept.steps import change, until


@pytest.fixture(autouse=True)
def never_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """No report is due while the test runs."""
    monkeypatch.setattr(outcomes, "PACE", 1e6)


def until_it_shows(reports: LiveReports, engine: Engine, study: StudyRow, shown: Shown) -> None:
    """Refresh, as a lead does."""
    until(lambda: reports.soon(engine.begin, study) == shown)


def test_newer_ratings_are_computed_when_a_lead_asks_in_any_process(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    one, other = process(patience_s=0), process(patience_s=0)
    first = one.now(engine.begin, study)
    change(engine)
    for reports in (one, other, process(patience_s=0)):
        until_it_shows(reports, engine, study, Shown(first, is_current=False))
        assert reports.now(engine.begin, study) == first
    assert make.n_made == 1
    second = other.now(engine.begin, study, after=first.read_at)
    assert second.read_at > first.read_at
    for reports in (one, other):
        until_it_shows(reports, engine, study, Shown(second, is_current=True))
    change(engine, "another")
    assert one.now(engine.begin, study, after=first.read_at) == second
    assert make.n_made == 2


def test_report_is_computed_again_when_it_is_due(
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = process(patience_s=0), process(patience_s=0)
    first = one.now(engine.begin, study)
    change(engine)
    assert other.now(engine.begin, study) == first
    monkeypatch.setattr(outcomes, "PACE", 0)
    assert other.now(engine.begin, study).read_at > first.read_at
    monkeypatch.setattr(outcomes, "PACE", 1e6)
    change(engine, "another")
    assert one.now(engine.begin, study) == other.now(engine.begin, study)
    assert make.n_made == 2


def test_what_leads_decide_is_computed_at_once(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    reports = process(patience_s=0)
    first = reports.now(engine.begin, study)
    with engine.begin() as db:
        db.execute(
            text("""
            INSERT INTO rater_exclusions (study_id, rater_id, is_excluded, reason)
            SELECT study_id, min(id), true, '-' FROM raters GROUP BY study_id
        """)
        )
    assert reports.now(engine.begin, study).read_at > first.read_at
    assert make.n_made == 2


def test_report_that_a_page_can_wait_for_is_that_of_the_current_ratings(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow
) -> None:
    first = process().now(engine.begin, study)
    change(engine)
    made, is_current, *_ = process().soon(engine.begin, study)
    assert made
    assert made.read_at > first.read_at
    assert is_current
