"""Limits on arrivals and downloads: counted in the database for all workers, and refused with a time to wait."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from fastapi import FastAPI
from sqlalchemy import Connection, func, update
from starlette.testclient import TestClient

from app.accounts import rate_limits
from app.accounts.lead_access import add_lead, begin_session
from app.accounts.tables import attempts
from app.rating.life_cycle import open_study
from tests.kit.lead_studies import study_of


def test_participant_ids_cannot_be_enumerated(app: FastAPI, db: Connection, visit: Callable[[], TestClient]) -> None:
    study_of(db, add_lead(db, "lead@example.org"))
    open_study(db, "small")
    app.state.max_arrivals = 3
    browser = visit()
    statuses = [visit().get(f"/s/small?participant=guess-{n}").status_code for n in range(3)]
    assert statuses == [303] * 3
    refused = browser.get("/s/small?participant=guess-4")
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 60


def test_returning_rater_is_not_rate_limited(app: FastAPI, db: Connection, visit: Callable[[], TestClient]) -> None:
    study_of(db, add_lead(db, "lead@example.org"))
    open_study(db, "small")
    app.state.max_arrivals = 1
    anna = visit()
    for _ in range(3):
        assert anna.get("/s/small?participant=anna").status_code == 303


def test_downloads_are_limited_per_lead(
    db: Connection, visit: Callable[[], TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "MAX_EXPORTS", rate_limits.Rate(1, 10))
    lead = add_lead(db, "lead@example.org")
    study_of(db, lead)
    browser = visit()
    browser.cookies.set("attune-lead", begin_session(db, lead))
    assert browser.get("/studies/small/ratings.csv").status_code == 200
    refused = browser.get("/studies/small/ratings.csv")
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0


def test_clock_that_was_set_back_refuses_no_arrivals(
    app: FastAPI, db: Connection, visit: Callable[[], TestClient]
) -> None:
    study_of(db, add_lead(db, "lead@example.org"))
    open_study(db, "small")
    app.state.max_arrivals = 1
    assert [visit().get(f"/s/small?participant=guess-{n}").status_code for n in range(2)] == [303, 429]
    db.execute(update(attempts).values(resets_at=func.now() + timedelta(hours=30)))
    assert [visit().get(f"/s/small?participant=next-{n}").status_code for n in range(2)] == [303, 429]


def test_request_taken_back_after_its_window_allows_none_more(app: FastAPI, db: Connection) -> None:
    limits, begin = [rate_limits.arrival_limit("192.0.2.1", 1)], app.state.begin
    assert rate_limits.count(begin, limits) == 0
    db.execute(update(attempts).values(resets_at=func.now() - timedelta(seconds=1)))
    rate_limits.take_back(begin, limits)
    assert rate_limits.count(begin, limits) == 0
    assert 0 < rate_limits.count(begin, limits) <= 60


def test_request_taken_back_allows_another(app: FastAPI) -> None:
    limits, begin = [rate_limits.arrival_limit("192.0.2.1", 1)], app.state.begin
    assert rate_limits.count(begin, limits) == 0
    rate_limits.take_back(begin, limits)
    assert rate_limits.count(begin, limits) == 0
    assert rate_limits.count(begin, limits) > 0


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("testclient", "testclient", True),
    ],
)
def test_ipv6_addresses_are_limited_by_network(one: str, other: str, *, is_same: bool) -> None:
    assert (rate_limits.network_of(one) == rate_limits.network_of(other)) is is_same


@pytest.mark.slow
def test_forecasts_of_a_lead_have_a_limit(
    db: Connection, visit: Callable[[], TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "MAX_FORECASTS", rate_limits.Rate(1, 10))
    lead = add_lead(db, "lead@example.org")
    study_of(db, lead)
    browser = visit()
    browser.cookies.set("attune-lead", begin_session(db, lead))
    address = "/studies/small/plan?forecast=1&items=2"
    assert [browser.get(address).status_code for _ in range(2)] == [200, 429]
    assert browser.get("/studies/small/plan").status_code == 200
