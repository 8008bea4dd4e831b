"""Tokens for the API on the pages of a study."""

import re

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.studies.audit import list_acts
from app.studies.members.api_tokens import list_api_tokens
from app.studies.members.members import record_member

PAGE = "/studies/small/settings/api"


def test_token_is_shown_once_works_and_can_be_revoked(
    client: TestClient, visitor: TestClient, db: Connection, study_id: int
) -> None:
    made = client.post(PAGE, data={"name": "Nightly import", "role": "analyst", "days": "30"})
    # A reload of a page that answers the form would make a second token.
    assert (made.status_code, made.headers["location"]) == (303, PAGE)
    assert {"HttpOnly", "Max-Age=60", "SameSite=lax"} <= set(made.headers["set-cookie"].split("; "))
    assert "attune_" not in client.get("/studies/small/people").text
    found = re.search(r'value="(attune_[^"]+)"', client.get(PAGE).text)
    assert found is not None
    headers = {"authorization": f"Bearer {found[1]}"}
    assert visitor.get("/api/v1/studies/small", headers=headers).status_code == 200
    page = client.get(PAGE).text
    assert "Nightly import" in page
    assert found[1] not in page
    (token,) = list_api_tokens(db, study_id)
    assert client.post(f"{PAGE}/{token.id}/revocation").status_code == 303
    assert visitor.get("/api/v1/studies/small", headers=headers).status_code == 401
    assert [act.action for act in list_acts(db, study_id)][:2] == ["API token revoked", "API token made"]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"name": " ", "role": "monitor"}, 'value="monitor" selected'),
        ({"name": " ", "days": "365"}, 'value="365" selected'),
        ({"name": " "}, "what the token is for"),
        ({"name": "a\x07b"}, "what the token is for"),
        ({"name": "a" * 101}, "what the token is for"),
        ({"name": "x", "days": "7"}, "Found: 7"),
        ({"name": "x", "role": "owner"}, "more rights than you"),
    ],
    ids=["role", "days", "no name", "control character", "long name", "other days", "more rights"],
)
def test_impossible_token_is_explained(
    client: TestClient, db: Connection, study_id: int, lead: Lead, sent: dict[str, str], words: str
) -> None:
    record_member(db, study_id, lead.id, "analyst")
    answer = client.post(PAGE, data=sent)
    assert answer.status_code == 422
    assert words in answer.text
    assert list_api_tokens(db, study_id) == []
