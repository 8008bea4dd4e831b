"""Kept results are deleted with the answers that they are of."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection, Engine, text

from app.base.processes.side_process import SideProcessError
from app.rating.withdrawal.withdraw import delete_rows
from app.results.charts import draw
from app.results.data.study_mark import get_data
from app.results.reports.kept_results import record_report
from app.results.reports.live_report import LiveReports
from app.results.reports.outcomes import Shown
from app.results.snapshots.snapshots import DeletedAnswersError, open_snapshot, save_snapshot
from app.studies.studies import StudyRow, delete_study
from tests.kit.making_here import making_here
from tests.results.kept.conftest import Maker
from tests.results.kept.steps import PATIENCE_S, change, n_kept, note_a_deletion, until


def test_results_are_deleted_with_a_raters_answers(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    before = process().now(engine.begin, study)
    with engine.begin() as db:
        note_a_deletion(db, study)
        db.execute(text("DELETE FROM kept_results"))
    make.may_end.clear()
    second = process(patience_s=0)
    assert shown_at_once(second, engine, study) == (None, False)
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


def shown_at_once(reports: LiveReports, engine: Engine, study: StudyRow) -> tuple[object, bool]:
    return Shown(*reports.soon(engine.begin, study))[:2]


def test_results_read_before_a_deletion_are_not_kept(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow
) -> None:
    made = process().now(engine.begin, study)
    with engine.begin() as db:
        data = get_data(db, study.id)
        db.execute(text("DELETE FROM kept_results"))
        note_a_deletion(db, study)
    with engine.begin() as db:
        record_report(db, study, data, made)
    assert n_kept(engine) == 0


def test_results_are_deleted_with_the_study(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow
) -> None:
    process().now(engine.begin, study)
    assert n_kept(engine) == 1
    with engine.begin() as db:
        delete_study(db, study.id)
    assert n_kept(engine) == 0


def test_report_that_was_read_before_a_deletion_was_committed_is_computed_again(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    reports = process()
    reports.now(engine.begin, study)
    change(engine)
    make.began.clear()
    make.may_end.clear()
    with engine.begin() as db, ThreadPoolExecutor(1) as pool:
        note_a_deletion(db, study)
        delete_rows(db, study.id, session_id=1, rater_id=1, receipt="AAAA-BBBB")
        waiting = pool.submit(reports.now, engine.begin, study)
        assert make.began.wait(PATIENCE_S)
        db.commit()
        make.may_end.set()
        shown = waiting.result()
    assert make.n_made == 3
    assert process().now(engine.begin, study) == shown
    assert make.n_made == 3


def test_report_that_was_made_before_a_deletion_was_committed_is_not_shown(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow, make: Maker
) -> None:
    reports = process()
    with engine.begin() as db:
        note_a_deletion(db, study)
        reports.now(engine.begin, study)
        db.execute(text("DELETE FROM kept_results"))
    make.may_end.clear()
    reports._patience_s = 0
    assert shown_at_once(reports, engine, study) == (None, False)


def test_deletion_waits_for_results_that_are_being_kept_and_deletes_them(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow
) -> None:
    made = process().now(engine.begin, study)
    with engine.begin() as db:
        data = get_data(db, study.id)
        db.execute(text("DELETE FROM kept_results"))

    def delete() -> None:
        with engine.begin() as db:
            delete_rows(db, study.id, session_id=1, rater_id=1, receipt="AAAA-BBBB")

    with engine.begin() as db, ThreadPoolExecutor(1) as pool:
        record_report(db, study, data, made)
        deletion = pool.submit(delete)
        until(lambda: deletion.done() or is_waiting(engine))
        db.commit()
        deletion.result()
    assert n_kept(engine) == 0


def test_results_wait_for_a_deletion_and_are_not_kept(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow
) -> None:
    made = process().now(engine.begin, study)

    def keep() -> None:
        with engine.begin() as db:
            record_report(db, study, data, replace(made, read_at=datetime.now(UTC)))

    with engine.begin() as db, ThreadPoolExecutor(1) as pool:
        data = get_data(db, study.id)
        note_a_deletion(db, study)
        delete_rows(db, study.id, session_id=1, rater_id=1, receipt="AAAA-BBBB")
        keeping = pool.submit(keep)
        until(lambda: keeping.done() or is_waiting(engine))
        db.commit()
        keeping.result()
    assert n_kept(engine) == 0


def delete_answers(db: Connection, study: StudyRow) -> None:
    note_a_deletion(db, study)
    delete_rows(db, study.id, session_id=1, rater_id=1, receipt="AAAA-BBBB")


def delete_all(db: Connection, study: StudyRow) -> None:
    delete_study(db, study.id)


@pytest.mark.parametrize("delete", [delete_answers, delete_all])
def test_chart_that_is_drawn_while_answers_are_deleted_is_not_kept(
    engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch, delete: Callable[[Connection, StudyRow], None]
) -> None:
    """The deletion removes all charts of the study, but cannot see one that is stored later."""
    with ThreadPoolExecutor(1) as pool, engine.connect() as db:
        drawing = threading.Event()

        def render(_spec: object, _picture: str) -> bytes:
            if not drawing.is_set():
                delete(db, study)
                drawing.set()
            return b"<svg/>"

        monkeypatch.setattr(draw, "render", render)
        drawn = pool.submit(draw.chart_picture, making_here(engine.begin), draw.Drawing(study, 0, {}), "svg")
        assert drawing.wait(PATIENCE_S)
        until(lambda: drawn.done() or is_waiting(engine))
        db.commit()
        with pytest.raises(SideProcessError):
            drawn.result()
    assert n_made_files(engine) == 0


def test_chart_is_kept_after_a_deletion(engine: Engine, study: StudyRow, monkeypatch: pytest.MonkeyPatch) -> None:
    with engine.begin() as db:
        note_a_deletion(db, study)
    monkeypatch.setattr(draw, "render", lambda *_: b"<svg/>")
    drawn = draw.chart_picture(making_here(engine.begin), draw.Drawing(study, 1, {}), "svg")
    assert drawn == ("image/svg+xml", b"<svg/>")
    assert n_made_files(engine) == 1


def n_made_files(engine: Engine) -> int:
    with engine.begin() as db:
        return int(db.execute(text("SELECT count(*) FROM made_files")).scalar_one())


def test_no_snapshot_is_saved_of_answers_that_were_deleted_meanwhile(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow
) -> None:
    made = process().now(engine.begin, study)
    with engine.begin() as db:
        note_a_deletion(db, study)
    with pytest.raises(DeletedAnswersError):
        save_snapshot(engine.begin, study, made, "As submitted", None)


def test_snapshot_that_is_saved_while_answers_are_deleted_says_so(
    process: Callable[..., LiveReports], engine: Engine, study: StudyRow
) -> None:
    with engine.begin() as db:
        db.execute(text("SELECT now()"))  # the transaction of the deletion begins
        made = process().now(engine.begin, study)
        token = save_snapshot(engine.begin, study, made, "As submitted", None)
        assert not open_snapshot(engine.begin, study, token).has_deleted
        session = db.execute(
            text("""
            WITH came AS (
              INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, state, lease_expires_at)
              SELECT study_id, min(id), 'a hash', 1, 'withdrawn', now() FROM raters GROUP BY study_id RETURNING *
            ), withdrawn AS (
              INSERT INTO withdrawals (study_id, token_hash, receipt, protocol_version, outcome)
              SELECT study_id, token_hash, 'AAAA-BBBB', 1, 'withdrew' FROM came
            )
            SELECT id, rater_id FROM came
        """)
        ).one()
        delete_rows(db, study.id, session.id, session.rater_id, receipt="AAAA-BBBB")
    assert open_snapshot(engine.begin, study, token).has_deleted


def is_waiting(engine: Engine) -> bool:
    """Whether a transaction waits for a lock of another."""
    with engine.begin() as db:
        return bool(db.execute(text("SELECT count(*) FROM pg_locks WHERE NOT granted")).scalar_one())
