"""The application in a test: on a connection that is rolled back, with different kinds of visitors."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.analysis import analyze
from app.settings import settings
from tests.kit.application import renewed
from tests.kit.making_here import making_here
from tests.kit.reads_here import ReadsHere
from tests.kit.reports_here import reports_here
from tests.kit.reports_once import AnalyzedOnce

SAME_ORIGIN = {"sec-fetch-site": "same-origin"}
# Compressing pages and expanding them again takes a fiftieth of the tests' time; test_weight.py asks for it.
PLAIN = {"accept-encoding": "identity"}
ANALYZED_ONCE = AnalyzedOnce(analyze)


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the embedded database, as the settings name it; here only its disk is looked at."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session", autouse=True)
def reports_of_all_workers(of_all_workers: Path) -> None:
    """Compute the report of published data once for all workers, not once in each."""
    ANALYZED_ONCE.folder = of_all_workers


@pytest.fixture(scope="session", autouse=True)
def event_loop() -> Iterator[None]:
    """One event loop for the requests of all tests: to start a thread with a new one takes longer than a request."""
    with start_blocking_portal() as portal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestClient, "portal", portal)
        yield


def app_on(db: Connection, built_app: FastAPI, data_folder: Path) -> FastAPI:
    """The whole application on one connection; a failed request rolls back only its own changes."""

    @contextmanager
    def begin() -> Iterator[Connection]:
        with db.begin_nested():
            yield db

    made = renewed(built_app, db.engine)
    made.state.begin = begin
    made.state.begin_reading = begin
    made.state.making = making_here(begin)
    made.state.uploads = ReadsHere(settings().upload_bounds)
    made.state.data_dir = data_folder
    made.state.allowed_hosts = ["testserver"]
    made.state.reports = reports_here(begin, ANALYZED_ONCE)
    return made


def browser_of(app: FastAPI) -> TestClient:
    """A browser without cookies, which does not follow redirects."""
    return TestClient(app, follow_redirects=False, headers=SAME_ORIGIN | PLAIN, raise_server_exceptions=False)


@pytest.fixture
def app(built_app: FastAPI, db: Connection, data_folder: Path, exact_marks: None) -> FastAPI:
    """The whole application; the end of the test rolls back all changes."""
    return app_on(db, built_app, data_folder)


@pytest.fixture
def visit(app: FastAPI) -> Callable[[], TestClient]:
    """Create browsers: each call returns a new one."""
    return lambda: browser_of(app)


@pytest.fixture
def visitor(visit: Callable[[], TestClient]) -> TestClient:
    """The browser of a visitor who is not signed in."""
    return visit()
