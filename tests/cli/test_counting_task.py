from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.cli.daily_tasks import counting_task
from app.results.reports.report_process import REPORT_PROCESS
from app.studies.folder.read import read_files
from app.studies.load import load_study
from tests.kit.small import small

if TYPE_CHECKING:
    import pytest
    from sqlalchemy import Engine


def test_large_studies_are_counted_in_a_process_of_their_own(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.results.reports.background_counts.MANY", 3)
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
