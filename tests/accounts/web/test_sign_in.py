"""Signing in by password: who gets in, how passwords are stored, and how guesses are limited."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from unittest.mock import Mock
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from sqlalchemy import Connection, text
from starlette.testclient import TestClient
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from app.accounts import lead_access as access
from app.accounts import leads, passwords
from app.accounts.leads import Lead
from app.accounts.session import local_path

RIGHT = {"email": "Lead@Example.org ", "password": "correct horse battery"}


def test_correct_password_opens_studies(visitor: TestClient, lead: Lead) -> None:
    answer = visitor.post("/sign-in", data=RIGHT)
    assert (answer.status_code, answer.headers["location"]) == (303, "/studies")
    assert visitor.get("/studies").status_code == 200


def test_wrong_password_returns_form_with_reason(visitor: TestClient, lead: Lead) -> None:
    answer = visitor.post("/sign-in", data=RIGHT | {"password": "wrong horse battery"})
    assert answer.status_code == 422
    assert "Wrong e-mail address or password" in answer.text
    assert "set-cookie" not in answer.headers
    assert "wrong horse" not in answer.text


def test_unknown_address_gets_same_message_as_wrong_password(visitor: TestClient, lead: Lead) -> None:
    wrong = visitor.post("/sign-in", data=RIGHT | {"password": "wrong horse battery"})
    unknown = visitor.post("/sign-in", data=RIGHT | {"email": "nobody@example.org"})
    assert unknown.status_code == wrong.status_code
    assert unknown.text.replace("nobody@example.org", "") == wrong.text.replace(RIGHT["email"], "")


@pytest.mark.parametrize("email", ["lead@example.org", "nobody@example.org"])
def test_unknown_address_hashes_like_wrong_password(
    db: Connection, lead: Lead, monkeypatch: pytest.MonkeyPatch, email: str
) -> None:
    hasher = Mock(wraps=passwords._hasher())
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)
    assert passwords.check_password(db, email, "wrong horse battery") is None
    ((stored, _),) = (call.args for call in hasher.verify.call_args_list)
    # the first parts of an argon2 hash contain its cost parameters
    assert stored.split("$")[:4] == passwords._hasher().hash("any").split("$")[:4]


def test_lead_without_password_cannot_sign_in_by_password(visitor: TestClient, db: Connection) -> None:
    access.add_lead(db, "link@example.org")
    assert visitor.post("/sign-in", data={"email": "link@example.org", "password": ""}).status_code == 422


def test_password_is_stored_as_argon2id(db: Connection, lead: Lead) -> None:
    stored = leads.get_password_hash(db, lead.id)
    assert stored is not None
    assert stored.startswith("$argon2id$")


@pytest.mark.parametrize("password", ["short", "x" * 1001])
def test_password_length_is_bounded(db: Connection, password: str) -> None:
    with pytest.raises(passwords.AccessError, match="characters"):
        access.add_lead(db, "other@example.org", password)


def test_address_has_only_one_account(db: Connection, lead: Lead) -> None:
    with pytest.raises(passwords.AccessError, match="already"):
        access.add_lead(db, "LEAD@example.org", "another password")


def test_eleventh_attempt_is_refused_even_with_correct_password(visitor: TestClient, lead: Lead) -> None:
    answers = [visitor.post("/sign-in", data=RIGHT | {"password": f"guess number {n}"}) for n in range(10)]
    assert {answer.status_code for answer in answers} == {422}
    assert visitor.post("/sign-in", data=RIGHT).status_code == 429


def test_attempts_are_counted_across_workers(db: Connection, visit: Callable[[], TestClient], lead: Lead) -> None:
    for _ in range(10):
        visit().post("/sign-in", data=RIGHT | {"password": "another guess"})
    assert visit().post("/sign-in", data=RIGHT).status_code == 429
    db.execute(text("UPDATE attempts SET resets_at = now() - interval '1 second'"))
    assert visit().post("/sign-in", data=RIGHT).status_code == 303


def test_attempt_table_contains_no_addresses(db: Connection, visitor: TestClient, lead: Lead) -> None:
    visitor.post("/sign-in", data=RIGHT)
    rows = db.execute(text("SELECT attempts::text FROM attempts")).scalars().all()
    assert len(rows) == 3
    assert not any("example" in row for row in rows)


def test_correct_sign_ins_are_not_limited_and_refusal_says_when(visit: Callable[[], TestClient], lead: Lead) -> None:
    for _ in range(12):
        assert visit().post("/sign-in", data=RIGHT).status_code == 303
    for _ in range(10):
        assert visit().post("/sign-in", data=RIGHT | {"password": "another guess"}).status_code == 422
    refused = visit().post("/sign-in", data=RIGHT)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 15 * 60


def test_visitors_behind_a_proxy_are_limited_separately(app: FastAPI, lead: Lead) -> None:
    proxied: Any = ProxyHeadersMiddleware(app, trusted_hosts="10.0.0.0/8")  # type: ignore[arg-type]
    browser = TestClient(
        proxied, follow_redirects=False, headers={"sec-fetch-site": "same-origin"}, client=("10.0.0.1", 1)
    )
    for _ in range(10):
        browser.post("/sign-in", data=RIGHT | {"password": "a guess"}, headers={"x-forwarded-for": "192.0.2.1"})
    statuses = [
        browser.post("/sign-in", data=RIGHT, headers={"x-forwarded-for": visitor}).status_code
        for visitor in ("192.0.2.1", "192.0.2.2")
    ]
    assert statuses == [429, 303]


@pytest.mark.parametrize("password", ["password123", "1234567890", "qwertyuiop", "aaaaaaaaaaaa", "other@example.org"])
def test_easily_guessed_password_is_rejected_with_reason(db: Connection, password: str) -> None:
    with pytest.raises(passwords.AccessError, match="easy to guess"):
        access.add_lead(db, "other@example.org", password)


@pytest.mark.parametrize("password", ["lower case words only", "7391846205739", "p\u00e4ssw\u00f6rter r\u00e4tseln"])
def test_password_needs_no_particular_character_types(db: Connection, password: str) -> None:
    assert access.add_lead(db, "other@example.org", password)


@pytest.mark.parametrize("email", ["lead\0@example.org", "\x1b@example.org"])
def test_address_with_control_character_is_rejected(visitor: TestClient, db: Connection, email: str) -> None:
    assert visitor.post("/sign-in", data=RIGHT | {"email": email}).status_code == 422
    with pytest.raises(passwords.AccessError):
        access.add_lead(db, email)


def test_password_change_signs_out_all_sessions(client: TestClient, db: Connection, lead: Lead) -> None:
    access.set_password(db, lead, "another password")
    assert client.get("/studies").status_code == 303
    assert passwords.check_password(db, lead.email, "another password") == lead


def test_outdated_password_hash_is_renewed_on_use(db: Connection, lead: Lead) -> None:
    from argon2 import PasswordHasher

    old = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("correct horse battery")
    leads.record_password(db, lead.id, old)
    assert passwords.check_password(db, lead.email, "correct horse battery") == lead
    assert leads.get_password_hash(db, lead.id) != old


@pytest.mark.parametrize(
    "elsewhere",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "\\\\evil.example",
        "",
        "javascript:x",
        "/studies\r\nSet-Cookie: a=b",
        "studies",
        "/%0d%0a/\u2028",
    ],
)
def test_sign_in_never_redirects_to_another_site(visitor: TestClient, lead: Lead, elsewhere: str) -> None:
    assert visitor.post("/sign-in", data=RIGHT | {"next": elsewhere}).headers["location"] == "/studies"
    assert visitor.get(f"/sign-in?next={quote(elsewhere)}").headers["location"] == "/studies"


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("/studies/ayers", "/sign-in?next=/studies/ayers"),
        (
            "/studies/ayers/results?pool=Crowd&a=1%2B2",
            "/sign-in?next=/studies/ayers/results%3Fpool%3DCrowd%26a%3D1%252B2",
        ),
    ],
)
def test_sign_in_returns_to_requested_page(visitor: TestClient, lead: Lead, address: str, asked: str) -> None:
    assert visitor.get(address).headers["location"] == asked
    hidden = re.search(r'name="next" value="([^"]+)"', visitor.get(asked).text)
    assert hidden is not None
    answer = visitor.post("/sign-in", data=RIGHT | {"next": unescape(hidden[1])})
    assert answer.headers["location"] == address


def test_local_path_keeps_query_and_fragment() -> None:
    assert local_path("/studies/a/analytics?x=1&y=%20#part") == "/studies/a/analytics?x=1&y=%20#part"


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "origin": "http://testserver"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {},
    ],
)
def test_cross_site_form_is_refused(visitor: TestClient, lead: Lead, headers: dict[str, str]) -> None:
    del visitor.headers["sec-fetch-site"]
    answer = visitor.post("/sign-in", data=RIGHT, headers=headers)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_old_browser_is_accepted_by_origin_header(visitor: TestClient, lead: Lead) -> None:
    del visitor.headers["sec-fetch-site"]
    assert visitor.post("/sign-in", data=RIGHT, headers={"origin": "http://testserver"}).status_code == 303
