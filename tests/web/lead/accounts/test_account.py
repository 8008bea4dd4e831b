"""The account of a lead: a new password, and the end of its sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.lead_access import new_link

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection
    from starlette.testclient import TestClient

    from app.storage.leads.leads import Lead

GOOD = "four unrelated words here"


def test_sign_in_link_ends_on_password_change_or_global_sign_out(
    client: TestClient, visitor: TestClient, sign_in: Callable[[Lead], TestClient], db: Connection, lead: Lead
) -> None:
    links = [f"/sign-in/{new_link(db, lead)}" for _ in range(2)]
    client.post("/account", data={"current": "correct horse battery", "new": GOOD})
    assert visitor.post(links[0]).status_code == 410
    links.append(f"/sign-in/{new_link(db, lead)}")
    client.post("/account/sign-out")
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


def test_current_password_attempts_are_limited(client: TestClient, lead: Lead) -> None:
    for n in range(10):
        client.post("/account", data={"current": f"guess {n}", "new": GOOD})
    assert client.post("/account", data={"current": "correct horse battery", "new": GOOD}).status_code == 429


def test_signing_out_everywhere_ends_all_sessions(
    client: TestClient, sign_in: Callable[[Lead], TestClient], lead: Lead
) -> None:
    elsewhere = sign_in(lead)
    client.post("/account/sign-out")
    assert elsewhere.get("/studies").status_code == 303
