from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.actions.results.processes.report_process import REPORT_PROCESS
from app.cli.daily_tasks import counting_task
from app.exchange.folder.read import read_files
from app.storage.studies.load import load_study
from tests.exchange.small import small

if TYPE_CHECKING:
    import pytest
    from sqlalchemy import Engine


def test_large_studies_are_counted_in_a_process_of_their_own(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.actions.results.background_counts.MANY", 3)
    with engine.begin() as db:
        load_study(db, read_files(small()))
        db.execute(text("ANALYZE ratings"))
    count = counting_task(engine.url.render_as_string(hide_password=False))
    count()
    REPORT_PROCESS.stop()
    count()
    assert REPORT_PROCESS.pids == ()
    with engine.begin() as db:
        assert db.execute(text("SELECT part FROM kept_results")).scalars().all() == ["counts"]
