"""The results pages of one report in a browser, without a server and without a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace

from playwright.sync_api import Page, Route
from sqlalchemy import create_engine
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.analysis.data.filters import options_of
from app.analysis.data.frames import Frames
from app.analysis.report.report import Report
from app.main import create_app
from app.protocol.study import Protocol
from app.results.reports.outcomes import LiveReport, Shown
from app.studies.own_study import LeadAndStudy, lead_and_study
from app.studies.studies import StudyRow

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
SITE = "http://testserver"
PICTURE = b"\x89PNG in the place of a picture"
DRAWN = '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="260"/>'


class OneReport:
    """In the place of `LiveReports`: always the same report."""

    def __init__(self, made: LiveReport) -> None:
        self.made = made

    def soon(self, *_: object) -> Shown:
        return Shown(self.made, is_current=True)


class NoRows(list[object]):
    """In the place of a connection and of its results: a database in which every query finds nothing."""

    def execute(self, *_: object) -> NoRows:
        return self

    def all(self) -> NoRows:
        return self

    def mappings(self) -> NoRows:
        return self

    def one(self) -> SimpleNamespace:
        return SimpleNamespace(has_simulated=False, has_real=False)


@contextmanager
def no_rows() -> Iterator[NoRows]:
    yield NoRows()


def serve_results(page: Page, frames: Frames, protocol: Protocol, report: Report) -> str:
    """Answer the page's requests from the application itself, charts by an empty picture; the address of its
    summary.
    """
    app = create_app(create_engine("postgresql+psycopg://nobody@127.0.0.1:1/none"))
    made = LiveReport("name", NOW, report, protocol, options_of(frames, protocol))
    slug, title = protocol.slug, protocol.title
    study = StudyRow(1, slug, title, "open", 1, False, NOW, NOW, None, role="owner")
    app.state.reports = OneReport(made)
    app.state.begin = app.state.begin_reading = no_rows
    app.state.allowed_hosts = ["testserver"]
    app.dependency_overrides[lead_and_study] = lambda: LeadAndStudy(Lead(1, "lead@example.org"), study)
    client = TestClient(app, headers={"sec-fetch-site": "same-origin"})

    def answer(route: Route) -> None:
        if "/drawings/" in route.request.url:
            route.fulfill(body=DRAWN, content_type="image/svg+xml")
            return
        if ".png" in route.request.url:
            route.fulfill(body=PICTURE, content_type="image/png")
            return
        found = client.get(route.request.url.removeprefix(SITE))
        route.fulfill(status=found.status_code, body=found.content, content_type=found.headers["content-type"])

    page.route("**/*", answer)
    return f"{SITE}/studies/{slug}/results"
