"""The account of a lead: a new password, and the end of its sessions."""

import re
from collections.abc import Callable

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.lead_access import add_lead, new_link
from app.accounts.leads import Lead, list_leads
from app.base.database.keys import token_hash
from tests.kit.lead_studies import study_of

GOOD = "four unrelated words here"
CONFIRMED = {"current": "correct horse battery"}


def test_sign_in_link_ends_on_password_change_or_global_sign_out(
    client: TestClient, visitor: TestClient, sign_in: Callable[[Lead], TestClient], db: Connection, lead: Lead
) -> None:
    links = [f"/sign-in/{new_link(db, lead)}" for _ in range(2)]
    client.post("/account", data={"current": "correct horse battery", "new": GOOD})
    assert visitor.post(links[0]).status_code == 410
    links.append(f"/sign-in/{new_link(db, lead)}")
    client.post("/account/sign-out", data={"current": GOOD})
    assert [visitor.post(link).status_code for link in links] == [410, 410, 410]


def test_password_change_requires_current_and_signs_out_devices(
    client: TestClient, sign_in: Callable[[Lead], TestClient], lead: Lead
) -> None:
    elsewhere = sign_in(lead)
    wrong = client.post("/account", data={"current": "a guess", "new": GOOD})
    assert (wrong.status_code, "not your current password" in wrong.text) == (422, True)
    right = {"current": "correct horse battery", "new": GOOD}
    assert client.post("/account", data=right | {"new": "password123"}).status_code == 422
    assert client.post("/account", data=right).status_code == 303
    assert client.get("/studies").status_code == 200
    assert elsewhere.get("/studies").status_code == 303


def test_first_password_needs_a_session_that_has_just_begun(
    client: TestClient, visitor: TestClient, db: Connection, lead: Lead
) -> None:
    """A session of a lead without a password could make itself permanent: a shared computer, a link of an owner."""
    db.execute(text("UPDATE leads SET password_hash = NULL"))
    db.execute(text("UPDATE lead_sessions SET created_at = now() - interval '2 hours'"))
    refused = client.post("/account", data={"new": GOOD})
    assert (refused.status_code, "You signed in more than an hour ago." in refused.text) == (422, True)
    assert db.execute(text("SELECT password_hash FROM leads")).scalar_one() is None
    visitor.post(f"/sign-in/{new_link(db, lead)}")
    assert visitor.post("/account", data={"new": GOOD}).status_code == 303
    assert client.get("/studies").status_code == 303


def test_current_password_attempts_are_limited(client: TestClient, lead: Lead) -> None:
    for n in range(10):
        client.post("/account", data={"current": f"guess {n}", "new": GOOD})
    assert client.post("/account", data={"current": "correct horse battery", "new": GOOD}).status_code == 429


def test_signing_out_everywhere_ends_all_sessions(
    client: TestClient, sign_in: Callable[[Lead], TestClient], lead: Lead
) -> None:
    elsewhere = sign_in(lead)
    client.post("/account/sign-out", data=CONFIRMED)
    assert elsewhere.get("/studies").status_code == 303


def test_sessions_are_listed_and_end_one_by_one(
    client: TestClient, sign_in: Callable[[Lead], TestClient], db: Connection, lead: Lead
) -> None:
    lost, kept = sign_in(lead), sign_in(lead)
    page = client.get("/account").text
    assert page.count("This browser") == 1
    keys = re.findall(r'name="session"\s+value="(\w{64})"', page)
    assert len(keys) == 2
    assert all(browser.cookies["attune-lead"] not in page for browser in (client, lost, kept))
    key = token_hash(lost.cookies["attune-lead"]).hex()
    assert key in keys
    assert client.post("/account/sessions", data={"session": key} | CONFIRMED).status_code == 303
    assert [browser.get("/studies").status_code for browser in (client, lost, kept)] == [200, 303, 200]


def test_ending_sessions_asks_for_the_password(
    client: TestClient, sign_in: Callable[[Lead], TestClient], lead: Lead
) -> None:
    elsewhere = sign_in(lead)
    key = token_hash(elsewhere.cookies["attune-lead"]).hex()
    for path in ("/account/sessions", "/account/sign-out"):
        for current in ({}, {"current": "a stolen session"}):
            answer = client.post(path, data={"session": key} | current)
            assert answer.status_code == 422
            assert "This is not your current password." in answer.text
    assert elsewhere.get("/studies").status_code == 200


def test_session_of_another_lead_cannot_be_ended(
    client: TestClient, sign_in: Callable[[Lead], TestClient], db: Connection
) -> None:
    other = sign_in(add_lead(db, "other@example.org", GOOD))
    key = token_hash(other.cookies["attune-lead"]).hex()
    client.post("/account/sessions", data={"session": key} | CONFIRMED)
    assert other.get("/studies").status_code == 200
    assert client.post("/account/sessions", data={"session": "x"}).status_code == 422


def test_new_installation_has_no_account(db: Connection) -> None:
    assert list_leads(db) == []


@pytest.mark.parametrize("path", ["/sign-in", "/account"])
def test_password_fields_are_masked_and_known_to_password_managers(
    client: TestClient, visitor: TestClient, path: str
) -> None:
    page = (visitor if path == "/sign-in" else client).get(path).text
    fields = [field for field in re.findall(r"<input[^>]*>", page) if "password" in field]
    assert fields
    for field in fields:
        assert 'type="password"' in field
        assert re.search(r'autocomplete="(current|new)-password"', field)


@pytest.mark.parametrize("typed", ["{}", "{} ", "{}x"])
def test_long_password_is_verified_as_typed(visitor: TestClient, db: Connection, typed: str) -> None:
    password = " Eighty characters and more, with a space at either end, and in Greek too: άλφα. "
    add_lead(db, "long@example.org", password)
    sent = {"email": "long@example.org", "password": typed.format(password)}
    assert visitor.post("/sign-in", data=sent).status_code == (303 if typed == "{}" else 422)


@pytest.mark.parametrize("path", ["/studies", "/studies/new", "/account", "/studies/small", "/studies/small/settings"])
def test_every_page_of_a_lead_offers_to_sign_out(client: TestClient, db: Connection, lead: Lead, path: str) -> None:
    study_of(db, lead)
    assert re.search(r'action="[^"]*/sign-out"', client.get(path).text)
