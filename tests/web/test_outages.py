"""While the database is unavailable: 503, a time to retry, a message in the visitor's language, and one log line."""

import logging
from typing import NoReturn

import psycopg
import pytest
from fastapi import FastAPI
from psycopg import errors as postgres
from sqlalchemy.exc import DBAPIError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.testclient import TestClient

from app.base.database.engine import make_engine, transactions
from app.base.database.outages import outage_in_words
from app.base.logs import ThrottledLog
from app.base.web import error_responses

SECRET = "anna's answer"
OUTAGES: list[Exception] = [
    OperationalError("SELECT", {"value": SECRET}, psycopg.OperationalError("connection refused")),
    OperationalError("SELECT", {}, postgres.TooManyConnections(SECRET)),
    OperationalError("INSERT", {}, postgres.DiskFull(SECRET)),
    OperationalError("UPDATE", {}, postgres.LockNotAvailable(SECRET)),
    OperationalError("SELECT", {}, postgres.QueryCanceled(SECRET)),
    OperationalError("SELECT", {}, postgres.AdminShutdown(SECRET)),
    InternalError("INSERT", {}, postgres.ReadOnlySqlTransaction(SECRET)),
    PoolTimeoutError(SECRET),
]


@pytest.fixture(autouse=True)
def fresh_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset the log throttle, so that earlier tests do not suppress lines here."""
    monkeypatch.setattr(error_responses, "_outages", ThrottledLog(logging.getLogger("attune.web"), every_s=600))


def break_database(app: FastAPI, error: Exception) -> None:
    def begin() -> NoReturn:
        raise error

    app.state.begin = begin


def name_of(error: Exception) -> str:
    return type(getattr(error, "orig", error)).__name__


@pytest.mark.parametrize("error", OUTAGES, ids=name_of)
def test_outage_returns_503_with_retry_time_and_one_log_line(
    app: FastAPI, visitor: TestClient, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    break_database(app, error)
    answers = [visitor.get("/readyz") for _ in range(20)]
    assert {answer.status_code for answer in answers} == {503}
    assert answers[0].headers["retry-after"] == "5"
    assert "reload this page" in answers[0].text
    assert len(caplog.records) == 1
    assert caplog.records[0].exc_info is None
    assert SECRET not in caplog.text


def test_form_during_outage_says_unsaved_in_browser_language(app: FastAPI, visitor: TestClient) -> None:
    break_database(app, OUTAGES[0])
    answer = visitor.post("/s/study/start", headers={"accept-language": "tlh, de-AT;q=0.9, en;q=0.5"})
    assert answer.status_code == 503
    assert "Noch nicht gespeichert" in answer.text
    assert answer.headers["x-request-id"] in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_outage_returns_json_to_saves_and_nothing_to_htmx(app: FastAPI, visitor: TestClient) -> None:
    break_database(app, OUTAGES[0])
    token = "00000000-0000-0000-0000-000000000000"
    saved = visitor.post(f"/s/study/rate/{token}/save", data={"slot": "q0"})
    assert (saved.status_code, saved.json()["status"]) == (503, 503)
    fragment = visitor.post(f"/s/study/rate/{token}", headers={"hx-request": "true"})
    assert (fragment.status_code, fragment.text) == (503, "")
    assert saved.headers["retry-after"] == fragment.headers["retry-after"] == "5"


def test_unreachable_database_server_is_an_outage(app: FastAPI, visitor: TestClient) -> None:
    engine = make_engine("postgresql+psycopg://nobody@127.0.0.1:9/none")
    app.state.begin = transactions(engine)
    assert visitor.get("/readyz").status_code == 503


def test_programming_error_returns_500(app: FastAPI, visitor: TestClient) -> None:
    break_database(app, DBAPIError("SELECT", {}, postgres.UndefinedColumn(SECRET)))
    answer = visitor.get("/readyz")
    assert (answer.status_code, answer.headers["connection"]) == (500, "close")
    break_database(app, InternalError("SELECT", {}, postgres.InFailedSqlTransaction(SECRET)))
    assert visitor.get("/readyz").status_code == 500


def test_request_waiting_too_long_returns_503(
    app: FastAPI, visitor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.base.web.deps.WAIT_S", 0.01)
    app.state.turns._value = 0
    assert visitor.get("/readyz").status_code == 503
    app.state.turns._value = 1
    assert visitor.get("/readyz").status_code == 200
    assert visitor.get("/readyz").status_code == 200


def test_unrelated_error_is_not_an_outage() -> None:
    assert outage_in_words(ValueError("x")) is None


def test_repeated_log_lines_are_throttled_with_count(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    times = iter([100.0, 101.0, 102.0, 111.0])
    monkeypatch.setattr("app.base.logs.time.monotonic", lambda: next(times))
    log = ThrottledLog(logging.getLogger("attune.web"), every_s=10)
    for _ in range(4):
        log.error("unavailable: %s", "disk full")
    assert [record.getMessage() for record in caplog.records] == [
        "unavailable: disk full",
        "unavailable: disk full (and 2 more before)",
    ]
