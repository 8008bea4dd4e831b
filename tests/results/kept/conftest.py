"""Several server processes on one database, with a small study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.base.database.engine import transactions
from app.results.reports.kept_results import KeptResults
from app.results.reports.live_report import LiveReports
from app.studies.folder.read import read_files
from app.studies.load import load_study
from app.studies.studies import get_study
from tests.kit.reports_here import KeptHere
from tests.kit.small import small
from tests.results.kept.steps import until
from tests.results.reports.test_live_report import PATIENCE_S, Maker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Engine

    from app.studies.studies import StudyRow


@pytest.fixture
def study(engine: Engine) -> StudyRow:
    """A small study whose data are committed."""
    with engine.begin() as db:
        load_study(db, read_files(small()))
        study = get_study(db, "small")
    assert study
    return study


@pytest.fixture
def make() -> Maker:
    """What computes the reports of all processes."""
    return Maker()


@pytest.fixture
def process(engine: Engine, make: Maker) -> Iterator[Callable[..., LiveReports]]:
    """Each call returns what a new server process has; their work ends with the test."""
    started = []

    def new(patience_s: float = PATIENCE_S, limits: str = "") -> LiveReports:
        kept = KeptResults(transactions(engine), limits)
        reports = LiveReports(KeptHere(engine, make), kept, patience_s=patience_s)
        started.append(reports)
        return reports

    yield new
    make.may_end.set()
    until(lambda: not any(reports._at_work for reports in started))
