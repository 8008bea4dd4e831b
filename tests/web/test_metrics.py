"""Metrics: what they count, that no label names anyone, and who may read them."""

import re

import pytest
from fastapi import FastAPI
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from app.base.database.operations import get_trials_shown
from app.base.web.metrics import may_read
from app.rating.life_cycle import open_study
from tests.kit.builder import build_study, protocol_of

HEADERS = {"sec-fetch-site": "same-origin"}


@pytest.fixture
def local(app: FastAPI) -> TestClient:
    """A program on the same machine."""
    return TestClient(app, headers=HEADERS, client=("127.0.0.1", 50_000), base_url="http://localhost")


def value(text: str, sample: str) -> float:
    """The value of one sample of the metrics; 0 if it is missing."""
    found = re.search(rf"^{re.escape(sample)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def rate_one_trial(client: TestClient) -> None:
    client.get("/s/study?PROLIFIC_PID=secret-person")
    page = client.post("/s/study/start").text
    found = re.search(r'action="(/s/[^"/]+/rate/[^"]+)"', page)
    assert found
    client.post(found[1], data={"q0": "left", "q1r0": "4", "q1r1": "2"})


def test_requests_are_counted_by_route_without_anyones_identity(db: Connection, local: TestClient) -> None:
    build_study(db, protocol_of())
    open_study(db, "study")
    sample = 'attune_requests_total{method="POST",route="/s/{slug}/rate/{token}",status="303"}'
    timed = 'attune_request_seconds_count{method="POST",route="/s/{slug}/rate/{token}"}'
    before = local.get("/metrics").text
    rate_one_trial(local)
    local.get("/private/anna@example.org")
    after = local.get("/metrics").text
    assert value(after, sample) == value(before, sample) + 1
    assert value(after, timed) == value(before, timed) + 1
    assert value(after, 'attune_requests_total{method="GET",route="none",status="404"}') >= 1
    assert "secret-person" not in after
    assert "example.org" not in after
    assert "/s/study" not in after


def test_trials_shown_are_the_sum_of_their_states(db: Connection, local: TestClient) -> None:
    build_study(db, protocol_of())
    open_study(db, "study")
    rate_one_trial(local)
    found = get_trials_shown(db)
    assert (found.n_served, found.n_answered, found.n_open, found.n_unaccounted) == (2, 1, 1, 0)
    text = local.get("/metrics").text
    assert value(text, 'attune_trials{state="served"}') == 2
    assert value(text, 'attune_trials{state="unaccounted"}') == 0
    assert value(text, "attune_database_up") == 1


def test_without_a_database_the_counts_of_requests_remain(app: FastAPI, local: TestClient) -> None:
    def begin() -> None:
        raise OperationalError("", None, Exception())

    app.state.begin = begin
    text = local.get("/metrics").text
    assert value(text, "attune_database_up") == 0
    assert "attune_requests_total" in text
    assert "attune_trials" not in text


def test_only_this_machine_may_read_metrics_without_a_token(app: FastAPI, local: TestClient) -> None:
    elsewhere = TestClient(app, client=("192.0.2.7", 50_000), base_url="http://localhost")
    assert local.get("/metrics").status_code == 200
    assert elsewhere.get("/metrics").status_code == 404
    assert local.get("/metrics", headers={"x-forwarded-for": "127.0.0.1"}).status_code == 404
    app.state.public_url = "https://rate.example.org"
    assert local.get("/metrics").status_code == 404


def test_a_token_opens_metrics_from_anywhere(app: FastAPI) -> None:
    app.state.metrics_token = "t0ken"
    elsewhere = TestClient(app, client=("192.0.2.7", 50_000), base_url="http://localhost")
    assert elsewhere.get("/metrics", headers={"authorization": "Bearer t0ken"}).status_code == 200
    assert elsewhere.get("/metrics", headers={"authorization": "Bearer other"}).status_code == 404


def test_a_wrong_token_is_refused_on_this_machine_too() -> None:
    assert not may_read({}, "127.0.0.1", "t0ken", is_public=False)
