"""A worker and several web processes on one database, with a small study."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Event

import pytest
from sqlalchemy import Engine

from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.analysis.data.report_filters import ALL, Filters
from app.analysis.report.report import Report
from app.base.jobs import worker as worker_module
from app.base.jobs.worker import Worker
from app.protocol.study import Protocol
from app.results.making.bounded_jobs import ReportBounds
from app.results.reports.live_report import LiveReports
from tests.kit.report_parts import only_parts
from tests.kit.reports_here import works_here
from tests.kit.reports_once import AnalyzedOnce
from tests.results.kept.steps import PATIENCE_S

ANALYZED_ONCE = AnalyzedOnce(analyze)


class Maker:
    """Gives real reports, counts how often it is asked, signals when it has started, and waits until it may finish."""

    def __init__(self) -> None:
        self.n_made, self.began, self.may_end = 0, Event(), Event()
        self.fails_with: Exception | None = None
        self.may_end.set()

    def __call__(self, frames: Frames, protocol: Protocol, *, filters: Filters = ALL, **_: object) -> Report:
        self.n_made += 1
        self.began.set()
        assert self.may_end.wait(PATIENCE_S)
        if self.fails_with:
            raise self.fails_with
        return ANALYZED_ONCE(frames, protocol, filters=filters)


@pytest.fixture(scope="module", autouse=True)
def few_parts() -> Iterator[None]:
    """Reports of a few parts: most tests here ask whether one is made again, and not what it says."""
    with only_parts("_compared", "_choices"):
        yield


@pytest.fixture
def make() -> Maker:
    """What computes the reports of all workers."""
    return Maker()


@pytest.fixture
def worker(engine: Engine, make: Maker, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Worker]]:
    """Each call starts a worker; all end with the test."""
    monkeypatch.setattr(worker_module, "POLL_S", 0.05)
    url = engine.url.render_as_string(hide_password=False)
    with ExitStack() as stack:

        def start() -> Worker:
            started = Worker(url, works_here(engine, make)).start()
            stack.callback(started.stop)
            stack.callback(make.may_end.set)  # first, so that no job waits while its worker stops
            return started

        start()
        yield start


@pytest.fixture
def process(engine: Engine, worker: Callable[[], Worker]) -> Callable[..., LiveReports]:
    """Each call returns what a new web process has."""

    def new(patience_s: float = PATIENCE_S, limits: str = ReportBounds().in_words) -> LiveReports:
        return LiveReports(engine.begin, limits, patience_s=patience_s, file_patience_s=PATIENCE_S)

    return new
