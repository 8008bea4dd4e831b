"""An attempt that was stopped is not repeated without a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.actions.process_bounds import OutOfMemoryError, OutOfTimeError, SideProcessError
from app.actions.results import outcomes
from app.actions.results.outcomes import ReportStoppedError
from tests.actions.results.kept.steps import n_kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

    from app.actions.results.live_report import LiveReports
    from app.storage.studies.studies import StudyRow
    from tests.actions.results.test_live_report import Maker


@pytest.mark.parametrize(("error", "n_made"), [(SideProcessError(), 2), (OutOfTimeError(), 1), (OutOfMemoryError(), 1)])
def test_report_whose_process_was_killed_is_soon_tried_again(
    error: SideProcessError,
    n_made: int,
    process: Callable[..., LiveReports],
    engine: Engine,
    study: StudyRow,
    make: Maker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make.fails_with = error
    reports = process()
    for ended_s in (60, 60, 0):
        monkeypatch.setattr(outcomes, "ENDED_S", ended_s)
        with pytest.raises(ReportStoppedError, match=str(error)):
            reports.now(engine.begin, study)
    assert make.n_made == n_made
    assert n_kept(engine) == 0
