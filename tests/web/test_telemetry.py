"""Traces: spans of requests and statements without anything that a visitor sent.

That nothing is loaded if they are not wanted is held by tests/house/test_loaded_modules.py.
"""

import sys
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sqlalchemy import Engine
from starlette.testclient import TestClient

from app.base.telemetry import ENDPOINTS, make_tracer
from app.main import create_app

SECRETS = ("anna@example.org", "correct horse", "prolific-id", "unknown-study")


@pytest.fixture
def spans(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TestClient, InMemorySpanExporter]]:
    """A browser of an application with traces, and where its spans go."""
    exporter = InMemorySpanExporter()
    monkeypatch.setattr("app.main.make_tracer", lambda: make_tracer(exporter))
    engine.dispose()
    app = create_app(engine)
    app.state.allowed_hosts = ["testserver"]
    yield TestClient(app, follow_redirects=False, headers={"sec-fetch-site": "same-origin"}), exporter
    engine.dispose()


def of_kind(exporter: InMemorySpanExporter, kind: str) -> list[ReadableSpan]:
    return [span for span in exporter.get_finished_spans() if span.kind.name == kind]


def test_requests_and_their_statements_have_spans(spans: tuple[TestClient, InMemorySpanExporter]) -> None:
    browser, exporter = spans
    assert browser.get("/s/unknown-study?participant=prolific-id").status_code == 404
    (request,) = of_kind(exporter, "SERVER")
    assert request.name == "GET /s/{slug}"
    assert dict(request.attributes or {}) == {
        "http.request.method": "GET",
        "http.route": "/s/{slug}",
        "http.response.status_code": 404,
    }
    statements = of_kind(exporter, "CLIENT")
    assert {span.name for span in statements} >= {"SELECT"}
    assert {span.parent.span_id for span in statements if span.parent} == {request.context.span_id}


def test_spans_contain_nothing_that_a_visitor_sent(spans: tuple[TestClient, InMemorySpanExporter]) -> None:
    browser, exporter = spans
    browser.get("/s/unknown-study?participant=prolific-id")
    browser.post("/sign-in", data={"email": "anna@example.org", "password": "correct horse"})
    browser.get("/sign-in/unknown-study")
    written = "".join(span.to_json() for span in exporter.get_finished_spans())
    assert "POST /sign-in" in written
    assert [secret for secret in SECRETS if secret in written] == []


def test_missing_packages_are_logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv(ENDPOINTS[0], "http://127.0.0.1:4318")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    assert make_tracer() is None
    assert "attune-studies[telemetry]" in caplog.text


def test_traces_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINTS[1], "http://127.0.0.1:4318")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert make_tracer() is None
