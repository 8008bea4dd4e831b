"""Kept results are deleted with the answers that they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.actions.results.kept_results import KeptResults
from app.actions.results.live_report import LiveReports
from app.analysis.data.filters.report_filters import ALL
from app.storage.database.engine import transactions
from app.storage.raters.withdrawals import delete_rows
from app.storage.studies.life import delete_study
from tests.actions.results.kept.steps import n_kept
from tests.actions.results.test_live_report import PATIENCE_S, note_a_deletion
from tests.reports_here import KeptHere

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

    from app.storage.studies.studies import StudyRow
    from tests.actions.results.test_live_report import Maker


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
