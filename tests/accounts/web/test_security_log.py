"""Security events are logged with the lead's number and address, and without e-mail addresses and passwords."""

import logging
from collections.abc import Callable

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.lead_access import add_lead, new_link
from app.accounts.leads import Lead
from app.base.logs import log_config
from tests.accounts.web.test_sign_in import RIGHT
from tests.kit.lead_studies import study_of

GOOD = "four unrelated words here"


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, "attune.security")
    return lambda: [record.getMessage() for record in caplog.records]


def test_sign_ins_are_logged_with_their_outcome(
    visitor: TestClient, db: Connection, lead: Lead, said: Callable[[], list[str]]
) -> None:
    visitor.post("/sign-in", data=RIGHT | {"password": "a wrong guess"})
    visitor.post("/sign-in", data=RIGHT | {"email": "nobody@example.org"})
    visitor.post("/sign-in", data=RIGHT)
    visitor.post("/sign-out")
    link = f"/sign-in/{new_link(db, lead)}"
    visitor.post(link)
    visitor.post(link)
    who = f"lead {lead.id}, from testclient"
    assert said() == [
        f"sign-in failed: {who}",
        "sign-in failed: no account, from testclient",
        f"signed in by password: {who}",
        f"signed out: {who}",
        f"signed in by link: {who}",
        "sign-in link refused: no account, from testclient",
    ]


def test_changes_of_a_password_are_logged(client: TestClient, lead: Lead, said: Callable[[], list[str]]) -> None:
    client.post("/account", data={"current": "a wrong guess", "new": GOOD})
    client.post("/account", data={"current": RIGHT["password"], "new": GOOD})
    client.post("/account/sign-out", data={"current": GOOD})
    events = ("password change with a wrong password", "password changed", "signed out everywhere")
    assert said() == [f"{event}: lead {lead.id}, from testclient" for event in events]


def test_attempts_beyond_the_limit_are_logged(visitor: TestClient, lead: Lead, said: Callable[[], list[str]]) -> None:
    for _ in range(11):
        visitor.post("/sign-in", data=RIGHT | {"password": "a wrong guess"})
    assert said()[-2:] == [
        "sign-in refused after too many attempts: no account, from testclient",
        "POST /sign-in answered 429",
    ]


def test_refused_access_is_logged_with_the_lead(
    client: TestClient, db: Connection, lead: Lead, said: Callable[[], list[str]]
) -> None:
    study_of(db, add_lead(db, "other@example.org", GOOD), slug="theirs")
    client.get("/studies/theirs/results")
    client.get("/api/v1/studies/theirs", headers={"authorization": "Bearer attune_wrong"})
    assert said() == [
        f"GET /studies/theirs/results answered 404 to lead {lead.id}",
        "GET /api/v1/studies/* answered 401",
    ]


@pytest.mark.parametrize("level", ["info", "warning", "error"])
def test_security_events_are_logged_at_every_level(level: str) -> None:
    assert log_config("text", level)["loggers"]["attune.security"] == {"level": "INFO"}  # type: ignore[arg-type]
