"""Sessions of leads: cookies, how long they last, how they end, and the links that begin one."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts import lead_access as access
from app.accounts.leads import Lead
from app.base.database.keys import token_hash
from tests.accounts.web.test_sign_in import RIGHT


def test_session_is_stored_as_hash_only(visitor: TestClient, db: Connection, lead: Lead) -> None:
    visitor.post("/sign-in", data=RIGHT)
    token = visitor.cookies["attune-lead"]
    stored = db.execute(text("SELECT token_hash FROM lead_sessions")).scalar_one()
    assert len(token) >= 43
    assert bytes(stored) == token_hash(token)


def test_signing_in_again_ends_previous_session(
    visitor: TestClient, visit: Callable[[], TestClient], lead: Lead
) -> None:
    visitor.post("/sign-in", data=RIGHT)
    earlier = visitor.cookies["attune-lead"]
    visitor.post("/sign-in", data=RIGHT)
    assert visitor.cookies["attune-lead"] != earlier
    old = visit()
    old.cookies.set("attune-lead", earlier)
    assert old.get("/studies").status_code == 303


def test_client_supplied_token_never_becomes_a_session(visitor: TestClient, lead: Lead) -> None:
    visitor.cookies.set("attune-lead", "planted")
    answer = visitor.post("/sign-in", data=RIGHT)
    assert "planted" not in answer.headers["set-cookie"]


def test_signing_out_revokes_session(client: TestClient, visit: Callable[[], TestClient]) -> None:
    token = client.cookies["attune-lead"]
    assert client.post("/sign-out").headers["location"] == "/"
    kept = visit()
    kept.cookies.set("attune-lead", token)
    assert kept.get("/studies").status_code == 303


@pytest.mark.parametrize(
    "state", ["expires_at = now()", "expires_at = now() + interval '30 days'", "revoked_at = now()"]
)
def test_ended_session_opens_nothing(client: TestClient, db: Connection, state: str) -> None:
    db.execute(text(f"UPDATE lead_sessions SET {state}"))  # noqa: S608 - two fixed texts
    answer = client.get("/studies")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/studies")


def test_session_slides_up_to_thirty_days(client: TestClient, db: Connection) -> None:
    hours = text("SELECT extract(epoch FROM expires_at - now()) / 3600 FROM lead_sessions")
    db.execute(text("UPDATE lead_sessions SET expires_at = now() + interval '1 hour'"))
    client.get("/studies")
    assert float(db.execute(hours).scalar_one()) == pytest.approx(12)
    db.execute(
        text(
            "UPDATE lead_sessions SET expires_at = now() + interval '1 hour',"
            " created_at = now() - interval '30 days' + interval '2 hours'"
        )
    )
    client.get("/studies")
    assert float(db.execute(hours).scalar_one()) == pytest.approx(2)


def test_polling_page_does_not_extend_session(client: TestClient, db: Connection) -> None:
    db.execute(text("UPDATE lead_sessions SET expires_at = now() + interval '1 hour'"))
    client.get("/studies/none/coverage", headers={"hx-request": "true"})
    left = text("SELECT extract(epoch FROM expires_at - now()) / 3600 FROM lead_sessions")
    assert float(db.execute(left).scalar_one()) == pytest.approx(1)


def test_viewing_sign_in_link_does_not_use_it(visitor: TestClient, db: Connection, lead: Lead) -> None:
    token = access.new_link(db, lead)
    for _ in range(3):
        assert visitor.get(f"/sign-in/{token}").status_code == 200
    assert "set-cookie" not in visitor.get(f"/sign-in/{token}").headers
    assert visitor.post(f"/sign-in/{token}").headers["location"] == "/studies"
    assert visitor.get("/studies").status_code == 200


def test_sign_in_link_works_once(
    visitor: TestClient, visit: Callable[[], TestClient], db: Connection, lead: Lead
) -> None:
    token = access.new_link(db, lead)
    visitor.post(f"/sign-in/{token}")
    second = visit().post(f"/sign-in/{token}")
    assert second.status_code == 410
    assert "set-cookie" not in second.headers


def test_expired_or_unknown_sign_in_link_is_gone(visitor: TestClient, db: Connection, lead: Lead) -> None:
    token = access.new_link(db, lead)
    db.execute(text("UPDATE sign_in_links SET expires_at = now()"))
    assert visitor.post(f"/sign-in/{token}").status_code == 410
    assert visitor.post("/sign-in/unknown").status_code == 410


def test_https_cookie_is_bound_to_host(visitor: TestClient, lead: Lead) -> None:
    visitor.base_url = "https://testserver"
    cookie = visitor.post("/sign-in", data=RIGHT).headers["set-cookie"]
    assert cookie.startswith("__Host-attune-lead=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


def test_http_cookie_has_plain_name(visitor: TestClient, lead: Lead) -> None:
    cookie = visitor.post("/sign-in", data=RIGHT).headers["set-cookie"]
    assert cookie.startswith("attune-lead=")
    assert "Secure" not in cookie
    assert "HttpOnly" in cookie


def test_fragment_without_session_is_empty_403(visitor: TestClient) -> None:
    answer = visitor.get("/studies/any/coverage", headers={"hx-request": "true"})
    assert (answer.status_code, answer.text) == (403, "")


def test_session_by_link_of_a_lead_with_a_password_lasts_an_hour(
    visitor: TestClient, db: Connection, lead: Lead
) -> None:
    visitor.post(f"/sign-in/{access.new_link(db, lead)}")
    assert "unless you set a new password" in visitor.get("/account").text
    left = "SELECT max(expires_at) - now() <= interval '1 hour' FROM lead_sessions"
    assert db.execute(text(left)).scalar_one()
    visitor.post("/account", data={"new": "four unrelated words here"})
    visitor.get("/account")
    assert not db.execute(text(f"{left} WHERE revoked_at IS NULL")).scalar_one()
