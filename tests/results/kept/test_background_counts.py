"""Large studies are counted before a lead asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.base.database.engine import transactions
from app.base.database.process_locks import only_process
from app.results.reports.background_counts import count_large_studies
from app.results.reports.kept_results import WORK
from tests.kit.reports_here import KeptHere

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

    from app.results.reports.computing import FirstNumbers
    from app.results.reports.live_report import LiveReports
    from app.studies.studies import StudyRow
    from tests.results.reports.test_live_report import Maker


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
    monkeypatch.setattr("app.results.reports.background_counts.MANY", 3)
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
    monkeypatch.setattr("app.results.reports.background_counts.MANY", 3)
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
    monkeypatch.setattr("app.results.reports.background_counts.MANY", 3)
    with monkeypatch.context() as patch:
        patch.setattr("app.results.reports.background_counts.is_blinded", lambda *_: True)
        assert count(engine, make) == []
    with only_process(engine, WORK, study.id):
        assert count(engine, make) == []
    process().now(engine.begin, study)
    with engine.begin() as db:
        db.execute(text("DELETE FROM kept_results WHERE part = 'counts'"))
    assert count(engine, make) == []
